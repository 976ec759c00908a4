"""Merges players: one person's second account becomes part of the account that is kept.

The kept player takes over the merged player's key and matches, while locks keep new results out. If both were rated in
a season, its mode is rated anew; until then its pages show the old ratings. Two who met can be merged if every match in
which they met is void: there each keeps their own row, because nobody plays twice in a match. A preview tells the
moderator who confirms it what a merge will do.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, Min, Q

from ranking.database import locks
from ranking.database.retries import retried
from ranking.matches.records import is_void
from ranking.models import Change, ClaimCode, Event, Match, Merge, Mode, Participation, Player, Rating, Rerating, Season
from ranking.moderation.merged_rows import find_void_forfeits, forfeits_of, parts_to_take, seeds_to_take, take_rows
from ranking.modes.row_locks import lock_modes
from ranking.modes.season_entries import entry_before
from ranking.operations.audit import record_act
from ranking.rerating.reratings import request_rerating

_COUNTS = ("wins", "draws", "losses", "leaves", "podiums", "top_halves", "place_sum")


class MergeRefused(Exception):
    """Two players can't be merged; the message is a sentence for the moderator."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a merge does to ratings. `seasons`: ids of seasons whose ratings are given to the kept player. `anew`: by
    mode's id, the sequence from which the mode is rated anew.
    """

    seasons: list[int]
    anew: dict[int, int]


@retried
@transaction.atomic
def merge_players(
    kept: Player, merged: Player, *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> Merge:
    """Make `merged` part of `kept`; only moderators read `note`. Raises MergeRefused; ValueError without a reason."""
    if not reason.strip():
        raise ValueError("Say why.")
    modes = dict(Mode.objects.values_list("pk", "slug"))
    locks.hold_modes(modes.values())  # no result is being recorded
    lock_modes(modes)
    ClaimCode.objects.filter(player=merged).delete()  # before the players: claims lock in this order
    kept, merged = lock_players(kept, merged)
    if objection := find_objection(kept, merged):
        raise MergeRefused(objection)
    plan = plan_merge(kept, merged)
    taken = take_rows(kept, merged, plan.seasons, now)
    merge = Merge.objects.create(
        kept=kept, merged=merged, by=by, reason=reason.strip(), note=note, merged_at=now, forfeits=taken["forfeits"],
        taken=taken, sequence=Event.objects.aggregate(last=Max("id"))["last"] or 0,
    )  # fmt: skip
    subject = f"player {merged.pk} into {kept.pk}"
    record_act("merge", subject, player=kept, by=by, reason=merge.reason, note=note, now=now)
    for mode in Mode.objects.filter(pk__in=plan.anew).order_by("pk"):
        cause = f"player {merged.pk} merged into {kept.pk}"
        request_rerating(mode, since=plan.anew[mode.pk], reason=cause, by=by, now=now)
    return merge


def find_objection(kept: Player, merged: Player) -> str:
    """A sentence why the two can't be merged; "" if they can."""
    if kept.pk == merged.pk:
        return "This is the same player: choose another."
    for player in (kept, merged):
        if player.anonymised_at is not None:
            return f"{player.name} has left for good; nobody can tell whose matches those were."
        if player.merged_into is not None:
            return f"{player.name} was merged into {player.merged_into.name} already."
    if kept.is_bot != merged.is_bot:
        bot, person = (kept, merged) if kept.is_bot else (merged, kept)
        return f"{bot.name} is a bot and {person.name} is a person, so they aren't one player."
    if kept.user is not None and merged.user is not None:
        return (
            f"Both have a login: {kept.user.get_username()} and {merged.user.get_username()}."
            f" Release {merged.name} from their account first, if it really is the same person."
        )
    both = Match.objects.filter(participations__player=merged).filter(participations__player=kept)
    if match := both.filter(~is_void()).select_related("source").order_by("pk").first():
        return f"Both played in match {match}, so they aren't one player. If they are, void it first."
    void = find_void_forfeits()
    for forfeit in forfeits_of(merged):
        if forfeit.pk not in void and any(kept.pk in team for team in forfeit.teams):
            lobby = forfeit.lobby
            return f"Both were in lobby {lobby}, so they aren't one player. If they are, void its forfeit first."
    return find_rerating(merged)


def find_rerating(merged: Player) -> str:
    """A sentence if a mode of the player is being rated anew, or ending its season; else ""."""
    rated = Rating.objects.filter(player=merged).values("mode")
    concerned = Q(pk__in=rated) | Q(pk__in=Participation.objects.filter(player=merged).values("match__mode"))
    leased = Mode.objects.filter(concerned, lease__isnull=False).order_by("name").values_list("name", "lease__kind")
    if doing := ", ".join(f"{name}: {Rerating.DOING[kind]}" for name, kind in leased):
        return f"{doing} at this moment. Try again when that is done."
    return ""


def plan_merge(kept: Player, merged: Player) -> Plan:
    """What merging the two will do to ratings."""
    own, seasons = _rated_seasons(kept), _rated_seasons(merged)
    shared = seasons & own
    parts = parts_to_take(kept, merged).filter(match__season__in=shared).order_by()
    first = parts.values("match__mode").annotate(first=Min("match__event")).values_list("match__mode", "first")
    anew = dict(first)
    several = Season.objects.filter(current=False).values("mode")
    followed = set(Season.objects.filter(pk__in=own, mode__in=several).values_list("mode", flat=True))
    for forfeit in forfeits_of(merged):
        if forfeit.event_id is not None and (forfeit.season_id in shared or forfeit.mode_id in followed):
            anew[forfeit.mode_id] = min(forfeit.event_id, anew.get(forfeit.mode_id, forfeit.event_id))
    for seed in seeds_to_take(kept, merged, sorted(seasons - shared)).exclude(season__in=seasons - shared):
        anew[seed.mode_id] = min(seed.event_id, anew.get(seed.mode_id, seed.event_id))
    for mode, event in _first_steps(merged, followed):
        anew[mode] = min(event, anew.get(mode, event))
    return Plan(sorted(seasons - shared), {mode: entry_before(mode, event) for mode, event in anew.items()})


def _rated_seasons(player: Player) -> set[int]:
    """The ids of seasons in which a player has a rating or, by an earlier merge or split, only rows of the ledger."""
    rows = Change.objects.filter(player=player).order_by().values_list("season", flat=True)
    return set(Rating.objects.filter(player=player).values_list("season", flat=True).union(rows))


def _first_steps(merged: Player, followed: Collection[int]) -> Iterable[tuple[int, int]]:
    """The merged player's first step in each of these modes, which have earlier seasons and which both have played.

    The seasons of one player follow those of the other, so the resets between them change.
    """
    steps = Change.objects.live().filter(player=merged, mode__in=followed).order_by().exclude(kind=Change.RESET)
    return steps.values("mode").annotate(first=Min("event")).values_list("mode", "first")


def lock_players(kept: Player, merged: Player) -> tuple[Player, Player]:
    """Lock both players, then their ratings, as the ledger does. Return the players as they are now."""
    rows = Player.objects.filter(pk__in=[kept.pk, merged.pk]).select_related("merged_into", "user").order_by("pk")
    locked = {row.pk: row for row in rows.select_for_update(of=("self",), no_key=True)}
    list(Rating.objects.filter(player__in=locked).select_for_update().order_by("id").values_list("id"))
    return locked[kept.pk], locked[merged.pk]


@dataclass(frozen=True, slots=True)
class Preview:
    """`records`: of the kept and the merged player, by mode. With an `objection` there are no consequences."""

    kept: Player
    merged: Player
    objection: str
    records: dict[Mode, tuple[Rating, Rating]]
    consequences: list[str]


def preview_merge(kept: Player, merged: Player) -> Preview:
    """Preview the merge; nothing is changed."""
    objection = find_objection(kept, merged)
    first, second = _records(kept), _records(merged)
    modes = sorted({*first, *second}, key=lambda mode: mode.name)
    records = {mode: (first.get(mode, Rating()), second.get(mode, Rating())) for mode in modes}
    consequences = [] if objection else [*_consequences(kept, merged, plan_merge(kept, merged))]
    return Preview(kept, merged, objection, records, consequences)


def _records(player: Player) -> dict[Mode, Rating]:
    """By mode: the counts of a player's ratings in all seasons, added up in a rating that isn't saved."""
    totals: dict[Mode, Rating] = {}
    for rating in Rating.objects.filter(player=player).select_related("mode"):
        total = totals.setdefault(rating.mode, Rating())
        for name in _COUNTS:
            setattr(total, name, getattr(total, name) + getattr(rating, name))
    return totals


def _consequences(kept: Player, merged: Player, plan: Plan) -> Iterator[str]:
    played = parts_to_take(kept, merged).count()
    matches = "1 match becomes" if played == 1 else f"{played:,} matches become"
    yield f"{matches} {kept.name}’s, and so does any later result that names the key {merged.key}."
    if together := Participation.objects.filter(player=merged).count() - played:
        both = "A void match" if together == 1 else f"{together:,} void matches"
        yield f"{both} in which both played can’t be restored, unless they are split again."
    events = Event.objects.in_bulk(plan.anew.values())
    for mode in Mode.objects.filter(pk__in=plan.anew).order_by("name"):
        since = events[plan.anew[mode.pk]].happened_at
        yield (
            f"{mode.name} is rated anew from {since:%-d %B %Y} on, {merged.name}’s first match, within minutes: ratings"
            " of those who played with or against either may change a little."
        )
    if merged.user is not None:
        yield f"The login {merged.user.get_username()} becomes {kept.name}’s."
    yield f"{merged.name} leaves every board, and is one of the names that {kept.name} was known by."
    yield "Followers, blocks, achievements and notices are handed over, none of them twice."
    yield "The two can be split again as long as neither has played since."
    if merged.hides_matches and not kept.hides_matches:
        yield f"{kept.name}’s matches will be hidden, as {merged.name}’s are."
