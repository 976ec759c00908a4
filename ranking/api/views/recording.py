"""Records results that a key sends, and answers each. Used for one result and for many."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, PermissionDenied, ValidationError
from rest_framework.request import Request

from ranking.api.answers import RecordedResult, RecordedSerializer
from ranking.api.authentication import get_key, slugs_of
from ranking.api.base import sees_everything
from ranking.api.pagination import QuerySerializer, read_query
from ranking.matches.doubles import NONE, Doubles, find_doubles
from ranking.matches.lobbies import SAME_ROSTER, RosterDifference, compare_rosters, conflict_sentence
from ranking.matches.recording import (
    BATCH_SIZE,
    CONFLICT,
    KNOWN,
    LOBBY_HAS_RESULT,
    Recorded,
    is_one_batch,
    record_results,
    rehearse_results,
)
from ranking.models import Match
from ranking.players.visibility import revealed
from ranking.rules.plausibility import doubts_about
from ranking.rules.report import Report
from ranking.validation.match_report import read_report
from ranking.validation.problems import code_of, problem, validation_problem

Answer = tuple[int, dict[str, object]]  # a status and its body


class RecordQuery(QuerySerializer):
    dry_run = serializers.BooleanField(
        default=False,
        help_text="1: answer as if this were recorded and rated, and write nothing. No Idempotency-Key is looked at.",
        error_messages={"invalid": "Send 1 for a dry run, or leave it out."},
    )


@dataclass(frozen=True, slots=True)
class Compared:
    """How matches differ from their lobbies, and which others are alike or overlap, by the match's id.

    `rehearsed`: the ids of matches that a dry run didn't record.
    """

    rosters: Mapping[int, RosterDifference]
    doubles: Mapping[int, Doubles]
    rehearsed: Collection[int] = ()

    def number_of(self, match: Match) -> int | None:
        """The number by which the match is told; None if a dry run didn't record it."""
        return None if match.pk in self.rehearsed else match.pk

    def doubles_of(self, match: Match) -> Doubles:
        """The matches that are alike or overlap, without those that a dry run didn't record."""
        doubles = self.doubles.get(match.pk, NONE)
        numbers = (doubles.alike, doubles.overlaps)
        return Doubles(*(tuple(number for number in some if number not in self.rehearsed) for some in numbers))


def record_all(items: list[Any], request: Request) -> list[Answer]:
    """Record the valid results in their order, or rehearse it if the query says so; return the answer to each item."""
    key = get_key(request)
    allowed = slugs_of(key)
    reports = [_read(item, allowed, request) for item in items]
    valid = [report for report in reports if isinstance(report, Report)]
    dry = read_query(request, RecordQuery)["dry_run"]
    now = timezone.now()
    if dry:
        if not is_one_batch(valid):
            sentence = f"A dry run takes up to {BATCH_SIZE} results, and one with an absent team alone."
            raise ValidationError({"matches": [ErrorDetail(sentence, "length")]})
        results, compared = rehearse_results(
            valid, source=key.source, now=now, look=lambda results: (results, _compare(results))
        )
        new = {result.record.match.pk for result in results if result.record and result.is_new}
        compared = replace(compared, rehearsed=new)
    else:
        results = record_results(valid, source=key.source, now=now)
        # Afterwards, so that no lock waits, and so that of alike results sent at once, one answer names the other.
        compared = _compare(results)
    recorded = iter(results)
    return [
        _answer(next(recorded), report, compared, request, dry=dry) if isinstance(report, Report) else report
        for report in reports
    ]


def _compare(results: list[Recorded]) -> Compared:
    answered = [result.record for result in results if result.record and (result.is_new or result.state == KNOWN)]
    return Compared(compare_rosters(answered), find_doubles(answered))


def _read(item: object, allowed: frozenset[str] | None, request: Request) -> Report | Answer:
    """A report, or the answer that refuses the item."""
    try:
        report = read_report(item)
        check_may_report(report, allowed)
    except ValidationError as error:
        return 400, validation_problem(error, request)
    except PermissionDenied as error:
        return 403, problem(code_of(error), str(error.detail), request)
    return report


def check_may_report(report: Report, allowed: frozenset[str] | None) -> None:
    """Raise PermissionDenied if the key isn't for the report's mode. None: the key is for every mode."""
    if allowed is not None and report.mode not in allowed:
        raise PermissionDenied(f"This key isn't for the mode {report.mode!r}.", "other-mode")


def _answer(recorded: Recorded, report: Report, compared: Compared, request: Request, *, dry: bool) -> Answer:
    if recorded.record is None:
        assert recorded.error is not None  # noqa: S101 - refused
        return 400, validation_problem(recorded.error, request)
    match = recorded.record.match
    if recorded.state == CONFLICT:
        sentence = (
            f"Another result is recorded as {match.external_id!r}: {recorded.differs} differs. Nothing was changed."
            " Give each match an id of its own; have a wrong result corrected, and don't send it again."
        )
        return 409, problem("result-differs", sentence, request)
    if recorded.state == LOBBY_HAS_RESULT:
        sentence = conflict_sentence(match, compared.number_of(match))
        return 409, problem(LOBBY_HAS_RESULT, f"{sentence} Nothing was changed.", request)
    if sees_everything(request, match.mode.slug):
        match.mode = revealed(match.mode)
    bots = {player.id for _, _, player in report.players() if player.bot}
    names = {player.id: player.name for _, _, player in report.players()}
    waits = match.event_id is None and not match.is_void
    result = RecordedResult(
        record=recorded.record,
        number=compared.number_of(match),
        roster=compared.rosters.get(match.pk, SAME_ROSTER),
        doubles=compared.doubles_of(match),
        bots=bots,
        names=names,
        doubts=list(doubts_about(report, least_is_best=match.mode.least_is_best)),
        until=recorded.until if waits else None,
        dry_run=dry or None,
    )
    return 202 if waits else 200 if recorded.state == KNOWN else 201, RecordedSerializer.fill(result)
