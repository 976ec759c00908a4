"""The OpenAPI schema: complete, and kept by every call, whatever is sent."""

import gzip
import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from matchmaking.models import Lobby, Queue
from matchmaking.queues.queueing import Wish, queue_player
from matchmaking.tick.tick import tick
from ranking.api.schema_headers import KEPT
from ranking.api.views import openapi
from ranking.api.views.openapi import openapi_document
from ranking.models import Mode, Player
from ranking.standings.publishing import publish
from tests.support.api import call, make_key, make_token, result
from tests.support.calculator import LINE
from tests.support.factories import make_mode, record
from tests.support.schema_answers import faults_of, raw_schema, resolve
from tests.support.schema_calls import CHECKS, SCHEMA


def test_the_schema_is_valid_and_without_warnings(capsys):
    call_command("spectacular", validate=True, fail_on_warn=True)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["MatchResult", "ResultTeam", "ResultPlayer", "NewTicket", "Heartbeat"])
def test_unknown_fields_are_declared_to_be_refused(name):
    assert SCHEMA.raw_schema["components"]["schemas"][name]["additionalProperties"] is False


OPERATIONS = {
    operation["operationId"]: operation
    for path in SCHEMA.raw_schema["paths"].values()
    for operation in path.values()
}  # fmt: skip


def test_the_schema_says_its_version_and_describes_every_answer():
    assert SCHEMA.raw_schema["openapi"] == "3.1.0"
    plain = [
        (name, status)
        for name, operation in OPERATIONS.items()
        for status, answer in operation["responses"].items()
        if not answer.get("description") and "$ref" not in answer
    ]
    assert plain == []


def test_what_a_result_is_answered_with_stands_at_each_status():
    answers = OPERATIONS["record_match"]["responses"]
    bodies = {status: answers[status]["content"] for status in ("200", "201", "202", "409")}
    recorded = {"application/json": {"schema": {"$ref": "#/components/schemas/RecordedMatch"}}}
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    assert bodies == {"200": recorded, "201": recorded, "202": recorded, "409": problem}
    assert len({answers[status]["description"] for status in bodies}) == 4


QUOTA = {"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}
SCHEMA_CALLS = [
    (method, operation) for path in raw_schema()["paths"].values() for method, operation in path.items()
]  # fmt: skip


def test_every_answer_tells_of_the_quota_and_how_long_to_wait():
    for method, operation in SCHEMA_CALLS:
        for status, answer in operation["responses"].items():
            headers = {name: resolve(header) for name, header in resolve(answer).get("headers", {}).items()}
            always = {name for name, header in headers.items() if header.get("required")}
            assert headers.keys() >= QUOTA, operation["operationId"]
            assert always == ({"Retry-After"} if status in ("429", "503") else set()), operation["operationId"]
            may_wait = status in ("429", "503") or (status == "409" and method != "get")
            assert ("Retry-After" in headers) == may_wait, operation["operationId"]


def test_writes_take_an_idempotency_key_and_say_if_an_answer_was_kept():
    """Whatever is kept may come again, and nothing else: see tests/ranking/api/test_idempotency.py."""
    for method, operation in SCHEMA_CALLS:
        taken = [resolve(parameter)["name"] for parameter in operation.get("parameters", ())]
        marked = {
            int(status)
            for status, answer in operation["responses"].items()
            if "Idempotency-Replayed" in resolve(answer).get("headers", {})
        }
        keeps = method != "get" and operation["operationId"] not in ("rate", "issue_token")  # they store nothing
        wanted = set(KEPT) & set(map(int, operation["responses"])) if keeps else set()
        assert (taken.count("Idempotency-Key"), marked) == (int(keeps), wanted), operation["operationId"]


@pytest.mark.parametrize(
    ("value", "sound"), [("a", True), ("a b", True), ("x" * 255, True), ("", False), ("x" * 256, False), ("é", False)]
)
def test_the_schema_takes_the_idempotency_keys_that_the_site_takes(known, value, sound):
    schema = raw_schema()["components"]["parameters"]["Idempotency-Key"]["schema"]
    assert (faults_of(value, schema) == []) is sound
    sent = value.encode().decode("latin-1")
    answer = call("POST", "players/a/claim-code/", key=make_key("players"), **{"Idempotency-Key": sent})
    assert answer.status == (201 if sound else 400)


def test_names_read_well_in_generated_code():
    """An operation is a verb with its noun, and its name is its own; a component says alone what it is."""
    assert [name for name in OPERATIONS if not re.fullmatch(r"[a-z]+(_[a-z]+)+|rate", name)] == []
    schemas = SCHEMA.raw_schema["components"]["schemas"]
    assert [name for name in schemas if re.search("(Enum|Request|Serializer)$", name)] == ["RateRequest"]
    said = [text for schema in schemas.values() if "serializer" in (text := schema.get("description", "")).lower()]
    assert said == []


EXAMPLES = [
    pytest.param(operation, example["value"], id=f"{operation['operationId']}-{name}")
    for operation in OPERATIONS.values()
    for content in operation.get("requestBody", {}).get("content", {}).values()
    for name, example in content.get("examples", {}).items()
]


@pytest.mark.parametrize(("operation", "example"), EXAMPLES)
def test_examples_keep_to_their_schema(operation, example):
    [content] = operation["requestBody"]["content"].values()
    assert faults_of(example, content["schema"]) == []


def test_calls_that_a_studio_begins_with_have_an_example():
    named = {param.id.split("-")[0] for param in EXAMPLES}
    assert {"record_match", "record_matches", "create_ticket", "put_server", "start_lobby"} <= named


@pytest.mark.usefixtures("db", "_known")
def test_the_document_is_made_once_and_sent_only_if_it_is_new():
    client, document = Client(), json.dumps(raw_schema(), indent=4, ensure_ascii=False)
    plain, packed = (
        client.get("/api/schema/"),
        client.get("/api/schema/?format=json", headers={"accept-encoding": "gzip"}),
    )
    assert (plain.status_code, plain["Content-Type"]) == (200, "application/vnd.oai.openapi+json")
    assert (plain.json(), packed["Content-Encoding"]) == (json.loads(document), "gzip")
    assert gzip.decompress(packed.content) == plain.content
    assert plain["ETag"] == packed["ETag"]
    again = client.get("/api/schema/", headers={"if-none-match": plain["ETag"], "accept-language": "de"})
    assert (again.status_code, again.content) == (304, b"")
    assert openapi_document() is openapi_document()


def test_requests_at_the_same_time_get_the_document_that_is_made_once():
    openapi._make_document.cache_clear()
    with ThreadPoolExecutor(12) as threads:
        documents = [*threads.map(lambda _: openapi_document(), range(12))]
    assert {id(document) for document in documents} == {id(documents[0])}


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/docs/", "/api/docs/?script="])
@pytest.mark.usefixtures("_known")
def test_the_docs_hold_nothing_inline(path):
    response = Client().get(path)
    page = response.content.decode()
    assert response.status_code == 200
    assert ("<style" in page, "style=" in page, "<script>" in page) == (False, False, False)


@pytest.fixture(scope="module")
def _known(module_db) -> dict[str, str]:
    make_mode(activity_days=None)
    match = record(["a", "b"], ["c", "d"], id="known").record.match
    publish(match.mode, now=timezone.now())
    return {"mode": "duel", "id": "a", "number": str(match.pk), "key": make_lobby_of("a", "b")}


@pytest.fixture
def known(db, _one_connection, _known) -> dict[str, str]:
    """What may stand in an address."""
    return _known


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
        ("POST", "lobbies/{key}/abort/", {"body": {"reason": "It crashed."}}, [409]),
        ("POST", "rate/", {"body": LINE}, [200]),
        ("POST", "rate/", {"body": {"lines": [LINE, {}]}}, [200]),
        ("POST", "rate/", {"body": {"lines": []}}, [400]),
    ],
)
def test_sound_calls_keep_to_the_schema(known, method, path, given, statuses):
    operation = SCHEMA[f"/api/v1/{path}"][method]
    names = [name for name in known if f"{{{name}}}" in path]
    headers = bearer()
    for status in statuses:
        case = operation.Case(path_parameters={name: known[name] for name in names}, **given)
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
