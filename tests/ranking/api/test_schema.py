"""The OpenAPI schema: complete, and kept by every call, whatever is sent."""

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from matchmaking.models import Lobby, Queue
from matchmaking.queues.queueing import Wish, queue_player
from matchmaking.tick.tick import tick
from ranking.models import Mode, Player
from ranking.standings.publishing import publish
from tests.support.api import make_key, make_token, result
from tests.support.calculator import LINE
from tests.support.factories import make_mode, record
from tests.support.schema_calls import CHECKS, SCHEMA


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
