"""Calling the API as its clients do: bytes in, status and JSON out."""

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.test import Client
from django.utils import timezone

from ranking.models import Change, Event, Key, Match, Mode, OutboxEntry, Participation, Player, Rating
from ranking.operations.keys import create_key
from ranking.players.tokens import issue_token
from ranking.validation.field_codes import FIELD_CODES
from ranking.validation.problems import problem_codes
from tests.support.schema_answers import check_answer

TABLES = (Change, Event, Match, OutboxEntry, Participation, Player, Rating)


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any
    headers: dict[str, str]

    @property
    def fields(self) -> list[str]:
        """The paths of what was wrong."""
        return [error["field"] for error in self.body["errors"]]


def make_key(*scopes: str, source: str = "test", modes: Sequence[Mode] = ()) -> str:
    return create_key(source, scopes=scopes or ("results",), modes=modes, now=timezone.now())


def make_token(player: Player) -> str:
    """A token of the player, obtained by a key of its own."""
    secret = make_key("players", source="tokens")
    return issue_token(player, key=Key.objects.get(prefix=secret.split("_")[1]))


def call(
    method: str, path: str, body: Any = None, *, key: str = "", content_type: str = "application/json", **headers: str
) -> Answer:
    """`body` is sent as it is if it is bytes, else as JSON.

    Every answer is JSON and as the schema says; every error is a problem.
    """
    sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    if key:
        headers["Authorization"] = f"Bearer {key}"
    response = Client().generic(method, f"/api/v1/{path}", sent, content_type=content_type, headers=headers)
    if response.status_code == 204:
        assert response.content == b""
        check_answer(method, f"/api/v1/{path}", 204, "", None, response.headers)
        return Answer(204, None, dict(response.headers))
    kind = "application/problem+json" if response.status_code >= 400 else "application/json"
    assert response.headers["Content-Type"] == kind
    content = b"".join(response) if response.streaming else response.content
    answer = Answer(response.status_code, json.loads(content), dict(response.headers))
    check_answer(method, f"/api/v1/{path}", response.status_code, kind, answer.body, answer.headers)
    if response.status_code >= 400:
        row = problem_codes()[answer.body["code"]]
        assert (row.status, answer.body["status"]) == (response.status_code, response.status_code)
        assert answer.body["type"] == f"http://testserver/api/problems/{row.code}/"
        assert answer.body["title"] == str(row.title)
        assert {error["code"] for error in answer.body.get("errors", [])} <= FIELD_CODES.keys()
        assert answer.body["detail"].endswith((".", "'", "]"))
    return answer


def get(path: str, *, key: str = "") -> Answer:
    return call("GET", path, key=key)


def follow(address: str, *, key: str = "") -> Answer:
    """The page at an address that a page before it gave."""
    return get(address.removeprefix("http://testserver/api/v1/"), key=key)


def walk(path: str, *, key: str = "") -> list[Any]:
    """Every item of a list, page after page."""
    answer = get(path, key=key)
    items = list(answer.body["items"])
    while answer.body["next"]:
        answer = follow(answer.body["next"], key=key)
        items += answer.body["items"]
    return items


def result(*, seconds_ago: float = 60, **changes: Any) -> dict[str, Any]:
    """A sound result of the mode `duel`, with some of its fields changed; None leaves one out."""
    ended_at = timezone.now() - dt.timedelta(seconds=seconds_ago)
    sound = {
        "id": "m-1",
        "mode": "duel",
        "ended_at": ended_at.isoformat(),
        "duration": 600,
        "teams": [
            {"score": 3, "players": [{"id": "a", "seconds": 600}]},
            {"score": 1, "players": [{"id": "b", "seconds": 600}]},
        ],
    }
    return {name: value for name, value in {**sound, **changes}.items() if value is not None}


def counts() -> dict[str, int]:
    """How many rows there are of what a result writes."""
    return {model.__name__: model.objects.count() for model in TABLES}


def with_player(**fields: Any) -> dict[str, Any]:
    """A result in which teams[1].players[0] has these fields too."""
    sent = result()
    sent["teams"][1]["players"][0].update(fields)
    return sent


def with_team(**fields: Any) -> dict[str, Any]:
    """A result in which teams[1] has these fields too."""
    sent = result()
    sent["teams"][1].update(fields)
    return sent


def raw(**changes: str) -> bytes:
    """A result as text, in which the values of some fields are these bits of JSON."""
    fields = {name: json.dumps(value) for name, value in result().items()} | changes
    return ("{" + ", ".join(f'"{name}": {value}' for name, value in fields.items()) + "}").encode()


def moment(**offset: float) -> str:
    """A time from now, as text."""
    return (timezone.now() + dt.timedelta(**offset)).isoformat()


def post_match(body: Any, *, key: str = "", **more: Any) -> Answer:
    """POST matches/ with a key for results unless another is given."""
    return call("POST", "matches/", body, key=key or make_key(), **more)
