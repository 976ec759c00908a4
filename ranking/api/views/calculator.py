"""`/rate/`: the rating calculator. It takes and answers the lines of `manage.py rate`, and stores nothing."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiExample, PolymorphicProxySerializer
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.base import ApiView
from ranking.api.schema import documented
from ranking.api.views.calculator_schema import AnswerSerializer, AnswersSerializer, LineSerializer, LinesSerializer
from ranking.systems.base import Refused
from ranking.systems.calculation import answer_of, read_line
from ranking.systems.shared.fields import Malformed
from ranking.validation.match_report import count_players

MOST_LINES = 100
MOST_TEAMS = 16  # of a line; each team that somebody left costs a calculation of its own
MOST_PLAYERS = MOST_TEAMS_IN_ALL = 200  # of all lines together
EXAMPLE = {
    "system": "team-ratio",
    "duration": 801,
    "teams": [
        {"place": 1, "players": [{"id": "a", "skill": {"rating": "21.84"}, "seconds": 801}]},
        {"place": 2, "players": [{"id": "b", "skill": None}]},
    ],
}


def _either(name: str, one: Any, many: Any) -> Any:
    return PolymorphicProxySerializer(component_name=name, serializers=[one, many], resource_type_field_name=None)


class RateView(ApiView):
    @documented(
        "Rate a match that isn't recorded",
        operation_id="rate",
        description=(
            f"New skills, display ratings and win probabilities of one match, or of up to {MOST_LINES} as `lines`, "
            "each of which gets its own answer. Nothing is stored, and no player has to exist."
        ),
        request=_either("Rate", LineSerializer, LinesSerializer),
        examples=[OpenApiExample("One against one", value=EXAMPLE, request_only=True)],
        answers={200: _either("Rated", AnswerSerializer, AnswersSerializer)},
        problems=[400, 415],
        stores_nothing=True,
    )
    def post(self, request: Request) -> Response:
        data = request.data
        if isinstance(data, Mapping) and "lines" in data:
            return Response({"lines": _rate_lines(data)})
        try:
            return Response(_rate(data))
        except Refused as refused:
            raise ValidationError({_field(refused): [_sentence(refused)]}) from refused


def _rate(line: Any) -> dict[str, Any]:
    """The answer to a line, whose size is checked before it is read; raises Refused."""
    teams, players = len(_list_in(line, "teams")), count_players(line)
    if teams > MOST_TEAMS:
        raise Malformed("teams", "%(field)s must be at most %(most)s, not %(count)s.", most=MOST_TEAMS, count=teams)
    if players > MOST_PLAYERS:
        sentence = "%(field)s must have at most %(most)s players in all, not %(count)s."
        raise Malformed("teams", sentence, most=MOST_PLAYERS, count=players)
    return answer_of(*read_line(line))


def _rate_lines(data: Mapping[str, object]) -> list[dict[str, object]]:
    lines = data["lines"]
    if set(data) != {"lines"} or not isinstance(lines, list):
        raise ValidationError({"lines": 'Send one line, or {"lines": [line, …]}.'})
    if not 1 <= len(lines) <= MOST_LINES:
        raise _too_many(f"Send 1 to {MOST_LINES} lines; these are {len(lines)}.")
    teams = [team for line in lines for team in _list_in(line, "teams")]
    players = sum(map(count_players, lines))
    if len(teams) > MOST_TEAMS_IN_ALL or players > MOST_PLAYERS:
        most = f"{MOST_TEAMS_IN_ALL} teams and {MOST_PLAYERS} players in all"
        raise _too_many(f"Send at most {most}; these are {len(teams):,} and {players:,}.")
    return [_rate_one_of_many(line) for line in lines]


def _too_many(sentence: str) -> ValidationError:
    return ValidationError({"lines": [ErrorDetail(sentence, "length")]})


def _list_in(fields: object, name: str) -> list[object]:
    """The list in this field; empty if there is none, which a later check refuses."""
    value = fields.get(name) if isinstance(fields, Mapping) else None
    return value if isinstance(value, list) else []


def _rate_one_of_many(line: object) -> dict[str, object]:
    try:
        return _rate(line)
    except Refused as refused:
        return {"error": str(refused)}


def _field(refused: Refused) -> str:
    return refused.path if refused.path != "The line" else ""


def _sentence(refused: Refused) -> str:
    return str(refused.at("This") if isinstance(refused, Malformed) else refused)
