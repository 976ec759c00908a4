"""Splits two players who were merged: each gets back what was theirs, as `Merge.taken` and the ledger say."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, cast

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Min, Q, QuerySet

from ranking import hooks
from ranking.database import locks
from ranking.database.retries import retried
from ranking.models import ClaimCode, Event, Forfeit, Merge, Mode, Participation, Seed
from ranking.moderation.merged_rows import forfeits_of, return_rows
from ranking.moderation.merges import MergeRefused, find_rerating, lock_players
from ranking.modes.row_locks import lock_modes
from ranking.modes.season_entries import entry_before
from ranking.operations.audit import check_reason, record_act
from ranking.rerating.reratings import request_rerating


@dataclass(frozen=True, slots=True)
class SplitPreview:
    """What a split will do, in sentences. With an `objection` there are no consequences."""

    merge: Merge
    objection: str
    consequences: list[str]


@retried
@transaction.atomic
def split_players(merge: Merge, *, by: User | None, reason: str, now: dt.datetime, note: str = "") -> Merge:
    """Lift the merge: `merged` is a player of their own again. Modes in which both were rated are rated anew.

    Only moderators read `note`. Raises MergeRefused; ValueError without a reason.
    """
    check_reason(reason)
    modes = dict(Mode.objects.values_list("pk", "slug"))
    locks.hold_modes(modes.values())  # no result is being recorded
    lock_modes(modes)
    # A code for either key was made for the kept player. Codes are locked before players.
    ClaimCode.objects.filter(player=merge.kept_id).delete()
    kept, merged = lock_players(merge.kept, merge.merged)
    merge = Merge.objects.select_for_update(of=("self",)).get(pk=merge.pk)
    merge.kept, merge.merged = kept, merged
    if objection := find_objection(merge, now):
        raise MergeRefused(objection)
    anew = _sequences(merge)
    return_rows(kept, merged, _taken(merge))
    merge.lifted_at, merge.lifted_by, merge.lift_reason = max(now, merge.merged_at), by, reason.strip()
    merge.lift_note, merge.taken = note, None  # what was taken is given back
    merge.save(update_fields=["lifted_at", "lifted_by", "lift_reason", "lift_note", "taken"])
    cause = f"player {merged.pk} split from {kept.pk}"
    for player in (kept, merged):
        record_act("split", cause, player=player, by=by, reason=merge.lift_reason, note=note, now=now)
    for mode in Mode.objects.filter(pk__in=anew).order_by("pk"):
        request_rerating(mode, since=anew[mode.pk], reason=cause, by=by, now=now)
    return merge


def find_objection(merge: Merge, now: dt.datetime) -> str:
    """A sentence why the two can't be split; "" if they can."""
    kept, merged = merge.kept, merge.merged
    if merge.lifted_at is not None:
        return f"{merged.name} was split from {kept.name} already."
    if kept.anonymised_at is not None:
        return f"{kept.name} has left for good, and {merged.name} with them."
    if merge.taken is None:
        return "They were merged before merges kept a record of what went over, so they can't be split."
    if merged.merged_into_id != kept.pk:
        return f"{kept.name} was merged into {kept.owner.name} afterwards: split those two first."
    later = Merge.objects.filter(kept=kept, lifted_at=None, pk__gt=merge.pk).select_related("merged")
    if last := later.order_by("-pk").first():
        return f"{last.merged.name} was merged into {kept.name} afterwards: split those two first."
    return _find_play(merge, now) or find_rerating(kept)


def _taken(merge: Merge) -> dict[str, Any]:
    return cast("dict[str, Any]", merge.taken)


def _find_play(merge: Merge, now: dt.datetime) -> str:
    """A sentence if either player has played since the merge, or plays now; else ""."""
    kept, merged, taken = merge.kept, merge.merged, _taken(merge)
    rated_since = Q(pk__in=taken.get("unrated_parts", []), match__event__isnull=False)
    since = Participation.objects.filter(Q(pk__gt=taken["last_part"]) | rated_since, player=kept)
    if part := since.select_related("match__source").order_by("pk").first():
        who = merged if part.played_as_id is not None else kept
        came = "recorded" if part.pk > taken["last_part"] else "rated"
        return f"{who.name} has played since: match {part.match} was {came} after the merge."
    for forfeit in forfeits_of(kept):
        is_rated_since = forfeit.event_id is not None and forfeit.pk in taken.get("unrated_forfeits", [])
        if forfeit.pk > taken["last_forfeit"] or is_rated_since:
            return f"{kept.name} has been in lobby {forfeit.lobby} since, which ended with a forfeit."
    for find_running in hooks.LOCK_INS.functions():
        if find_running([kept.pk], now):
            return f"A match of {kept.name} is running."
    return ""


def _sequences(merge: Merge) -> dict[int, int]:
    """By mode's id, the sequence from which the mode is rated anew: that of the first step of history given back.

    A step that nobody else's ratings rest on doesn't count: one of a season that only the merged player had, in a mode
    without earlier seasons. With earlier seasons, either player's resets may rest on any step.
    """
    taken = _taken(merge)
    played = [merge.merged_id, *taken["person"]["aliases"]]
    several = Mode.objects.filter(seasons__current=False).values("pk")
    steps: list[tuple[QuerySet[Any], str]] = [
        (Participation.objects.filter(player=merge.kept, played_as__in=played), "match__"),
        (Forfeit.objects.filter(pk__in=taken["forfeits"]), ""),
        (Seed.objects.filter(pk__in=taken.get("seeds", [])), ""),
    ]
    anew: dict[int, int] = {}
    for rows, path in steps:
        shared = Q(**{f"{path}mode__in": several}) | ~Q(**{f"{path}season__in": taken["seasons"]})
        rated = rows.filter(shared, **{f"{path}event__isnull": False}).order_by()
        first = rated.values(f"{path}mode").annotate(first=Min(f"{path}event"))
        for mode, event in first.values_list(f"{path}mode", "first"):
            anew[mode] = min(event, anew.get(mode, event))
    return {mode: entry_before(mode, event) for mode, event in anew.items()}


def preview_split(merge: Merge, now: dt.datetime) -> SplitPreview:
    """Preview the split; nothing is changed."""
    objection = find_objection(merge, now)
    return SplitPreview(merge, objection, [] if objection else _consequences(merge))


def _consequences(merge: Merge) -> list[str]:
    kept, merged, taken = merge.kept, merge.merged, _taken(merge)
    played_as = [merged.pk, *taken["person"]["aliases"]]
    played = Participation.objects.filter(player=kept, played_as__in=played_as).count()
    matches = "1 match becomes" if played == 1 else f"{played:,} matches become"
    sentences = [f"{matches} {merged.name}’s again, and so does any later result that names the key {merged.key}."]
    anew = _sequences(merge)
    events = Event.objects.in_bulk(anew.values())
    for mode in Mode.objects.filter(pk__in=anew).order_by("name"):
        since = events[anew[mode.pk]].happened_at
        sentences.append(
            f"{mode.name} is rated anew from {since:%-d %B %Y} on, {merged.name}’s first match, within minutes: ratings"
            " of those who played with or against either may change a little."
        )
    if kept.user is not None and kept.user_id == taken["person"]["login"]:
        sentences.append(f"The login {kept.user.get_username()} becomes {merged.name}’s again; {kept.name} has none.")
    hidden = " stays off every board, as before." if taken["person"]["hidden_at"] else " is back on the boards."
    sentences.append(merged.name + hidden)
    sentences.append(
        "Incidents, bans, followers, blocks, achievements and notices that were handed over go back. What came after"
        f" the merge stays with {kept.name}."
    )
    return sentences
