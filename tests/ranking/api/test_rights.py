"""The schema says of each call who may make it; here each caller makes each call, and is refused or not."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from ranking.models import Player
from ranking.models.access import SCOPES
from tests.support.api import make_key, make_token
from tests.support.factories import make_mode, record
from tests.support.savepoints import rolled_back
from tests.support.schema_answers import raw_schema

pytestmark = pytest.mark.django_db
IN_ADDRESSES = {"{id}": "a", "{mode}": "duel", "{number}": "0", "{key}": "none"}
OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, operations in raw_schema()["paths"].items()
    for method, operation in operations.items()
}
PEOPLE = ("anonymous", "token", "account")
Caller = str | tuple[str, ...]  # one of PEOPLE, or the scopes of a key


def keys_of(operation: dict[str, Any]) -> list[tuple[str, ...]]:
    """The scopes of two keys that stand for all, as scopes only add: the right scope, and every other one.

    Of a call that wants no scope: the first, and every one.
    """
    right = operation.get("x-scope")
    return [(right or SCOPES[0],), tuple(scope for scope in SCOPES if scope != right)]


def declared(operation: dict[str, Any]) -> set[Caller]:
    """Whom the schema lets in."""
    names: set[Caller] = {name for requirement in operation["security"] for name in requirement or ("anonymous",)}
    if "key" not in names:
        return names
    right, others = keys_of(operation)
    return names - {"key"} | ({right} if "x-scope" in operation else {right, others})


@pytest.fixture
def callers() -> dict[Caller, Client]:
    """A client of each caller, who are the player `a` if they are one."""
    make_mode()
    record(["a"], ["b"])
    user = User.objects.create_user("fox")
    Player.objects.filter(key="a").update(user=user)
    keys = {scopes for operation in OPERATIONS.values() for scopes in keys_of(operation[2])}
    secrets: dict[Caller, str] = {scopes: make_key(*scopes) for scopes in keys}
    secrets["token"] = make_token(Player.objects.get(key="a"))
    clients: dict[Caller, Client] = {
        who: Client(headers={"Authorization": f"Bearer {secret}"}) for who, secret in secrets.items()
    }
    clients |= {"anonymous": Client(), "account": Client()}
    clients["account"].force_login(user)
    return clients


def let_in(callers: dict[Caller, Client], method: str, path: str, operation: dict[str, Any]) -> Iterator[Caller]:
    for name, value in IN_ADDRESSES.items():
        path = path.replace(name, value)
    for who in (*PEOPLE, *keys_of(operation)):
        response = callers[who].generic(method.upper(), path, b"{}", content_type="application/json")
        if response.status_code not in (401, 403):
            yield who


def test_whoever_the_schema_names_is_let_in(callers: dict[Caller, Client], subtests: pytest.Subtests) -> None:
    for name, (method, path, operation) in OPERATIONS.items():
        with subtests.test(name=name), rolled_back():
            assert set(let_in(callers, method, path, operation)) == declared(operation)


def test_a_result_wants_a_key_and_conduct_a_key_or_the_player() -> None:
    rights = {name: (OPERATIONS[name][2]["security"], OPERATIONS[name][2].get("x-scope")) for name in OPERATIONS}
    assert (rights["record_match"], rights["get_conduct"], rights["list_matches"]) == (
        ([{"key": ["results"]}], "results"),
        ([{"key": ["read"]}, {"token": []}, {"account": []}], "read"),
        ([{}, {"key": []}, {"token": []}, {"account": []}], None),
    )
    schemes = raw_schema()["components"]["securitySchemes"]
    assert set(schemes) == {"key", "token", "account"}
    assert set(schemes["key"]["x-scopes"]) == set(SCOPES)


def test_a_scope_stands_in_the_security_of_the_call_and_in_its_description(subtests: pytest.Subtests) -> None:
    for name, (_, _, operation) in OPERATIONS.items():
        with subtests.test(name=name):
            scopes = [scope for requirement in operation["security"] for scope in requirement.get("key", [])]
            assert scopes == ([operation["x-scope"]] if "x-scope" in operation else [])
            *_, callers = operation["description"].split("\n\n")
            assert re.findall(r"`([\w:]+)`", callers) == scopes
