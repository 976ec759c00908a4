"""The API's way in: match results. Views translate; ranking.results does."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ranking.answers import RecordedSerializer, recorded_answer
from ranking.authentication import has_scope
from ranking.models import Key
from ranking.parsing import LARGEST_BULK
from ranking.permissions import MayPostResults
from ranking.problems import BadReport, problem, validation_problem
from ranking.report import Report
from ranking.results import CONFLICT, KNOWN, REFUSED, Recorded, record_results
from ranking.serializers import ReportSerializer, read_report

MOST = 500


class FieldErrorSerializer(serializers.Serializer[Any]):
    field = serializers.CharField(help_text="Path, such as teams[1].players[0].seconds.")
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """RFC 9457 problem details."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    errors = FieldErrorSerializer(many=True, required=False)


def problem_answer(description: str) -> OpenApiResponse:
    return OpenApiResponse(ProblemSerializer, description=description)


_REFUSALS = {
    (400, "application/problem+json"): problem_answer("What is wrong, and where. Nothing was written."),
    (401, "application/problem+json"): problem_answer("No key, or one that is unknown or revoked."),
    (403, "application/problem+json"): problem_answer("The key lacks the scope `results` or isn't for this mode."),
    (413, "application/problem+json"): problem_answer("The request is too large."),
    (415, "application/problem+json"): problem_answer("The request isn't application/json."),
}


class MatchesView(APIView):
    permission_classes = [MayPostResults]

    @extend_schema(
        operation_id="record_match",
        summary="Record a match result",
        description="Records and rates it. Sent again, the same result changes nothing and is answered with 200.",
        request=ReportSerializer,
        responses={
            201: OpenApiResponse(RecordedSerializer, description="Recorded and rated."),
            200: OpenApiResponse(RecordedSerializer, description="Was recorded already; nothing changed."),
            **_REFUSALS,
            (409, "application/problem+json"): problem_answer("Another result is recorded under this id."),
        },
    )
    def post(self, request: Request) -> Response:
        report = read_report(request.data)
        check_may_report(report, _modes_of(request))
        recorded = record_results([report], source=_key(request).source, now=timezone.now())[0]
        status, body = _answer(recorded, request)
        return Response(body, status=status, content_type=None if status < 400 else "application/problem+json")


class BulkView(APIView):
    permission_classes = [MayPostResults]
    largest_body = LARGEST_BULK

    @extend_schema(
        operation_id="record_matches",
        summary=f"Record up to {MOST} match results",
        description="In the order given. Each answers for itself: a bad one doesn't keep the others out.",
        request=inline_serializer("Bulk", {"matches": ReportSerializer(many=True, allow_empty=False, max_length=MOST)}),
        responses={
            200: inline_serializer(
                "BulkAnswer",
                {
                    "matches": serializers.ListField(
                        child=serializers.JSONField(),
                        help_text="For each: `status` and what POST matches/ would have answered.",
                    )
                },
            ),
            **_REFUSALS,
        },
    )
    def post(self, request: Request) -> Response:
        allowed = _modes_of(request)
        reports: list[Report | tuple[int, dict[str, Any]]] = [_read(item, allowed) for item in _items(request.data)]
        sound = [report for report in reports if isinstance(report, Report)]
        recorded = iter(record_results(sound, source=_key(request).source, now=timezone.now()))
        answers = [_answer(next(recorded), request) if isinstance(report, Report) else report for report in reports]
        return Response({"matches": [{"status": status, **body} for status, body in answers]})


def _key(request: Request) -> Key:
    assert isinstance(request.auth, Key)  # MayPostResults let only keys in
    return request.auth


def _modes_of(request: Request) -> set[str]:
    """Slugs of the modes that the key is for; empty = all."""
    return {mode.slug for mode in _key(request).modes.all()}


def check_may_report(report: Report, allowed: set[str]) -> None:
    """Refuse a result of a mode that the key isn't for."""
    if allowed and report.mode not in allowed:
        raise PermissionDenied(f"This key isn't for the mode {report.mode!r}.")


def _items(data: Any) -> list[Any]:
    if not isinstance(data, dict) or set(data) != {"matches"} or not isinstance(data["matches"], list):
        raise ValidationError({"matches": 'Send {"matches": [result, …]}.'})
    if not 1 <= len(data["matches"]) <= MOST:
        raise ValidationError({"matches": f"Send 1 to {MOST} results; these are {len(data['matches'])}."})
    return data["matches"]


def _read(item: Any, allowed: set[str]) -> Report | tuple[int, dict[str, Any]]:
    """A report, or the answer that refuses it."""
    try:
        report = read_report(item)
        check_may_report(report, allowed)
    except ValidationError as error:
        return 400, validation_problem(error)
    except PermissionDenied as error:
        return 403, problem(403, "Forbidden", str(error.detail))
    return report


def _answer(recorded: Recorded, request: Request) -> tuple[int, dict[str, Any]]:
    if recorded.state == REFUSED:
        assert isinstance(recorded.error, BadReport)
        return 400, validation_problem(recorded.error)
    assert recorded.play is not None
    if recorded.state == CONFLICT:
        sentence = f"Another result is recorded as {recorded.play.match.external_id!r}; nothing was changed."
        return 409, problem(409, "Conflict", sentence)
    body = recorded_answer(recorded.play, hidden_too=has_scope(request, "ratings:hidden"))
    return (200 if recorded.state == KNOWN else 201), body
