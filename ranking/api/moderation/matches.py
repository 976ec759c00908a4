"""`/matches/{number}/void/`, `/restore/` and `/correct/`: a match counts for nothing, or again, or as it really was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.answers import STATES, state_of
from ranking.api.authentication import check_is_for
from ranking.api.base import Conflict
from ranking.api.moderation.authors import ActSerializer, ModeratingView, read_act
from ranking.api.schema import documented
from ranking.api.views.matches import get_match
from ranking.matches.sent_results import TIMES, match_fields
from ranking.models import Match
from ranking.moderation.corrections import CorrectionRefused, correct_match
from ranking.moderation.restoring import RestoreRefused
from ranking.moderation.voids import restore, void
from ranking.rerating.reratings import is_rerating_due
from ranking.rules.report import BadReport, Report
from ranking.validation.fields import KeyField
from ranking.validation.match_report import ReportSerializer, read_report

MORE = "Sent again, it changes nothing. The author needs the right to void."


class VoidedSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    id = serializers.CharField(help_text="Its sender's own id of it.")
    mode = serializers.CharField()
    state = serializers.ChoiceField(STATES)
    rerating = serializers.BooleanField(help_text="A re-rating of the mode waits or runs: ratings follow when it ends.")


class VoidView(ModeratingView):
    @documented(
        "Void a match",
        operation_id="void_match",
        description=f"It counts for nothing, and what came after it is rated anew, in order. {MORE}",
        request=ActSerializer,
        answers={200: VoidedSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        return _change(request, number, void)


class RestoreView(ModeratingView):
    @documented(
        "Restore a void match",
        operation_id="restore_match",
        description=(
            "It counts again, in its old place, and what came after it is rated anew. 409 for a match that never"
            " counts, such as one that was called off; if a correction of it counts: void that first; and if two of its"
            f" players were merged since: split them first. {MORE}"
        ),
        request=ActSerializer,
        answers={200: VoidedSerializer},
        problems=[400, 403, 404, 409, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        return _change(request, number, restore)


class CorrectedResultSerializer(ReportSerializer):
    """A result that corrects another one; what it leaves out but for the teams is as recorded.

    One of the three times is as recorded only if none of them is given.
    """

    id = KeyField(max_length=128, required=False, help_text="The sender's id of the wrong result, if it is given.")
    mode = KeyField(max_length=50, required=False, help_text="That of the wrong result, if it is given.")


@extend_schema_field(CorrectedResultSerializer)
class ResultField(serializers.Field[Any, Any, Any, Any]):
    """A result, which is read once the match is known that it corrects."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise ValidationError("This must be an object.", "type")
        return data


class CorrectionSerializer(ActSerializer):
    result = ResultField(help_text="The right result, in the format of results.")


class CorrectedSerializer(VoidedSerializer):
    replaces = serializers.IntegerField(help_text="The number of the wrong match, which is void.")


class CorrectView(ModeratingView):
    @documented(
        "Correct a match",
        operation_id="correct_match",
        description="The right result is a match of its own, which takes the wrong one's place; that one is void. What"
        " came after it is rated anew, in order. The answer is about the new match, whose `id` is made of the wrong"
        " one's. Its sender may send the wrong one again: that changes nothing. 409 if it is void or was corrected."
        f" {MORE}",
        request=CorrectionSerializer,
        answers={200: CorrectedSerializer},
        problems=[400, 403, 404, 409, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        act = read_act(request, "ranking.add_void", CorrectionSerializer)
        match = get_match(request, number)
        check_is_for(request, match.mode.slug)
        try:
            new = act.carry_out(correct_match, match, _read_correction(act.values["result"], match))
        except CorrectionRefused as refused:
            raise Conflict(str(refused)) from refused
        except BadReport as error:
            raise BadReport(_inside(error.path), error.sentence, error.code) from error
        return Response({**voided_data(get_match(request, new.pk)), "replaces": match.pk})


def _read_correction(data: dict[str, Any], match: Match) -> Report:
    """The corrected result of a match. Raises ValidationError, and BadReport, by the path inside the result."""
    recorded = match_fields(match)
    for name, value in (("id", match.external_id), ("mode", match.mode.slug), ("lobby", match.lobby)):
        if data.get(name, value) != value:
            raise BadReport(name, f"The corrected match has {value!r} here, which can't be corrected.")
    if any(name in data for name in TIMES):
        recorded = {name: value for name, value in recorded.items() if name not in TIMES}
    try:
        return read_report({**recorded, **data, "id": match.external_id})
    except ValidationError as error:
        raise ValidationError({"result": error.detail}) from error


def _inside(path: str) -> str:
    return f"result.{path}" if path else "result"


def _change(request: Request, number: int, function: Callable[..., list[Match]]) -> Response:
    act = read_act(request, "ranking.add_void")
    match = get_match(request, number)
    check_is_for(request, match.mode.slug)
    try:
        act.carry_out(function, [match])
    except RestoreRefused as refused:
        raise Conflict(str(refused)) from refused
    return Response(voided_data(get_match(request, number)))


def voided_data(match: Match) -> dict[str, Any]:
    """VoidedSerializer's data."""
    data = {"number": match.pk, "id": match.external_id, "mode": match.mode.slug, "state": state_of(match)}
    return {**data, "rerating": is_rerating_due(match.mode)}
