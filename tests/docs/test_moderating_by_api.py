"""The section "By API" of the moderator's guide: its example is sent as it stands, and it names every call there is."""

import json
import re

import pytest

from ranking.models import Ban
from tests.support.acts_by_api import make_author, make_moderated_site
from tests.support.api import call, make_key
from tests.support.factories import make_mode, record
from tests.support.paths import ROOT
from tests.support.schema_answers import raw_schema

GUIDE = (ROOT / "docs" / "moderating.md").read_text()
TABLE = "\n".join(line for line in GUIDE.splitlines() if line.startswith(("| `GET", "| `POST")))
EXAMPLES = re.findall(r"```http\nPOST /api/v1/(\S+)\n(.*?)\n```", GUIDE, re.DOTALL)
ADDRESSES = re.findall(r"`GET /api/v1/(\S+author=mo\S*)`", GUIDE)


def _is_moderating(path: str) -> bool:
    return any(operation.get("x-scope") == "moderate" for operation in raw_schema()["paths"][path].values())


@pytest.mark.django_db
def test_the_example_bans() -> None:
    make_mode()
    record(["p1"], ["p2"])
    make_author("moderator", "mo")
    path, body = EXAMPLES[0]
    answer = call("POST", path, json.loads(body), key=make_key("moderate"))
    assert (answer.status, Ban.objects.get().reason) == (201, "Aimbot, three matches.")
    address = next(address for address in ADDRESSES if "bans" in address)
    assert call("GET", address, key=make_key("moderate")).body["items"] == [answer.body]


@pytest.mark.django_db
def test_the_example_grants_an_appeal() -> None:
    site = make_moderated_site()
    make_author("moderator", "mo")
    path, body = EXAMPLES[1]
    address, key = next(address for address in ADDRESSES if "appeals" in address), make_key("moderate")
    assert [row["number"] for row in call("GET", address, key=key).body["items"]] == [site["appeal"]]
    answer = call("POST", path.replace("1", str(site["appeal"]), 1), json.loads(body), key=key)
    assert (answer.status, answer.body["decision"]) == (200, "granted")
    assert Ban.objects.get().lifted_at is not None


def test_every_call_is_in_the_table() -> None:
    """The table shortens `bans/{number}/lift/`, `…/resume/`."""
    calls = [path.removeprefix("/api/v1/") for path in raw_schema()["paths"] if _is_moderating(path)]
    assert len(calls) > 20
    assert [call for call in calls if call not in TABLE and "…/" + call.split("/")[-2] + "/" not in TABLE] == []


@pytest.mark.django_db
def test_the_settings_of_the_guide_are_taken() -> None:
    make_mode(placement_matches=9)
    make_author("administrator", "ada")
    [body] = re.findall(r'`(\{"author": "ada".*?\}\})`', GUIDE, re.DOTALL)
    answer = call("PATCH", "modes/duel/settings/", json.loads(body), key=make_key("configure"))
    assert answer.body["settings"]["placement_matches"] == 5


@pytest.mark.django_db
def test_the_parameters_of_the_guide_are_taken() -> None:
    make_mode(system="elo")
    make_author("administrator", "ada")
    path, body = EXAMPLES[2]
    answer = call("POST", path, json.loads(body), key=make_key("configure"))
    assert (answer.status, answer.body["version"], answer.body["params"]) == (200, 2, json.loads(body)["params"])
