"""Recording match results: once, whole or not at all. Every way in (API, bulk, files, demo) ends here.

A batch of results is recorded in one transaction of four steps: look up what is known of them, sort out which are new
and sound, write these, follow them up. One value goes through all steps, the Batch. If a step finds out too late that
a result can't be written, the transaction is tried again without it: see rating_locks for the protocol.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from django.db import transaction

from ranking import hooks
from ranking.database.bulk_writes import insert_rows
from ranking.matches import ledger
from ranking.matches.devices import note_devices
from ranking.matches.new_matches import check_owners, check_report, match_of, parts_of
from ranking.matches.rating_locks import Pair, TryAgain, attempt
from ranking.matches.records import MatchRecord, load_records, with_voids
from ranking.models import Match, Source, Void
from ranking.modes.parameters import Rules, rules_in_force
from ranking.operations import metrics
from ranking.operations.audit import record_act
from ranking.players.players import ensure_players
from ranking.rules.report import BadReport, Report

BATCH = 100  # results a transaction

RATED, RECORDED, VOID = "rated", "recorded", "void"
KNOWN, CONFLICT, REFUSED = "known", "conflict", "refused"


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of one report: rated now, recorded to be rated later (while its mode is being rated anew, or with the
    season that begins at `until`), recorded and void at once, known already, in conflict with what is known, or
    refused.
    """

    state: str
    record: MatchRecord | None = None
    error: BadReport | None = None
    until: dt.datetime | None = None


@dataclass(slots=True)
class Batch:
    """Reports on their way into the database. What the steps add of each is kept by the report's index."""

    reports: Sequence[Report]
    source: Source
    now: dt.datetime
    # What the batch has learned for the next attempt:
    refused: dict[int, BadReport] = field(default_factory=dict)
    unrated: set[Pair] = field(default_factory=set)
    # What each attempt looks up and sorts out anew:
    rules: Mapping[str, Rules] = field(default_factory=dict)  # by the mode's slug
    known: dict[str, MatchRecord] = field(default_factory=dict)  # by the sender's id
    fresh: dict[int, MatchRecord] = field(default_factory=dict)
    void: Mapping[str, str] = field(default_factory=dict)  # why, by the lobby that the result names

    def refuse(self, index: int, error: BadReport) -> NoReturn:
        """Try the batch again without this report."""
        self.refused[index] = error
        raise TryAgain


def record_results(reports: Sequence[Report], *, source: Source, now: dt.datetime) -> list[Recorded]:
    """Record and rate results in the order given; one answer each, in that order."""
    answers: list[Recorded] = []
    for start in range(0, len(reports), BATCH):
        batch = Batch(reports[start : start + BATCH], source, now)
        with metrics.RATING.time():
            answers += attempt(functools.partial(_record_batch, batch))
    metrics.count_results([report.id for report in reports], [answer.state for answer in answers])
    return answers


@transaction.atomic(durable=True)
def _record_batch(batch: Batch) -> list[Recorded]:
    _look_up(batch)
    answers = _sort_out(batch)
    if batch.fresh:
        _write(batch)
        _follow_up(batch)
    return [_voided(answer) for answer in answers]


def _look_up(batch: Batch) -> None:
    """Read the rules of the reports' modes, and the matches that were recorded under the reports' ids."""
    batch.rules = rules_in_force({report.mode for report in batch.reports})
    same = Match.objects.filter(source=batch.source, external_id__in={report.id for report in batch.reports})
    ids = list(same.values_list("pk", flat=True))
    matches = with_voids(Match.objects.filter(pk__in=ids)).select_related("mode") if ids else []
    batch.known = {record.match.external_id: record for record in load_records(matches).values()}


def _sort_out(batch: Batch) -> list[Recorded]:
    """Answer each report; those that are new and sound become records without participations."""
    batch.fresh = {}
    return [_answer(batch, index, report) for index, report in enumerate(batch.reports)]


def _answer(batch: Batch, index: int, report: Report) -> Recorded:
    if index in batch.refused:
        return Recorded(REFUSED, error=batch.refused[index])
    if (known := batch.known.get(report.id)) is not None:
        state = KNOWN if known.match.digest == report.digest() else CONFLICT
        return Recorded(state, known, until=None if known.match.event_id else _until(batch, report))
    try:
        check_report(report, batch.rules, batch.now)
    except BadReport as error:
        return Recorded(REFUSED, error=error)
    rules = batch.rules[report.mode]
    record = MatchRecord(match_of(report, rules.mode, batch.source, batch.now), [])
    batch.fresh[index] = batch.known[report.id] = record
    if rules.waits(report.ended_at):
        return Recorded(RECORDED, record, until=_until(batch, report))
    return Recorded(RATED, record)


def _until(batch: Batch, report: Report) -> dt.datetime | None:
    return batch.rules[report.mode].waits_until(report.ended_at) if report.mode in batch.rules else None


def _voided(answer: Recorded) -> Recorded:
    fresh_and_void = answer.state in (RATED, RECORDED) and answer.record is not None and answer.record.match.is_void
    return replace(answer, state=VOID) if fresh_and_void else answer


def _write(batch: Batch) -> None:
    """Write the new matches and their players; rate those that count and don't wait."""
    batch.void = _ask_voiders(batch)
    players, newcomers = ensure_players([batch.reports[index] for index in batch.fresh], batch.now)
    for index, record in batch.fresh.items():
        report = batch.reports[index]
        try:
            check_owners(report, players)
        except BadReport as error:
            batch.refuse(index, error)
        record.parts = parts_of(report, record.match.mode, players)
    rules = {each.mode.pk: each for each in batch.rules.values()}
    batch.unrated |= {(mode_id, player) for mode_id in rules for player in newcomers}
    for record in batch.fresh.values():
        record.match.is_void = record.match.lobby in batch.void
    fresh = list(batch.fresh.values())
    try:
        ledger.rate_matches(
            [each for each in fresh if _is_rated_now(each, rules)], rules, now=batch.now, unrated=batch.unrated
        )
        ledger.record_matches([each for each in fresh if not _is_rated_now(each, rules)], rules)
    except ledger.Unratable as error:
        index = next(index for index, record in batch.fresh.items() if record is error.record)
        batch.refuse(index, BadReport("teams", str(error.reason)))


def _is_rated_now(record: MatchRecord, rules: Mapping[int, Rules]) -> bool:
    match = record.match
    return not match.is_void and not rules[match.mode_id].waits(match.ended_at)


def _follow_up(batch: Batch) -> None:
    note_devices((batch.reports[index], record) for index, record in batch.fresh.items())
    _void(batch)
    _tell_followers([record.match for record in batch.fresh.values()], batch.now)
    if _ask_voiders(batch) != batch.void:  # a lobby was closed as lost meanwhile
        raise TryAgain


def _ask_voiders(batch: Batch) -> dict[str, str]:
    """Which new results are void as they come, and why, by the lobby that they name; see settings.RESULT_VOIDERS."""
    played = [record.match for record in batch.fresh.values() if record.match.lobby]
    voiders = hooks.RESULT_VOIDERS.functions() if played else []
    return {lobby: reason for find_void in voiders for lobby, reason in find_void(played).items()}


def _void(batch: Batch) -> None:
    """Void the new results that count for nothing. They were never rated, so nothing is rated anew."""
    matches = [record.match for record in batch.fresh.values() if record.match.is_void]
    if matches:
        insert_rows([Void(match=match, voided_at=batch.now, reason=batch.void[match.lobby]) for match in matches])
    for match in matches:
        record_act("void", f"match {match.external_id}", by=None, reason=batch.void[match.lobby], now=batch.now)


def _tell_followers(matches: Sequence[Match], now: dt.datetime) -> None:
    """Tell other apps of results that name a lobby, at once; see settings.RESULT_FOLLOWERS."""
    if played := [match for match in matches if match.lobby]:
        for follow in hooks.RESULT_FOLLOWERS.functions():
            follow(played, now)
