"""Records results that a key sends, and answers each. Used for one result and for many."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils import timezone
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request

from ranking.api.answers import recorded_data
from ranking.api.authentication import slugs_of
from ranking.api.base import sees_everything
from ranking.matches.doubles import NONE, Doubles, find_doubles
from ranking.matches.lobbies import SAME_ROSTER, RosterDifference, compare_rosters, conflict_sentence
from ranking.matches.recording import CONFLICT, KNOWN, LOBBY_HAS_RESULT, Recorded, record_results
from ranking.models import Key
from ranking.players.visibility import revealed
from ranking.rules.report import Report
from ranking.validation.match_report import read_report
from ranking.validation.problems import code_of, problem, validation_problem

Answer = tuple[int, dict[str, Any]]  # a status and its body


@dataclass(frozen=True, slots=True)
class Compared:
    """How matches differ from their lobbies, and which others are alike or overlap, by the match's id."""

    rosters: Mapping[int, RosterDifference]
    doubles: Mapping[int, Doubles]


def record_all(items: list[Any], request: Request) -> list[Answer]:
    """Record the valid results in their order, and return the answer to each item."""
    key = request.auth
    assert isinstance(key, Key)  # noqa: S101 - MayPostResults let only keys in
    allowed = slugs_of(key)
    reports = [_read(item, allowed, request) for item in items]
    valid = [report for report in reports if isinstance(report, Report)]
    results = record_results(valid, source=key.source, now=timezone.now())
    # Afterwards, so that no lock waits for it, and so that of alike results sent at once, one answer names the other.
    answered = [result.record for result in results if result.record and (result.is_new or result.state == KNOWN)]
    compared = Compared(compare_rosters(answered), find_doubles(answered))
    recorded = iter(results)
    return [
        _answer(next(recorded), report, compared, request) if isinstance(report, Report) else report
        for report in reports
    ]


def _read(item: Any, allowed: frozenset[str] | None, request: Request) -> Report | Answer:
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


def _answer(recorded: Recorded, report: Report, compared: Compared, request: Request) -> Answer:
    if recorded.record is None:
        assert recorded.error is not None  # noqa: S101 - refused
        return 400, validation_problem(recorded.error, request)
    match = recorded.record.match
    if recorded.state == CONFLICT:
        sentence = (
            f"Another result is recorded as {match.external_id!r}: {recorded.differs} differs. Nothing was changed."
        )
        return 409, problem("result-differs", sentence, request)
    if recorded.state == LOBBY_HAS_RESULT:
        return 409, problem(LOBBY_HAS_RESULT, f"{conflict_sentence(match)} Nothing was changed.", request)
    if sees_everything(request, match.mode.slug):
        match.mode = revealed(match.mode)
    bots = {player.id for _, _, player in report.players() if player.bot}
    body = partial(
        recorded_data,
        recorded.record,
        roster=compared.rosters.get(match.pk, SAME_ROSTER),
        doubles=compared.doubles.get(match.pk, NONE),
        bots=bots,
    )
    if match.event_id is None and not match.is_void:
        return 202, body(recorded.until)
    return (200 if recorded.state == KNOWN else 201), body()
