"""Gives the rows of a merged player to the player who is kept, and gives them back when the two are split.

`Merge.taken` holds what a split needs, as `take_rows` returns it. Participations need no record: `played_as` says
whose they were. Ratings and changes of seasons that only the merged player had go back as a whole, as nobody has played
since.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.db.models import BigIntegerField, Exists, F, Max, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast, Coalesce

from ranking import hooks
from ranking.abuse.complaints import merge_complaints, split_complaints
from ranking.abuse.search import merge_findings, split_findings
from ranking.matches.devices import merge_devices, split_devices
from ranking.models import (
    Appeal,
    Ban,
    BanProposal,
    Change,
    Forfeit,
    Incident,
    Participation,
    Player,
    PlayerName,
    PlayerNote,
    PlayerWarning,
    Rating,
    Seed,
    Void,
)
from ranking.players.players import FORMER_NAMES, name_row, taken_skeletons
from ranking.players.row_records import Record, give_back, recorded
from ranking.rules.names import skeleton

_HIDES = ("hides_matches", "hides_from_friends", "hides_playing")


def take_rows(kept: Player, merged: Player, seasons: list[int], now: dt.datetime) -> dict[str, object]:
    """Give everything to the kept player; `seasons`: those whose ratings change hands. Return `Merge.taken`."""
    unrated = Participation.objects.filter(player__in=(kept, merged), match__event=None).order_by("pk")
    taken: dict[str, Any] = {
        "last_part": Participation.objects.aggregate(last=Max("pk"))["last"] or 0,
        "last_forfeit": Forfeit.objects.aggregate(last=Max("pk"))["last"] or 0,
        "unrated_parts": list(unrated.values_list("pk", flat=True)),
        "seasons": seasons,
    }
    drops = [*forfeits_of(kept), *forfeits_of(merged)]
    taken["unrated_forfeits"] = [forfeit.pk for forfeit in drops if forfeit.event_id is None]
    taken["seeds"] = _take_seeds(kept, merged, seasons)
    _take_matches(kept, merged, seasons)
    taken["forfeits"] = _take_forfeits(kept, merged)
    taken["conduct"] = _take_conduct(kept, merged)
    taken["names"] = _copy_names(kept, merged)
    merge_devices(kept, merged)
    taken["findings"] = merge_findings(kept, merged)
    taken["complaints"] = merge_complaints(kept, merged)
    taken["apps"] = {name: hooks.MERGERS.function(name)(kept, merged) for name in hooks.MERGERS.names()}
    taken["person"] = _take_person(kept, merged, now)
    return taken


def return_rows(kept: Player, merged: Player, taken: dict[str, Any]) -> None:
    """Give back what `take_rows` took."""
    played = [merged.pk, *taken["person"]["aliases"]]
    split_devices(kept, merged, played)  # before the participations, which say whose they are
    _return_matches(kept, merged, played, taken["seasons"])
    _return_forfeits(kept, merged, taken["forfeits"])
    _return_seeds(kept, merged, taken.get("seeds", []))
    give_back(taken["conduct"])
    PlayerName.objects.filter(player=kept, pk__in=taken["names"]).delete()
    split_findings(kept, taken["findings"])
    split_complaints(kept, merged, taken.get("complaints", {}))
    for name, part in taken["apps"].items():
        hooks.SPLITTERS.function(name)(kept, merged, part)
    _return_person(kept, merged, taken["person"])
    Rating.objects.filter(player__in=(kept, merged), season__current=True).update(to_publish=True)


def forfeits_of(player: Player) -> list[Forfeit]:
    """Forfeits with the player in a team. It reads all forfeits without an index; there are few."""
    texts = Forfeit.objects.annotate(text=Cast("teams", TextField())).filter(text__contains=str(player.pk))
    return [forfeit for forfeit in texts.order_by("pk") if any(player.pk in team for team in forfeit.teams)]


def find_void_forfeits() -> set[int]:
    """The ids of forfeits that are void."""
    return set(Void.objects.filter(forfeit__isnull=False, lifted_at=None).values_list("forfeit", flat=True))


def parts_to_take(kept: Player, merged: Player) -> QuerySet[Participation]:
    """What the kept player takes over: not the parts in void matches in which both played, where each keeps theirs."""
    together = Participation.objects.filter(player=kept, match=OuterRef("match"))
    return Participation.objects.filter(~Exists(together), player=merged)


def _take_matches(kept: Player, merged: Player, seasons: list[int]) -> None:
    """Give matches to the kept player, and the ratings of seasons that only the merged player has."""
    original = Coalesce(F("played_as"), Value(merged.pk), output_field=BigIntegerField())
    parts_to_take(kept, merged).update(player=kept, played_as=original)
    _move_ratings(merged, kept, seasons)
    Rating.objects.filter(player=merged, season__current=True).update(to_publish=True)


def _return_matches(kept: Player, merged: Player, played: list[int], seasons: list[int]) -> None:
    """`played`: the ids of the players as whom the merged player's matches were played."""
    Participation.objects.filter(player=kept, played_as__in=played).update(player=merged)
    Participation.objects.filter(player=merged, played_as=merged).update(played_as=None)
    _move_ratings(kept, merged, seasons)


def _move_ratings(owner: Player, heir: Player, seasons: list[int]) -> None:
    """Move the changes of these seasons, and the rating of the current one: archived ratings stay where they are."""
    Change.objects.filter(player=owner, season__in=seasons).update(player=heir)
    current = Rating.objects.filter(player=owner, season__in=seasons, season__current=True)
    current.update(player=heir, to_publish=True)


def seeds_to_take(kept: Player, merged: Player, seasons: Sequence[int]) -> QuerySet[Seed]:
    """The ratings that the merged player brought along and the kept player takes over: those of seasons whose ratings
    change hands, and those that came before all that the kept player has in the season.

    Of others the kept player has a better measure: they stay with the row `merged`.
    """
    kept_in_season = {"player": kept, "season": OuterRef("season")}
    own = Change.objects.live().filter(**kept_in_season, event__lt=OuterRef("event")).exclude(kind=Change.RESET)
    free = ~Exists(own) & ~Exists(Seed.objects.filter(**kept_in_season))
    return Seed.objects.filter(Q(season__in=seasons) | free, player=merged)


def _take_seeds(kept: Player, merged: Player, seasons: list[int]) -> list[int]:
    """Give these ratings brought along to the kept player; returns their ids."""
    seeds = list(seeds_to_take(kept, merged, seasons).select_related("event").order_by("pk"))
    Seed.objects.filter(pk__in=[seed.pk for seed in seeds]).update(player=kept)
    for seed in seeds:
        if seed.season_id not in seasons:
            _note_seed(kept, seed)
    return [seed.pk for seed in seeds]


def _return_seeds(kept: Player, merged: Player, seeds: list[int]) -> None:
    for seed in Seed.objects.filter(pk__in=seeds, player=kept):
        Rating.objects.filter(player=kept, season=seed.season_id, season__current=True).update(
            seeded_matches=0, placed_at=None
        )
    Seed.objects.filter(pk__in=seeds, player=kept).update(player=merged)


def _note_seed(player: Player, seed: Seed) -> None:
    """Note in the player's rating of a running season what they brought along."""
    ratings = Rating.objects.filter(player=player, season=seed.season_id, season__current=True)
    ratings.update(seeded_matches=seed.matches, placed_at=seed.event.happened_at if seed.placed else None)


def _take_forfeits(kept: Player, merged: Player) -> list[int]:
    """Put the kept player in the merged player's place in forfeits. Return the ids of these forfeits.

    Void ones of a lobby in which both were stay as they are.
    """
    apart = [row for row in forfeits_of(merged) if not any(kept.pk in team for team in row.teams)]
    return _replace_in_forfeits(apart, merged, kept)


def _return_forfeits(kept: Player, merged: Player, forfeits: list[int]) -> None:
    _replace_in_forfeits(list(Forfeit.objects.filter(pk__in=forfeits).order_by("pk")), kept, merged)


def _replace_in_forfeits(forfeits: list[Forfeit], owner: Player, heir: Player) -> list[int]:
    for forfeit in forfeits:
        forfeit.teams = [[heir.pk if pk == owner.pk else pk for pk in team] for team in forfeit.teams]
        if forfeit.player_id == owner.pk:
            forfeit.player = heir
    Forfeit.objects.bulk_update(forfeits, ["teams", "player"], batch_size=500)
    return [forfeit.pk for forfeit in forfeits]


def _take_conduct(kept: Player, merged: Player) -> Record:
    """Give incidents, bans, appeals, warnings, notes and proposed bans to the kept player.

    Of one occasion only the kept player's incident counts. Incidents stay with their match or forfeit, and an open
    proposal stays where it is if there is one about the kept player.
    """
    same = Incident.objects.filter(player=kept, occasion=OuterRef("occasion"))
    left = Participation.objects.filter(player=merged).values("match")  # the matches were given already
    own = Forfeit.objects.filter(player=merged).values("pk")
    stays = Q(match__in=left) | Q(forfeit__in=own)
    models: tuple[Any, ...] = (Incident, Ban, Appeal, PlayerWarning, PlayerNote, BanProposal)
    rows = [model.objects.filter(player=merged) for model in models]
    open_ones = BanProposal.objects.filter(player=kept, decided_at=None)
    with recorded(*rows) as record:
        Incident.objects.filter(~Exists(same), player=merged).exclude(stays).update(player=kept)
        for model in (Ban, PlayerWarning, PlayerNote):
            model._default_manager.filter(player=merged).update(player=kept)
        BanProposal.objects.filter(~Exists(open_ones) | Q(decided_at__isnull=False), player=merged).update(player=kept)
        Appeal.objects.filter(Q(ban__player=kept) | Q(incident__player=kept), player=merged).update(player=kept)
    # Bans from boards apply to them now.
    Rating.objects.filter(player=kept, season__current=True).update(to_publish=True)
    return record


def _copy_names(kept: Player, merged: Player) -> list[int]:
    """Copy the merged player's names to the kept player's former names. Return the ids of the new rows."""
    former = PlayerName.objects.filter(player=merged).order_by("-id")[:FORMER_NAMES]
    names = [name_row(kept, row.name, row.since, taken_away=row.taken_away) for row in former][::-1]
    names = names or [name_row(kept, merged.name, merged.created_at)]
    if not PlayerName.objects.filter(player=kept).exists():  # the present name, before it may change
        names.append(name_row(kept, kept.name, kept.created_at))
    return [row.pk for row in PlayerName.objects.bulk_create(names)]


def _take_person(kept: Player, merged: Player, now: dt.datetime) -> dict[str, Any]:
    """Give the kept player the login, and hide what either player hid. The row `merged` stays, with its key."""
    aliases = Player.objects.filter(merged_into=merged)
    hidden_at = merged.hidden_at
    taken = {
        "login": merged.user_id,
        "hidden_at": None if hidden_at is None else hidden_at.isoformat(),
        "lookalike": merged.lookalike,
        "hid": [name for name in _HIDES if getattr(merged, name) and not getattr(kept, name)],
        "aliases": list(aliases.order_by("pk").values_list("pk", flat=True)),
    }
    user = merged.user or kept.user
    for name in _HIDES:
        setattr(kept, name, getattr(kept, name) or getattr(merged, name))
    merged.user, merged.merged_into, merged.hidden_at = None, kept, hidden_at or now
    merged.avatar = ""
    merged.skeleton, merged.lookalike = "", False  # the kept player may take the name
    merged.save(update_fields=["user", "avatar", "merged_into", "hidden_at", "skeleton", "lookalike"])
    kept.user = user
    kept.save(update_fields=["user", *_HIDES])
    aliases.update(merged_into=kept)
    return taken


def _return_person(kept: Player, merged: Player, taken: dict[str, Any]) -> None:
    """Give the login back if the kept player still has it."""
    user = kept.user if kept.user_id == taken["login"] else None
    for name in taken["hid"]:
        setattr(kept, name, False)
    if user is not None:
        kept.user = None
    kept.save(update_fields=["user", *_HIDES])
    looks = skeleton(merged.name)
    merged.lookalike = taken["lookalike"] or looks in taken_skeletons([merged.name])
    hidden_at = taken["hidden_at"]
    merged.user, merged.merged_into, merged.skeleton = user, None, looks
    merged.hidden_at = None if hidden_at is None else dt.datetime.fromisoformat(hidden_at)
    merged.save(update_fields=["user", "merged_into", "hidden_at", "skeleton", "lookalike"])
    Player.objects.filter(pk__in=taken["aliases"], merged_into=kept).update(merged_into=merged)
