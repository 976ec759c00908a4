"""Matches that moderators void, restore or correct. A correction reads its result once it knows the match."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.answers import StateField
from ranking.api.authentication import check_is_for
from ranking.api.base import Conflict
from ranking.api.moderation.authors import ActSerializer, ModeratingView, read_act
from ranking.api.moderation.calls import Subject, check_nothing
from ranking.api.output import OutputSerializer
from ranking.api.schema import documented
from ranking.api.views.matches import get_match
from ranking.matches.sent_results import TIMES, match_fields
from ranking.models import Match
from ranking.moderation.corrections import CorrectionRefused, correct_match
from ranking.rerating.reratings import is_rerating_due
from ranking.rules.report import BadReport, Report
from ranking.validation.fields import KeyField
from ranking.validation.match_report import ReportSerializer, read_report

MORE = "Sent again, it changes nothing. The author needs the right to void."


class VoidedSerializer(OutputSerializer[Match]):
    number = serializers.IntegerField(source="pk")
    id = serializers.CharField(source="external_id", help_text="Its sender's own id of it.")
    mode = serializers.CharField(source="mode.slug")
    state = StateField(source="*")
    rerating = serializers.BooleanField(help_text="A re-rating of the mode waits or runs: ratings follow when it ends.")

    @staticmethod
    def fill_rerating(match: Match) -> bool:
        return is_rerating_due(match.mode)


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
        match = get_own_match(request, number)
        try:
            new = act.carry_out(correct_match, match, _read_correction(act.values["result"], match))
        except CorrectionRefused as refused:
            raise Conflict(str(refused)) from refused
        except BadReport as error:
            raise BadReport(_inside(error.path), error.sentence, error.code) from error
        return Response({**VoidedSerializer.fill(get_match(request, new.pk)), "replaces": match.pk})


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


def get_own_match(request: Request, number: int) -> Match:
    """The match of this number. Raises NotFound, and PermissionDenied if the key is for other modes."""
    match = get_match(request, number)
    check_is_for(request, match.mode.slug)
    return match


MATCH = Subject(VoidedSerializer, get_own_match, check_nothing, given=lambda match: [match])
