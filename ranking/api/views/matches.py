"""`/matches/`: records a result; lists matches; shows a match."""

from dataclasses import replace
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.utils import Direction, OpenApiExample, OpenApiResponse
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, NotFound, ValidationError
from rest_framework.permissions import AllowAny, BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.answer_fields import AnswerFieldsField, pick
from ranking.api.answers import RecordedSerializer
from ranking.api.authentication import MayPostResults, slugs_of
from ranking.api.base import ApiView, read_access_of, sees_everything
from ranking.api.match_answers import MatchSerializer, RatedMatchSerializer
from ranking.api.pagination import PageQuery, QuerySerializer, find_page, page_of, page_response, read_query
from ranking.api.schema import EXAMPLE, documented
from ranking.api.views.recording import RecordQuery, record_all
from ranking.matches.exporting import leave_out_void, results_of
from ranking.matches.records import MatchRecord, load_records, seen_by
from ranking.matches.search import MATCHES, UnknownFilterValue, find_matches
from ranking.models import Key, Match
from ranking.players.visibility import revealed
from ranking.validation.fields import KeyField, TimestampField
from ranking.validation.match_report import ReportSerializer
from ranking.validation.problems import MEDIA_TYPE

REPORT = "report"


class MatchesQuery(PageQuery):
    mode = KeyField(max_length=50, required=False, help_text="Slug of a mode.")
    player = KeyField(max_length=128, required=False, help_text="The game's key for a player.")
    since = TimestampField(required=False, help_text="Ended then or later.")
    until = TimestampField(required=False, help_text="Ended before.")
    fields = AnswerFieldsField(MatchSerializer)  # type: ignore[assignment]
    # Python keeps the word "as" to itself.
    vars()["as"] = serializers.ChoiceField(
        [REPORT], required=False,
        help_text="The matches of the key's source alone, each as the result that `POST` takes, as `manage.py export"
        " results` writes them: with nothing left out but devices, and without void matches that might be restored.",
    )  # fmt: skip

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        if "as" in attrs and "fields" in attrs:
            raise ValidationError({"fields": "Results are answered whole."})
        return attrs


class MatchesField(serializers.Field[Any, Any, Any, Any]):
    """The matches of a page, for the schema: as they are answered, or as results that can be sent."""


class MatchesFieldSchema(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    target_class = MatchesField

    def map_serializer_field(self, auto_schema: Any, direction: Direction) -> dict[str, object]:
        match, report = (
            auto_schema.resolve_serializer(serializer, towards).ref
            for serializer, towards in ((MatchSerializer, direction), (ReportSerializer, "request"))
        )
        return {"type": "array", "items": {"oneOf": [match, report]}}


class MatchesView(ApiView):
    once_by_itself = True  # by the result's id

    def get_permissions(self) -> list[Any]:
        """Reports are for the keys that may send them."""
        sends = self.request.method == "POST" or "as" in self.request.query_params
        permission: BasePermission = MayPostResults() if sends else AllowAny()
        return [permission]

    @documented(
        "Matches, latest first",
        operation_id="list_matches",
        description="As they were sent. Filters: mode, player, time of the end. With `as=report`, for a key with the"
        " scope `results`: the matches of its source and its modes, as results that can be sent again.",
        answers={200: page_of("MatchPage", MatchesField())},
        problems=[400, 403],
        query=MatchesQuery,
    )
    def get(self, request: Request) -> Response:
        query = read_query(request, MatchesQuery)
        key = request.auth if "as" in query and isinstance(request.auth, Key) else None
        access = read_access_of(request, query.get("mode", ""))
        try:
            matches = find_matches(
                access=replace(access, everything=access.everything or key is not None),
                **{name: query[name] for name in ("mode", "player", "since", "until") if name in query},
            )
        except UnknownFilterValue as error:
            raise ValidationError({error.name: [ErrorDetail(str(error), "unknown")]}) from error
        if key is not None:
            page, after = find_page(_sent_by(key, matches), MATCHES, query)
            return page_response(request, results_of(page), after)
        page, after = find_page(matches, MATCHES, query)
        records = load_records(page)
        answers = MatchSerializer.fill_many(records[match.pk] for match in page)
        return page_response(request, (pick(answer, query) for answer in answers), after)

    @documented(
        "Record a match result",
        operation_id="record_match",
        description=(
            "Records and rates a result. The same result sent again changes nothing and is answered with 200. While"
            " its mode is being rated anew, a result is recorded, answered with 202, and rated afterwards. So is one"
            " that ended after its season's end: `until` says when the next season begins."
        ),
        request=ReportSerializer,
        query=RecordQuery,
        examples=[OpenApiExample("A duel", value=EXAMPLE, request_only=True)],
        answers={
            201: OpenApiResponse(RecordedSerializer, "Recorded and rated; `changes` has each player's ratings."),
            200: OpenApiResponse(RecordedSerializer, "It was recorded before, word for word: the same answer again."),
            202: OpenApiResponse(RecordedSerializer, "Recorded, and rated later; `changes` is empty until then."),
        },
        problems=[400, 403, 409, 415],
        meanings={
            409: (
                "Another result of your source has this id, or its lobby has a result. Nothing was changed. `detail`"
                " names the recorded match."
            )
        },
    )
    def post(self, request: Request) -> Response:
        [(status, body)] = record_all([request.data], request)
        return Response(body, status=status, content_type=MEDIA_TYPE if status >= 400 else None)


def _sent_by(key: Key, matches: QuerySet[Match]) -> QuerySet[Match]:
    """Those of the key's source that the export would write, in the modes that the key is for."""
    own = leave_out_void(matches.filter(source=key.source_id))
    slugs = slugs_of(key)
    return own if slugs is None else own.filter(mode__slug__in=slugs)


def get_match(request: Request, number: int) -> Match:
    """The match of this number. Keys that may see everything get its mode revealed. Raises NotFound."""
    match = find_matches().filter(pk=number).first()
    if match is None:
        raise NotFound(f"There is no match {number}.")
    if sees_everything(request, match.mode.slug):
        match.mode = revealed(match.mode)
    return match


def get_record(request: Request, number: int) -> MatchRecord:
    """The match of this number, as the caller may see it; the key that reported it sees all. Raises NotFound."""
    match = get_match(request, number)
    access = read_access_of(request, match.mode.slug)
    if isinstance(request.auth, Key) and request.auth.source_id == match.source_id:
        access = replace(access, everything=True)
    return seen_by(load_records([match]), access)[match.pk]


class MatchQuery(QuerySerializer):
    fields = AnswerFieldsField(RatedMatchSerializer)  # type: ignore[assignment]


class MatchView(ApiView):
    @documented(
        "A match",
        operation_id="get_match",
        description="By the site's own number of it. `changes` is empty until it is rated.",
        answers={200: RatedMatchSerializer},
        problems=[400, 404],
        query=MatchQuery,
    )
    def get(self, request: Request, number: int) -> Response:
        answer = RatedMatchSerializer.fill(get_record(request, number))
        return Response(pick(answer, read_query(request, MatchQuery)))
