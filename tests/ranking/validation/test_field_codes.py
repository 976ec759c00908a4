"""The codes of fields in problems say what is wrong, whichever call refuses the field."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.acts_by_api import make_author, make_moderated_site
from tests.support.api import call, make_key

pytestmark = pytest.mark.django_db
SERVER = {"region": "eu", "address": "203.0.113.5:7777"}


@pytest.fixture(autouse=True)
def _site() -> None:
    make_moderated_site()
    make_author("administrator", "boss")


def codes(method: str, path: str, body: Any = None) -> list[tuple[str, str]]:
    sent = None if body is None else json.dumps(body).encode()
    answer = call(method, path, sent, key=make_key("results", "servers", "moderate", "configure"))
    assert answer.status == 400
    return [(error["field"], error["code"]) for error in answer.body["errors"]]


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("GET", "audit/?author=boss&player=nobody", None, "player"),
        ("GET", "appeals/?author=boss&player=nobody", None, "player"),
        ("GET", "matches/?mode=nothing", None, "mode"),
        ("GET", "matches/?player=nobody", None, "player"),
        ("POST", "tickets/", {"mode": "nothing", "player": "b"}, "mode"),
        ("PUT", "servers/me/", {**SERVER, "modes": ["duel", "nothing"]}, "modes[1]"),
    ],
)
def test_what_a_field_names_may_be_unknown(method: str, path: str, body: Any, field: str) -> None:
    assert codes(method, path, body) == [(field, "unknown")]


@pytest.mark.parametrize(
    ("path", "settings", "field", "code"),
    [
        ("modes/duel/settings/", {"entry_mode": "nothing"}, "entry_mode", "unknown"),
        ("modes/duel/settings/", {"conduct": []}, "conduct", "type"),
        ("modes/duel/settings/", {"scoreboard": {}}, "scoreboard", "type"),
        ("modes/duel/settings/", {"conduct": {"points": 1e300}}, "conduct", "range"),
        ("modes/duel/settings/", {"conduct": {"points": "x"}}, "conduct", "invalid"),
        ("queues/duel/", {"widen_every": 0}, "widen_every", "range"),
        ("queues/duel/", {"favourite_end": 2}, "favourite_end", "range"),
        ("queues/duel/", {"regions": [5]}, "regions", "invalid"),
    ],
)
def test_settings(path: str, settings: Any, field: str, code: str) -> None:
    body = {"author": "boss", "reason": "Tuned.", "settings": settings}
    assert codes("PATCH", path, body) == [(f"settings.{field}", code)]


@pytest.mark.parametrize(
    ("path", "body", "field", "code"),
    [
        ("tickets/", {"mode": "duel", "player": "b", "regions": []}, "regions", "type"),
        ("tickets/", {"mode": "duel", "player": "b", "regions": dict.fromkeys(map(str, range(99)), 1)}, "regions",
         "length"),
        ("matches/bulk/", {"matches": []}, "matches", "length"),
        ("matches/bulk/", {"matches": [{}] * 501}, "matches", "length"),
        ("matches/bulk/", {"matches": [{"teams": [{"players": [0] * 6_001}]}]}, "matches", "length"),
        ("rate/", {"lines": []}, "lines", "length"),
        ("rate/", {"lines": [{}] * 2_000}, "lines", "length"),
        ("rate/", {"lines": [{"teams": [{"players": [0] * 201}]}]}, "lines", "length"),
    ],
)  # fmt: skip
def test_lists_and_objects(path: str, body: Any, field: str, code: str) -> None:
    assert codes("POST", path, body) == [(field, code)]


def test_an_end_of_a_page_that_is_no_cursor_is_malformed() -> None:
    assert codes("GET", "players/b/history/?mode=duel&after=x") == [("after", "format")]


def test_long_texts_are_refused_with_their_length() -> None:
    body = {"author": "boss", "text": "x" * 1_001}
    answer = call("POST", "players/b/notes/", body, key=make_key("moderate"))
    assert answer.body["detail"] == "text: This has 1,001 characters; at most 1,000 fit."
