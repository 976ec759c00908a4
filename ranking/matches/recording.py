"""Recording match results: once, whole or not at all. Every way in (API, bulk, files, demo) ends here.

A batch of results is recorded in one transaction of four steps: look up what is known of them, sort out which are new
and sound, write these, follow them up. Each step returns a value to the next one. If a step finds out too late that a
result can't be written, the transaction is tried again without it: see ledger for the protocol. A rehearsal does the
same and is rolled back.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeVar

from django.db import transaction

from ranking.database.bulk_writes import insert_rows
from ranking.database.retries import run_retried
from ranking.matches._ledger import Findings, Pair, TryAgain, Unratable, attempt, record_matches
from ranking.matches._new_matches import leaves_of, new_match, new_record
from ranking.matches.devices import device_uses
from ranking.matches.differences import find_difference
from ranking.matches.forfeits import forfeit_walkover
from ranking.matches.lobbies import Lobbies, find_lobbies, find_over
from ranking.matches.records import MatchRecord, load_records, with_void_reasons
from ranking.models import Match, Player, Source, Void
from ranking.modes.parameters import Rules, rules_in_force
from ranking.modes.unknown_modes import unknown_modes
from ranking.operations import metrics
from ranking.operations.audit import record_act
from ranking.operations.garbage_collection import garbage_collection_paused
from ranking.players.players import ensure_players
from ranking.rules.report import BadReport, Report

T = TypeVar("T")
BATCH_SIZE = 100  # results a transaction

RATED, RECORDED, VOID = "rated", "recorded", "void"
KNOWN, CONFLICT, REFUSED = "known", "conflict", "refused"
LOBBY_HAS_RESULT = "lobby-has-result"


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of one report: rated now, recorded to be rated later (while its mode is being rated anew, or with the
    season that begins at `until`), recorded and void at once, known already, in conflict with what is known, refused,
    or for a lobby that has a result. `record`: of the match; of the recorded one if there is a conflict.

    `differs`: if it is in conflict, the path of a field that does.
    """

    state: str
    record: MatchRecord | None = None
    error: BadReport | None = None
    until: dt.datetime | None = None
    differs: str = ""

    @property
    def is_new(self) -> bool:
        """True for a result that was neither known before nor refused."""
        return self.state in (RATED, RECORDED, VOID)


@dataclass(frozen=True, slots=True)
class Batch:
    """Reports on their way into the database. `elsewhere`: see record_results."""

    reports: Sequence[Report]
    source: Source
    now: dt.datetime
    elsewhere: bool = False


def record_results(
    reports: Sequence[Report], *, source: Source, now: dt.datetime, elsewhere: bool = False
) -> list[Recorded]:
    """Record and rate results in the order given; one answer each, in that order.

    `elsewhere`: they may have been played on another site, so that a lobby that is unknown here is no fault.
    """
    answers: list[Recorded] = []
    for some in _batches(reports):
        batch = Batch(some, source, now, elsewhere)
        with garbage_collection_paused(), metrics.RATING.time():
            answers += attempt(functools.partial(_record_durably, batch))
    metrics.count_results([report.id for report in reports], [answer.state for answer in answers])
    return answers


def rehearse_results(
    reports: Sequence[Report], *, source: Source, now: dt.datetime, look: Callable[[list[Recorded]], T]
) -> T:
    """Do what record_results does, look at its answers, and roll all of it back: nothing stays, nobody hears of it.

    `look` is called before that. From then on the matches, players and ratings have ids that nothing in the database
    has. Returns what `look` does. Takes one batch (is_one_batch): locks of several ones wouldn't be in the order of
    other writers.
    """
    with garbage_collection_paused():
        return run_retried(functools.partial(_rehearse, reports, source, now, look))


@transaction.atomic(durable=True)
def _rehearse(reports: Sequence[Report], source: Source, now: dt.datetime, look: Callable[[list[Recorded]], T]) -> T:
    seen = look(attempt(functools.partial(_record_inside, Batch(reports, source, now))))
    transaction.set_rollback(True)
    return seen


def is_one_batch(reports: Sequence[Report]) -> bool:
    """True if these are recorded in one transaction, or if there are none."""
    return len(list(_batches(reports))) <= 1


def _batches(reports: Sequence[Report]) -> Iterator[Sequence[Report]]:
    """The reports in their order. If a team never came it is alone, so that forfeits are rated in this order, too."""
    start = 0
    for end, report in enumerate(reports):
        absent = any([team.absent for team in report.teams])  # noqa: C419 - half the time of a generator
        if start < end and (absent or end - start == BATCH_SIZE):
            yield reports[start:end]
            start = end
        if absent:
            yield reports[start : end + 1]
            start = end + 1
    if start < len(reports):
        yield reports[start:]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a batch's reports before they are written.

    `rules`: of their modes, by slug; `unknown`: the sentences about modes that don't exist, by slug; `records`: of the
    matches that were recorded under their ids; `lobbies`: those that the others name.
    """

    rules: Mapping[str, Rules]
    unknown: Mapping[str, str]
    records: Mapping[str, MatchRecord]
    lobbies: Lobbies


@transaction.atomic(durable=True)
def _record_durably(batch: Batch, findings: Findings) -> list[Recorded]:
    return _record_batch(batch, findings)


@transaction.atomic
def _record_inside(batch: Batch, findings: Findings) -> list[Recorded]:
    """Record in a savepoint, so that TryAgain undoes this batch only."""
    return _record_batch(batch, findings)


def _record_batch(batch: Batch, findings: Findings) -> list[Recorded]:
    known = _look_up(batch)
    rules, lobbies = known.rules, known.lobbies
    answers = _sort_out(batch, known, findings.refused)
    new = {index: answer.record.match for index, answer in enumerate(answers) if answer.record and answer.is_new}
    if not new:
        return answers
    players, newcomers = ensure_players([batch.reports[index] for index in new], batch.now)
    over = find_over(list(new.values()))
    unrated = findings.unrated | {(own.mode.pk, player) for own in rules.values() for player in newcomers}
    records = _write(batch, rules, new, players, over, unrated)
    recorded = [(batch.reports[index], records[match.external_id]) for index, match in new.items()]
    _follow_up(recorded, over, lobbies, batch.now)
    return [_as_written(answer, records) for answer in answers]


def _look_up(batch: Batch) -> Known:
    modes = {report.mode for report in batch.reports}
    rules = rules_in_force(modes)
    same = Match.objects.filter(source=batch.source, external_id__in={report.id for report in batch.reports})
    ids = list(same.values_list("pk", flat=True))
    matches = with_void_reasons(Match.objects.filter(pk__in=ids)).select_related("mode") if ids else []
    records = {record.match.external_id: record for record in load_records(matches).values()}
    named = {report.lobby for report in batch.reports if report.lobby and report.id not in records}
    lobbies = find_lobbies(named, elsewhere=batch.elsewhere)
    return Known(rules, unknown_modes(modes - rules.keys()), records, lobbies)


def _sort_out(batch: Batch, known: Known, refused: Mapping[int, BadReport]) -> list[Recorded]:
    """Answer each report; those that are new and sound become records without participations."""
    answers: list[Recorded] = []
    seen = dict(known.records)
    new: dict[str, Report] = {}
    for index, report in enumerate(batch.reports):
        answer = _answer(report, batch, known, seen.get(report.id), refused.get(index))
        if answer.state == CONFLICT:  # or it is the same but for names and the order of players
            differs = _difference(report, known.rules, new.get(report.id) or seen[report.id])
            answer = replace(answer, state=CONFLICT if differs else KNOWN, differs=differs)
        if answer.record is not None and answer.state != LOBBY_HAS_RESULT:
            seen[report.id] = answer.record
        if answer.is_new:
            new[report.id] = report
        answers.append(answer)
    return answers


def _difference(report: Report, rules: Mapping[str, Rules], known: MatchRecord | Report) -> str:
    own = rules.get(report.mode)
    return find_difference(report, None if own is None else own.mode, known)


def _answer(
    report: Report,
    batch: Batch,
    known: Known,
    same: MatchRecord | None,
    refused: BadReport | None,
) -> Recorded:
    """The answer to a report. `same`: what is recorded, or comes earlier in the batch, under its id."""
    if refused is not None:
        return Recorded(REFUSED, error=refused)
    own = known.rules.get(report.mode)
    if same is not None:
        state, record = KNOWN if same.match.digest == report.digest() else CONFLICT, same
    elif own is None:
        return Recorded(REFUSED, error=BadReport("mode", known.unknown[report.mode], "unknown"))
    else:
        try:
            match = new_match(report, own, batch.source, batch.now)
            recorded = known.lobbies.claim(match)
        except BadReport as error:
            return Recorded(REFUSED, error=error)
        if recorded is not None:
            return Recorded(LOBBY_HAS_RESULT, MatchRecord(recorded, []))
        state, record = RECORDED if own.waits(report.ended_at) else RATED, MatchRecord(match, [])
    waits = own is not None and record.match.event_id is None
    return Recorded(state, record, until=own.waits_until(report.ended_at) if own and waits else None)


def _write(
    batch: Batch,
    rules: Mapping[str, Rules],
    new: Mapping[int, Match],
    players: Mapping[str, Player],
    over: Mapping[str, str],
    unrated: Set[Pair],
) -> dict[str, MatchRecord]:
    """Write the new matches, by their reports' index, and their players; returns the records by the sender's id.

    Those that count and don't wait are rated; of a walkover, those who never came, unless its lobby was over before,
    which costs nobody anything more. `over`: why such lobbies make their results void.
    """
    fresh: dict[int, MatchRecord] = {}
    for index, match in new.items():
        try:
            report, why = batch.reports[index], over.get(match.lobby, "")
            fresh[index] = new_record(match, report, rules[match.mode.slug], players, over=why)
        except BadReport as error:
            raise TryAgain(Findings(refused={index: error})) from error
    by_mode = {own.mode.pk: own for own in rules.values()}
    try:
        written = record_matches(list(fresh.values()), by_mode, now=batch.now, unrated=unrated)
    except Unratable as error:
        index = next(index for index, record in fresh.items() if record is error.record)
        raise TryAgain(Findings(refused={index: BadReport("teams", str(error.reason))})) from error
    for record in written:
        if _has_forfeits(record.match, over):
            forfeit_walkover(record, by_mode[record.match.mode_id], now=batch.now, unrated=unrated)
    return {record.match.external_id: record for record in written}


def _has_forfeits(match: Match, over: Mapping[str, str]) -> bool:
    """True if those who never came have forfeited the match."""
    return match.uncounted == Match.WALKOVER and not over.get(match.lobby)


def _follow_up(
    recorded: Sequence[tuple[Report, MatchRecord]], over: Mapping[str, str], lobbies: Lobbies, now: dt.datetime
) -> None:
    """Tell other apps of new results that name a lobby; write what goes with results: leaves, devices, voids.

    Void results were never rated, so nothing is rated anew. A lobby that was over has had its punishments: its result
    adds no leaves.
    """
    matches = [record.match for _, record in recorded]
    void_matches = [match for match in matches if match.is_void]
    settled = {match.lobby for match in void_matches if not _has_forfeits(match, over)}
    ended = lobbies.follow_up(matches, settled, now)
    leaves = [leave for _, record in recorded if record.match.lobby not in ended for leave in leaves_of(record)]
    uses = device_uses(recorded)
    insert_rows(leaves)
    insert_rows(uses)
    insert_rows([Void(match=match, voided_at=now, reason=match.void_reason) for match in void_matches])
    for match in void_matches:
        record_act("void", f"match {match.external_id}", by=None, reason=match.void_reason, now=now)


def _as_written(answer: Recorded, records: Mapping[str, MatchRecord]) -> Recorded:
    """The answer with the record as it is written, if it is one of these: by the sender's id."""
    if answer.record is None or answer.record.match.pk is not None:  # it was recorded before
        return answer
    if (record := records.get(answer.record.match.external_id)) is None:
        return answer
    return replace(answer, record=record, state=VOID if answer.is_new and record.match.is_void else answer.state)
