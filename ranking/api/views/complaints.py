"""`/matches/{number}/reports/`: a player reports another player of the same match to the moderators."""

import math

from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied, Throttled, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.abuse.complaints import MOST, REPORTABLE, MayNotReport, report_player
from ranking.api.base import Conflict, PlayersOnlyView, get_caller
from ranking.api.output import OutputSerializer
from ranking.api.schema import documented
from ranking.api.views.matches import get_match
from ranking.api.views.players import get_player
from ranking.models import Complaint
from ranking.validation.fields import ChoiceField, KeyField, ProseField
from ranking.validation.objects import StrictSerializer

REASONS = tuple(code for code, _ in Complaint.REASONS)


class NewComplaintSerializer(StrictSerializer):
    """What a player reports about another player of the match."""

    player = KeyField(help_text="The game's key for the player who is reported.")
    reason = ChoiceField(REASONS)
    text = ProseField(
        max_length=Complaint.LONGEST, allow_blank=True, default="", help_text="What happened, for the moderators."
    )


class ComplaintSerializer(OutputSerializer[Complaint]):
    match = serializers.IntegerField(source="match_id")
    player = serializers.CharField(source="reported.key")
    reason = serializers.ChoiceField(REASONS)
    text = serializers.CharField(allow_blank=True)
    made_at = serializers.DateTimeField()


class ReportsView(PlayersOnlyView):
    @documented(
        "Report a player of the match",
        operation_id="report_player",
        description=(
            f"As another player of it, within {REPORTABLE.days} days of its end, once for each player and match, and at"
            f" most {MOST} times a day. Moderators review it; the reported player isn't told."
        ),
        request=NewComplaintSerializer,
        answers={201: ComplaintSerializer},
        problems=[400, 403, 404, 409, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        match, caller = get_match(request, number), get_caller(request)
        body = NewComplaintSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        values = body.validated_data
        try:
            made = report_player(
                match, caller, get_player(values["player"]), reason=values["reason"], text=values["text"],
                now=timezone.now(),
            )  # fmt: skip
        except MayNotReport as error:
            raise _refusal(error) from error
        as_sent = {"player": values["player"]}  # the key of a player who was merged since, too
        return Response({**ComplaintSerializer.fill(made), **as_sent}, status=201)


def _refusal(error: MayNotReport) -> Exception:
    sentence = str(error)
    match error.code:
        case "match":
            return PermissionDenied(sentence)
        case "twice" | "late" | "gone":
            return Conflict(sentence)
        case "throttled":
            assert error.wait is not None  # noqa: S101 - narrows a type
            return Throttled(math.ceil(error.wait.total_seconds()), sentence, "too-many-reports")
        case _:
            return ValidationError({"player": [sentence]})
