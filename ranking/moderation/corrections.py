"""Corrects a wrong result: the right one takes its place in the history, and what came after is rated anew.

The wrong match stays, void, under its sender's id, so that a server which sends it again changes nothing. The right one
is a match of its own, of the same source, mode and lobby. Of a result and its corrections at most one counts.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import replace

from django.contrib.auth.models import User
from django.db import transaction

from ranking import hooks
from ranking.database import locks
from ranking.database.bulk_writes import insert_rows
from ranking.database.retries import retried
from ranking.matches.differences import find_difference
from ranking.matches.records import is_void, load_records, with_voids
from ranking.matches.replacing import chains_of, corrected_id, give_place, write_replacement
from ranking.models import Match, Rerating, Void
from ranking.moderation.restoring import RestoreRefused
from ranking.modes.parameters import Rules, rules_in_force
from ranking.modes.row_locks import lock_modes
from ranking.operations.audit import check_reason, record_act
from ranking.rerating.reratings import request_rerating
from ranking.rules.report import BadReport, Report


class CorrectionRefused(Exception):
    """A match can't be corrected; the message is a sentence for the moderator."""


@retried
@transaction.atomic
def correct_match(
    match: Match, report: Report, *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> Match:
    """Correct a match: return the match that has its place now. The same correction again changes nothing.

    The match keeps its mode and lobby, whatever the report says of them. Raises BadReport for a result that can't be
    recorded, CorrectionRefused, and ValueError without a reason.
    """
    check_reason(reason)
    locks.share_modes([match.mode.slug])
    lock_modes([match.mode_id])
    rules = rules_in_force([match.mode.slug])[match.mode.slug]
    old = with_voids(Match.objects.select_related("mode", "source")).get(pk=match.pk)
    report = replace(report, id=corrected_id(old), mode=old.mode.slug, lobby=old.lobby)
    [chain] = chains_of([old.pk]) or [[old]]
    if (same := _find_same(old, chain, report)) is not None:
        return same
    if objection := find_objection(old, chain, rules):
        raise CorrectionRefused(objection)
    _check_season(old, report)
    new = write_replacement(old, report, rules, replaces=chain[-1], now=now)
    insert_rows([Void(match=old, voided_at=now, by=by, reason=reason, note=note)])
    record_act("correct", f"match {old.external_id}", by=by, reason=reason, note=note, now=now)
    for follow in hooks.REPLACEMENT_FOLLOWERS.functions():
        follow(old, new, now)
    _rate_anew(new, f"corrected: match {old.external_id}", by, now)
    return new


def find_objection(match: Match, chain: list[Match] | None = None, rules: Rules | None = None) -> str:
    """A sentence why a match, loaded with its `is_void`, can't be corrected now; "" if it can.

    `chain`: the match with all that it corrects and that correct it. `rules`: those in force.
    """
    if match.uncounted:
        return (
            "This match never counted, so it has no place in the history: send the right result under another id, and"
            " without a lobby."
        )
    if match.is_void:
        chain = (chains_of([match.pk]) or [[match]])[0] if chain is None else chain
        valid = Match.objects.filter(~is_void(), pk__in=[one.pk for one in chain]).first()
        if valid is not None:
            return f"This match was corrected already: correct match {valid.pk}, which has its place."
        return "This match is void: restore it first."
    rules = rules or rules_in_force([match.mode.slug])[match.mode.slug]
    if rules.lease == Rerating.SEASON_END:
        return f"{rules.mode.name} is {Rerating.DOING[rules.lease]} at this moment. Try again when that is done."
    return ""


def _find_same(old: Match, chain: list[Match], report: Report) -> Match | None:
    """The match that has the old one's place, if it is this result already. Raises CorrectionRefused if that is the old
    one itself.
    """
    after = [one.pk for one in chain[[one.pk for one in chain].index(old.pk) :]]
    valid = Match.objects.filter(~is_void(), pk__in=after).select_related("mode").first()
    if valid is None or find_difference(report, valid.mode, load_records([valid])[valid.pk]):
        return None
    if valid.pk == old.pk:
        raise CorrectionRefused("This is the result as it is recorded: change what is wrong.")
    return valid


def _check_season(old: Match, report: Report) -> None:
    """Raise BadReport if the corrected match ended after the season in which the old one is rated."""
    ends_at = None if old.season is None else old.season.ends_at
    if ends_at is not None and report.ended_at >= ends_at > old.ended_at:
        raise BadReport("ended_at", f"The season of this match ended before that, at {ends_at:%Y-%m-%d %H:%M} UTC.")


def reinstate(restored: Iterable[Match], *, by: User | None, now: dt.datetime) -> None:
    """Give matches that were just restored the place that a correction of theirs had taken, or they had taken.

    Inside the caller's transaction, which holds their modes. Raises RestoreRefused if two of a chain would count.
    """
    matches = {match.pk: match for match in restored}
    for chain in chains_of(matches):
        valid = list(Match.objects.filter(~is_void(), pk__in=[one.pk for one in chain]).order_by("pk"))
        if len(valid) > 1:
            first, last = valid[0], valid[-1]
            raise RestoreRefused(
                f"Match {first.pk} ({first.external_id}) was corrected by match {last.pk} ({last.external_id}):"
                " only one of them may count. Void the other one first."
            )
        [own] = [matches[one.pk] for one in valid]
        holder = next((one for one in chain if one.event_id is not None), None)
        if holder is not None and holder.pk != own.pk:
            give_place(holder, own)
            for follow in hooks.REPLACEMENT_FOLLOWERS.functions():
                follow(holder, own, now)
            _rate_anew(own, f"restored: match {own.external_id}", by, now)


def _rate_anew(match: Match, reason: str, by: User | None, now: dt.datetime) -> None:
    since = Rerating.NEVER if match.event_id is None else match.event_id
    request_rerating(match.mode, since=since, learn_anew=match.event_id is not None, reason=reason, by=by, now=now)
