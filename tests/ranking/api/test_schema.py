"""The OpenAPI schema: complete, and kept by every call, whatever is sent."""

from functools import lru_cache

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from matchmaking.models import Lobby, Queue
from matchmaking.queues.queueing import Wish, queue_player
from matchmaking.tick.tick import tick
from ranking.models import Mode, Player
from ranking.standings.publishing import publish
from tests.support.api import make_key, make_token, result
from tests.support.calculator import LINE
from tests.support.examples import examples, is_long
from tests.support.factories import make_mode, record


@lru_cache
def handler() -> WSGIHandler:
    """Made within a test, so that it has the settings of tests."""
    return WSGIHandler()


SCHEMA = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(public=True))
SCHEMA.app = lambda environ, start_response: handler()(environ, start_response)
SCHEMA.config.phases.coverage.enabled = is_long()  # a value at each bound that the schema names
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


def test_the_schema_is_valid_and_without_warnings(capsys):
    call_command("spectacular", validate=True, fail_on_warn=True)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["ReportRequest", "TeamRequest", "PlayerRequest"])
def test_unknown_fields_are_declared_to_be_refused(name):
    assert SCHEMA.raw_schema["components"]["schemas"][name]["additionalProperties"] is False


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/docs/", "/api/docs/?script="])
def test_the_docs_hold_nothing_inline(path):
    response = Client().get(path)
    page = response.content.decode()
    assert response.status_code == 200
    assert ("<style" in page, "style=" in page, "<script>" in page) == (False, False, False)


@pytest.fixture
def _one_connection():
    """Requests leave the test's transaction open, as they do with Django's own client."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def known(db, _one_connection) -> dict[str, str]:
    """What may stand in an address."""
    make_mode(activity_days=None)
    match = record(["a", "b"], ["c", "d"], id="known").record.match
    publish(match.mode, now=timezone.now())
    return {"mode": "duel", "id": "a", "number": str(match.pk), "key": make_lobby_of("a", "b")}


def make_lobby_of(*keys: str) -> str:
    """The key of a lobby of these players of the mode `duel`, whose tickets are numbered as they come."""
    queue, now = Queue.objects.create(mode=Mode.objects.get(slug="duel"), team_size=1), timezone.now()
    for key in keys:
        queue_player(Player.objects.get(key=key), queue, wish=Wish(width=100), now=now)
    tick(queue, now=now)
    return Lobby.objects.get().pk


def bearer() -> dict[str, str]:
    return {"Authorization": f"Bearer {make_key('results', 'players', 'servers', 'ratings:hidden')}"}


@SCHEMA.exclude(path="/api/v1/matches/bulk/").parametrize()  # what it takes is what matches/ takes, times 500
@examples(8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_call_breaks_the_schema(case, known):
    """Half of the calls are about what exists."""
    if len(str(case.query)) % 2 == 0:
        case.path_parameters = {name: known[name] for name in case.path_parameters}
    case.call_and_validate(headers=bearer(), checks=CHECKS)


@pytest.mark.parametrize(
    ("method", "path", "given", "statuses"),
    [
        ("POST", "matches/", {"body": result()}, [201, 200]),
        ("POST", "matches/", {"body": result(id="known")}, [409]),
        ("POST", "matches/bulk/", {"body": {"matches": [result(id="1"), result(id="known"), {}]}}, [200, 200]),
        ("POST", "matches/bulk/", {"body": {"matches": []}}, [400]),
        ("GET", "matches/", {"query": {"limit": 1}}, [200]),
        ("GET", "matches/{number}/", {}, [200]),
        ("GET", "matches/{number}/post-game/", {}, [200]),
        ("GET", "modes/", {}, [200]),
        ("GET", "players/", {"query": {"q": "a"}}, [200]),
        ("GET", "players/{id}/", {}, [200]),
        ("GET", "players/{id}/history/", {"query": {"mode": "duel"}}, [200]),
        ("POST", "players/{id}/token/", {}, [201]),
        ("POST", "players/{id}/claim-code/", {}, [201, 201]),
        ("GET", "boards/{mode}/", {}, [200]),
        ("GET", "boards/{mode}/", {"query": {"around": "a"}}, [200]),
        ("GET", "boards/{mode}/", {"query": {"rank": 9}}, [404]),
        ("POST", "tickets/", {"body": {"mode": "duel", "player": "c"}}, [201, 409]),
        ("POST", "tickets/", {"body": {"mode": "none", "player": "c"}}, [400]),
        ("PUT", "servers/me/", {"body": {"region": "eu", "address": "here", "modes": ["duel"]}}, [200, 200]),
        ("POST", "lobbies/{key}/start/", {"body": {"players": ["a", "b"]}}, [409]),
        ("POST", "rate/", {"body": LINE}, [200]),
        ("POST", "rate/", {"body": {"lines": [LINE, {}]}}, [200]),
        ("POST", "rate/", {"body": {"lines": []}}, [400]),
    ],
)
def test_sound_calls_keep_to_the_schema(known, method, path, given, statuses):
    call = SCHEMA[f"/api/v1/{path}"][method]
    names = [name for name in known if f"{{{name}}}" in path]
    headers = bearer()
    for status in statuses:
        case = call.Case(path_parameters={name: known[name] for name in names}, **given)
        assert case.call_and_validate(headers=headers, checks=CHECKS).status_code == status


@pytest.mark.parametrize(
    ("method", "path", "given", "status"),
    [
        *(
            (method, f"players/me/{name}/{{id}}/", {}, status)
            for name in ("following", "blocked")
            for method, status in (("PUT", 200), ("GET", 404), ("DELETE", 204))
        ),
        ("GET", "players/me/following/", {}, 200),
        ("GET", "players/me/blocked/", {"query": {"limit": 1}}, 200),
        ("GET", "boards/{mode}/", {"query": {"friends": "me"}}, 200),
        ("POST", "tickets/", {"body": {"mode": "duel"}}, 409),
        ("GET", "lobbies/{key}/", {}, 200),
        *(("POST", f"lobbies/{{key}}/{verb}/", {}, 200) for verb in ("seen", "accept", "decline")),
        ("POST", "lobbies/{key}/leave/", {}, 409),
        ("GET", "parties/me/", {}, 200),
        ("POST", "parties/me/invite/", {"body": {"player": "c"}}, 409),
        ("POST", "parties/me/leave/", {}, 200),
        ("PUT", "parties/me/pings/", {"body": {"regions": {"eu": 20}}}, 404),
        ("GET", "boards/{mode}/", {"query": {"region": "eu-west", "season": 1}}, 200),
    ],
)
def test_a_players_calls_keep_to_the_schema(known, method, path, given, status):
    names = [name for name in known if f"{{{name}}}" in path]
    case = SCHEMA[f"/api/v1/{path}"][method].Case(path_parameters={name: known[name] for name in names}, **given)
    headers = {"Authorization": f"Bearer {make_token(Player.objects.get(key='b'))}"}
    assert case.call_and_validate(headers=headers, checks=CHECKS).status_code == status
