"""`/matches/bulk/`: records many results in one request."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, PolymorphicProxySerializer, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.answers import RecordedSerializer
from ranking.api.authentication import MayPostResults
from ranking.api.base import ApiView
from ranking.api.schema import EXAMPLE, ProblemSerializer, documented
from ranking.api.views.recording import RecordQuery, record_all
from ranking.validation.json_body import LARGEST_BULK
from ranking.validation.match_report import ReportSerializer, count_players
from ranking.validation.objects import list_of

MOST = 500
MOST_PLAYERS = 6_000  # in all: 500 matches of 6v6


class RecordedItemSerializer(RecordedSerializer):
    status = serializers.IntegerField(help_text="What POST matches/ would have answered: 201, 200 or 202.")


def _item() -> Any:
    return PolymorphicProxySerializer(
        component_name="BulkItem",
        serializers=[RecordedItemSerializer, ProblemSerializer],
        resource_type_field_name=None,
        many=True,
    )


class BulkView(ApiView):
    permission_classes = [MayPostResults]
    largest_body = LARGEST_BULK
    once_by_itself = True  # by the results' ids

    @documented(
        f"Record up to {MOST} match results",
        operation_id="record_matches",
        description=(
            "In their order. Each result gets its own answer: a bad one doesn't keep the others out. A request has at"
            f" most {MOST_PLAYERS:,} players in all and {LARGEST_BULK:,} bytes."
        ),
        query=RecordQuery,
        request=inline_serializer("Bulk", {"matches": list_of(ReportSerializer, most=MOST)}),
        examples=[OpenApiExample("One result", value={"matches": [EXAMPLE]}, request_only=True)],
        answers={
            200: OpenApiResponse(
                inline_serializer("BulkAnswer", {"matches": _item()}),
                "The answers, in the order of the results: each is what `POST matches/` would have answered, with its"
                " `status`. 200, 201 and 202 are recorded matches; the others are problems.",
            )
        },
        problems=[400, 403, 415],
    )
    def post(self, request: Request) -> Response:
        answers = record_all(_items(request.data), request)
        return Response({"matches": [{"status": status, **body} for status, body in answers]})


def _items(data: object) -> list[object]:
    if not isinstance(data, dict) or set(data) != {"matches"} or not isinstance(data["matches"], list):
        raise ValidationError({"matches": 'Send {"matches": [result, …]}.'})
    if not 1 <= len(data["matches"]) <= MOST:
        raise _too_many(f"Send 1 to {MOST} results; these are {len(data['matches'])}.")
    players = sum(map(count_players, data["matches"]))
    if players > MOST_PLAYERS:
        raise _too_many(f"Send at most {MOST_PLAYERS:,} players in all; these are {players:,}.")
    return data["matches"]


def _too_many(sentence: str) -> ValidationError:
    return ValidationError({"matches": [ErrorDetail(sentence, "length")]})
