"""Calling the door's API as players and game servers do."""

from typing import Any

from ranking.models import Player
from tests.support.api import Answer, call, make_key, make_token


def as_player(method: str, path: str, player: Player | str, body: Any = None) -> Answer:
    """`player`: one who gets a token for this call, or the token itself."""
    return call(method, path, body, key=player if isinstance(player, str) else make_token(player))


def as_server(
    method: str, path: str, body: Any = None, *, scopes: tuple[str, ...] = ("servers",), **more: Any
) -> Answer:
    return call(method, path, body, key=make_key(*scopes, **more))


def heartbeat(**changes: Any) -> Answer:
    """A sound registration with some of its fields changed; None leaves one out."""
    said = {"name": "eu1", "region": "eu", "address": "203.0.113.5:7777", "modes": ["duel"], **changes}
    return as_server("PUT", "servers/me/", {name: value for name, value in said.items() if value is not None})


def errors(answer: Answer) -> list[tuple[str, str]]:
    """The fields at fault, and what is said of each."""
    return [(error["field"], error["detail"]) for error in answer.body["errors"]]
