"""Merges players: one person's second account becomes part of the account that is kept.

The kept player takes over the merged player's key and matches, while locks keep new results out. If both were rated in
a season, its mode is rated anew; until then its pages show the old ratings.
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
from ranking.modes.row_locks import lock_modes
from ranking.operations.audit import record_act
from ranking.players.renames import MOST
from ranking.rerating.reratings import request_rerating


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
    kept, merged = _lock(kept, merged)
    if objection := find_objection(kept, merged):
        raise MergeRefused(objection)
    plan = plan_merge(kept, merged)
    _move_matches(kept, merged, plan)
    forfeits = _move_forfeits(kept, merged)
    _move_conduct(kept, merged)
    _keep_names(kept, merged)
    merge_devices(kept, merged)
    merge_findings(kept, merged)
    for merge_rows in hooks.MERGERS.functions():
        merge_rows(kept, merged)
    _move_person(kept, merged, now)
    merge = Merge.objects.create(
        kept=kept, merged=merged, by=by, reason=reason.strip(), note=note, merged_at=now, forfeits=forfeits,
        sequence=Event.objects.aggregate(last=Max("id"))["last"] or 0,
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
    return _find_rerating(merged)


def _find_rerating(merged: Player) -> str:
    """A sentence if a mode of the player is being rated anew; else ""."""
    rated = Rating.objects.filter(player=merged).values("mode")
    concerned = Q(pk__in=rated) | Q(pk__in=Participation.objects.filter(player=merged).values("match__mode"))
    leased = Mode.objects.filter(concerned, lease__isnull=False).order_by("name").values_list("name", flat=True)
    if names := ", ".join(leased):
        return f"{names}: being rated anew at this moment. Try again when that is done."
    return ""


def plan_merge(kept: Player, merged: Player) -> Plan:
    """What merging the two will do to ratings."""
    seasons = set(Rating.objects.filter(player=merged).values_list("season", flat=True))
    shared = seasons & set(Rating.objects.filter(player=kept).values_list("season", flat=True))
    parts = Participation.objects.filter(player=merged, match__season__in=shared).order_by()
    first = parts.values("match__mode").annotate(first=Min("match__event")).values_list("match__mode", "first")
    anew = dict(first)
    for forfeit in _forfeits_of(merged):
        if forfeit.season_id in shared and forfeit.event_id is not None:
            anew[forfeit.mode_id] = min(forfeit.event_id, anew.get(forfeit.mode_id, forfeit.event_id))
    return Plan(sorted(seasons - shared), anew)


def _forfeits_of(player: Player) -> list[Forfeit]:
    """Forfeits with the player in a team. It reads all forfeits without an index; there are few."""
    texts = Forfeit.objects.annotate(text=Cast("teams", TextField())).filter(text__contains=str(player.pk))
    return [forfeit for forfeit in texts.order_by("pk") if any(player.pk in team for team in forfeit.teams)]


def _lock(kept: Player, merged: Player) -> tuple[Player, Player]:
    """Lock both players, then their ratings, as the ledger does. Return the players as they are now."""
    rows = Player.objects.filter(pk__in=[kept.pk, merged.pk]).select_related("merged_into", "user").order_by("pk")
    locked = {row.pk: row for row in rows.select_for_update(of=("self",), no_key=True)}
    list(Rating.objects.filter(player__in=locked).select_for_update().order_by("id").values_list("id"))
    return locked[kept.pk], locked[merged.pk]


def _move_matches(kept: Player, merged: Player, plan: Plan) -> None:
    """Give matches to the kept player, and the ratings of seasons that only the merged player has."""
    original = Coalesce(F("played_as"), Value(merged.pk), output_field=BigIntegerField())
    Participation.objects.filter(player=merged).update(player=kept, played_as=original)
    Change.objects.filter(player=merged, season__in=plan.seasons).update(player=kept)
    Rating.objects.filter(player=merged, season__in=plan.seasons).update(player=kept, to_publish=True)
    Rating.objects.filter(player=merged).update(to_publish=True)


def _move_forfeits(kept: Player, merged: Player) -> list[int]:
    """Put the kept player in the merged player's place in forfeits. Return the ids of these forfeits."""
    forfeits = _forfeits_of(merged)
    for forfeit in forfeits:
        forfeit.teams = [[kept.pk if pk == merged.pk else pk for pk in team] for team in forfeit.teams]
        if forfeit.player_id == merged.pk:
            forfeit.player = kept
    Forfeit.objects.bulk_update(forfeits, ["teams", "player"], batch_size=500)
    return [forfeit.pk for forfeit in forfeits]


def _move_conduct(kept: Player, merged: Player) -> None:
    """Give incidents, bans and appeals to the kept player. Of one occasion only the kept player's counts."""
    same = Incident.objects.filter(player=kept, occasion=OuterRef("occasion"))
    Incident.objects.filter(~Exists(same), player=merged).update(player=kept)
    Ban.objects.filter(player=merged).update(player=kept)
    Appeal.objects.filter(Q(ban__player=kept) | Q(incident__player=kept), player=merged).update(player=kept)
    Rating.objects.filter(player=kept).update(to_publish=True)  # bans from boards apply to them now


def _keep_names(kept: Player, merged: Player) -> None:
    """Copy the merged player's names to the kept player's former names. The rows stay, in case the merge is undone."""
    former = PlayerName.objects.filter(player=merged).order_by("-id").values_list("name", "since")[:MOST]
    names = list(former)[::-1] or [(merged.name, merged.created_at)]
    if not PlayerName.objects.filter(player=kept).exists():  # the present name, before it may change
        names.append((kept.name, kept.created_at))
    PlayerName.objects.bulk_create(PlayerName(player=kept, name=name, since=since) for name, since in names)


def _move_person(kept: Player, merged: Player, now: dt.datetime) -> None:
    """Give the kept player the login, and hide what either player hid. The row `merged` stays, with its key."""
    user = merged.user or kept.user
    kept.hides_matches |= merged.hides_matches
    kept.hides_from_friends |= merged.hides_from_friends
    merged.user, merged.merged_into, merged.hidden_at = None, kept, merged.hidden_at or now
    merged.skeleton, merged.lookalike = "", False  # the kept player may take the name
    merged.save(update_fields=["user", "merged_into", "hidden_at", "skeleton", "lookalike"])
    kept.user = user
    kept.save(update_fields=["user", "hides_matches", "hides_from_friends"])
    Player.objects.filter(merged_into=merged).update(merged_into=kept)
