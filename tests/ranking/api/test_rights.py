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
CALLERS = ("anonymous", "token", "account", *SCOPES)


def declared(operation: dict[str, Any]) -> set[str]:
    """Whom the schema lets in."""
    names = {name for requirement in operation["security"] for name in requirement or ("anonymous",)}
    if "key" not in names:
        return names
    return names - {"key"} | ({operation["x-scope"]} if "x-scope" in operation else set(SCOPES))


@pytest.fixture
def callers() -> dict[str, Client]:
    """A client of each caller, who are the player `a` if they are one."""
    make_mode()
    record(["a"], ["b"])
    user = User.objects.create_user("fox")
    Player.objects.filter(key="a").update(user=user)
    secrets = {**{scope: make_key(scope) for scope in SCOPES}, "token": make_token(Player.objects.get(key="a"))}
    clients = {who: Client(headers={"Authorization": f"Bearer {secret}"}) for who, secret in secrets.items()}
    clients |= {"anonymous": Client(), "account": Client()}
    clients["account"].force_login(user)
    return clients


def let_in(callers: dict[str, Client], method: str, path: str) -> Iterator[str]:
    for name, value in IN_ADDRESSES.items():
        path = path.replace(name, value)
    for who in CALLERS:
        response = callers[who].generic(method.upper(), path, b"{}", content_type="application/json")
        if response.status_code not in (401, 403):
            yield who


def test_whoever_the_schema_names_is_let_in(callers: dict[str, Client], subtests: pytest.Subtests) -> None:
    for name, (method, path, operation) in OPERATIONS.items():
        with subtests.test(name=name), rolled_back():
            assert set(let_in(callers, method, path)) == declared(operation)


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
