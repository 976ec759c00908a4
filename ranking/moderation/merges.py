"""Merging players: one person's second account becomes part of the one that is kept.

The key of the merged player is the other's from then on, and so are their matches, under every lock that keeps results
out. Where both were rated in a season, its mode is rated anew; until then its pages show what was.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import BigIntegerField, Exists, F, Max, Min, OuterRef, Q, TextField, Value
from django.db.models.functions import Cast, Coalesce

from ranking import hooks
from ranking.abuse.search import merge_findings
from ranking.database import locks
from ranking.database.retries import retried
from ranking.matches.devices import merge_devices
from ranking.models import (
    Appeal,
    Ban,
    Change,
    ClaimCode,
    Event,
    Forfeit,
    Incident,
    Match,
    Merge,
    Mode,
    Participation,
    Player,
    PlayerName,
    Rating,
)
from ranking.operations.audit import record_act
from ranking.players.renames import MOST
from ranking.rerating.reratings import request_rerating


class MergeRefused(Exception):
    """Why two players can't be merged: a sentence for the moderator who tried."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a merge does to ratings: in `seasons` they change hands; `anew`, by mode's id, since which sequence."""

    seasons: list[int]
    anew: dict[int, int]


@retried
@transaction.atomic
def merge_players(kept: Player, merged: Player, *, by: User | None, reason: str, now: dt.datetime) -> Merge:
    """Make `merged` part of `kept`. Raises MergeRefused; ValueError without a reason."""
    if not reason.strip():
        raise ValueError("Say why.")
    locks.hold_modes(Mode.objects.values_list("slug", flat=True))  # no result is on its way to either of them
    ClaimCode.objects.filter(player=merged).delete()  # before the players, as whoever claims one
    kept, merged = _lock(kept, merged)
    if objection := find_objection(kept, merged):
        raise MergeRefused(objection)
    plan = plan_merge(kept, merged)
    _move_play(kept, merged, plan)
    forfeits = _move_forfeits(kept, merged)
    _move_conduct(kept, merged)
    _keep_names(kept, merged)
    merge_devices(kept, merged)
    merge_findings(kept, merged)
    for merge_rows in hooks.MERGERS.functions():
        merge_rows(kept, merged)
    _move_person(kept, merged, now)
    merge = Merge.objects.create(
        kept=kept, merged=merged, by=by, reason=reason.strip(), merged_at=now, forfeits=forfeits,
        sequence=Event.objects.aggregate(last=Max("id"))["last"] or 0,
    )  # fmt: skip
    said = f"player {merged.pk} into {kept.pk}"
    record_act("merge", said, player=kept, by=by, reason=merge.reason, now=now)
    for mode in Mode.objects.filter(pk__in=plan.anew).order_by("pk"):
        why = f"player {merged.pk} merged into {kept.pk}"
        request_rerating(mode, since=plan.anew[mode.pk], reason=why, by=by, now=now)
    return merge


def find_objection(kept: Player, merged: Player) -> str:
    """Why the two can't be merged; "" where they can."""
    if kept.pk == merged.pk:
        return "This is the same player: choose another."
    for player in (kept, merged):
        if player.anonymised_at is not None:
            return f"{player.name} has left for good; nobody can tell whose matches those were."
        if player.merged_into is not None:
            return f"{player.name} was merged into {player.merged_into.name} already."
    if kept.user is not None and merged.user is not None:
        return (
            f"Both have a login: {kept.user.get_username()} and {merged.user.get_username()}."
            f" Release {merged.name} from their account first, if it really is the same person."
        )
    both = Match.objects.filter(participations__player=merged).filter(participations__player=kept)
    if match := both.select_related("source").order_by("pk").first():
        return f"Both played in match {match}, so they aren't one player."
    for forfeit in _forfeits_of(merged):
        if any(kept.pk in team for team in forfeit.teams):
            return f"Both were in lobby {forfeit.lobby}, so they aren't one player."
    return _busy(merged)


def _busy(merged: Player) -> str:
    rated = Rating.objects.filter(player=merged).values("mode")
    concerned = Q(pk__in=rated) | Q(pk__in=Participation.objects.filter(player=merged).values("match__mode"))
    leased = Mode.objects.filter(concerned, lease__isnull=False).order_by("name").values_list("name", flat=True)
    if names := ", ".join(leased):
        return f"{names}: being rated anew at this moment. Try again when that is done."
    return ""


def plan_merge(kept: Player, merged: Player) -> Plan:
    """What merging the two will do to ratings."""
    theirs = set(Rating.objects.filter(player=merged).values_list("season", flat=True))
    shared = theirs & set(Rating.objects.filter(player=kept).values_list("season", flat=True))
    parts = Participation.objects.filter(player=merged, match__season__in=shared).order_by()
    first = parts.values("match__mode").annotate(first=Min("match__event")).values_list("match__mode", "first")
    anew = dict(first)
    for forfeit in _forfeits_of(merged):
        if forfeit.season_id in shared and forfeit.event_id is not None:
            anew[forfeit.mode_id] = min(forfeit.event_id, anew.get(forfeit.mode_id, forfeit.event_id))
    return Plan(sorted(theirs - shared), anew)


def _forfeits_of(player: Player) -> list[Forfeit]:
    """Those in whose teams a player is. No index tells: forfeits are few."""
    said = Forfeit.objects.annotate(said=Cast("teams", TextField())).filter(said__contains=str(player.pk))
    return [forfeit for forfeit in said.order_by("pk") if any(player.pk in team for team in forfeit.teams)]


def _lock(kept: Player, merged: Player) -> tuple[Player, Player]:
    """Both as they are now, with their ratings, locked in the ledger's order."""
    rows = Player.objects.filter(pk__in=[kept.pk, merged.pk]).select_related("merged_into", "user").order_by("pk")
    found = {row.pk: row for row in rows.select_for_update(of=("self",), no_key=True)}
    list(Rating.objects.filter(player__in=found).select_for_update().order_by("id").values_list("id"))
    return found[kept.pk], found[merged.pk]


def _move_play(kept: Player, merged: Player, plan: Plan) -> None:
    """Matches change hands, and whole seasons of which the other has none: exact, so there is nothing to rate."""
    was = Coalesce(F("played_as"), Value(merged.pk), output_field=BigIntegerField())
    Participation.objects.filter(player=merged).update(player=kept, played_as=was)
    Change.objects.filter(player=merged, season__in=plan.seasons).update(player=kept)
    Rating.objects.filter(player=merged, season__in=plan.seasons).update(player=kept, to_publish=True)
    Rating.objects.filter(player=merged).update(to_publish=True)


def _move_forfeits(kept: Player, merged: Player) -> list[int]:
    """The ids of those in which one is put in the other's place."""
    forfeits = _forfeits_of(merged)
    for forfeit in forfeits:
        forfeit.teams = [[kept.pk if pk == merged.pk else pk for pk in team] for team in forfeit.teams]
        if forfeit.player_id == merged.pk:
            forfeit.player = kept
    Forfeit.objects.bulk_update(forfeits, ["teams", "player"], batch_size=500)
    return [forfeit.pk for forfeit in forfeits]


def _move_conduct(kept: Player, merged: Player) -> None:
    """What either did and may not do holds for the one person. Of one occasion both were at, the kept one's stays."""
    same = Incident.objects.filter(player=kept, occasion=OuterRef("occasion"))
    Incident.objects.filter(~Exists(same), player=merged).update(player=kept)
    Ban.objects.filter(player=merged).update(player=kept)
    Appeal.objects.filter(Q(ban__player=kept) | Q(incident__player=kept), player=merged).update(player=kept)
    Rating.objects.filter(player=kept).update(to_publish=True)  # locked above; bans from boards reach them


def _keep_names(kept: Player, merged: Player) -> None:
    """What the merged player is and was called becomes former names; their own rows stay, should it be undone."""
    former = PlayerName.objects.filter(player=merged).order_by("-id").values_list("name", "since")[:MOST]
    names = list(former)[::-1] or [(merged.name, merged.created_at)]
    if not PlayerName.objects.filter(player=kept).exists():  # theirs, before it changes
        names.append((kept.name, kept.created_at))
    PlayerName.objects.bulk_create(PlayerName(player=kept, name=name, since=since) for name, since in names)


def _move_person(kept: Player, merged: Player, now: dt.datetime) -> None:
    """Key and login go over, and what either hid stays hidden. `merged` is left as the row of their key."""
    user = merged.user or kept.user
    kept.hides_matches |= merged.hides_matches
    kept.hides_from_friends |= merged.hides_from_friends
    merged.user, merged.merged_into, merged.hidden_at = None, kept, merged.hidden_at or now
    merged.skeleton, merged.lookalike = "", False  # the one who is kept may take the name
    merged.save(update_fields=["user", "merged_into", "hidden_at", "skeleton", "lookalike"])
    kept.user = user
    kept.save(update_fields=["user", "hides_matches", "hides_from_friends"])
    Player.objects.filter(merged_into=merged).update(merged_into=kept)
