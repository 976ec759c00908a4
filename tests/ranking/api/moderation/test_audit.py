"""`GET audit/`: each filter finds its lines, filters hold together, and pages neither skip nor repeat a line."""

import datetime as dt
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User

from ranking.models import AuditEntry, Player
from ranking.operations.audit import acting_through, record_act
from tests.support.api import Answer, call, follow, get, make_key
from tests.support.factories import NOW, make_mode, record
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def key() -> str:
    return make_key("moderate")


@pytest.fixture(scope="module", autouse=True)
def _log(_moderators_account) -> None:
    """Six lines, an hour apart: acts of "mod" and of the system, about `a`, `b` and nobody."""
    make_mode()
    record(["a"], ["b"])
    mod = User.objects.get(username="mod")
    for hours, (act, by, about) in enumerate(
        [("ban", mod, "a"), ("ban", mod, "b"), ("lift", mod, "a"), ("warn", None, "a"), ("export", mod, "b"),
         ("end season", None, None)]
    ):  # fmt: skip
        player = Player.objects.filter(key=about).first()
        with acting_through("rungs_x" if act == "lift" else ""):
            record_act(act, f"line {hours}", by=by, reason="Because.", now=NOW + hours * HOUR, player=player)


def ask(key: str, **query: Any) -> Answer:
    return get(f"audit/?{urlencode({'author': 'mod', **query})}", key=key)


def lines(answer: Answer) -> list[int]:
    """The numbers in the subjects of the lines, in their order."""
    return [int(item["subject"].removeprefix("line ")) for item in answer.body["items"]]


def test_filters(key, subtests):
    for query, expected in [
        ({}, [5, 4, 3, 2, 1, 0]),
        ({"who": "mod"}, [4, 2, 1, 0]),
        ({"who": "nobody"}, []),
        ({"who": "system:"}, [5, 3]),
        ({"act": "ban"}, [1, 0]),
        ({"act": "hide"}, []),
        ({"player": "a"}, [3, 2, 0]),
        ({"since": (NOW + 3 * HOUR).isoformat()}, [5, 4, 3]),
        ({"until": (NOW + 3 * HOUR).isoformat()}, [2, 1, 0]),
        ({"since": (NOW + HOUR).isoformat(), "until": (NOW + 4 * HOUR).isoformat()}, [3, 2, 1]),
        ({"who": "mod", "player": "a"}, [2, 0]),
        ({"who": "mod", "player": "a", "act": "ban"}, [0]),
        ({"who": "mod", "since": (NOW + 2 * HOUR).isoformat()}, [4, 2]),
    ]:
        with subtests.test(query=query):
            assert lines(ask(key, **query)) == expected


def test_a_line_says_who_through_what_and_about_whom(key):
    by_key, by_system = ask(key, act="lift").body["items"][0], ask(key, act="end season").body["items"][0]
    assert {name: by_key[name] for name in ("who", "via", "player", "reason", "note")} == {
        "who": "mod", "via": "rungs_x", "player": "a", "reason": "Because.", "note": "",
    }  # fmt: skip
    assert (by_system["who"], by_system["via"], by_system["player"]) == (None, None, None)


def test_what_a_filter_cannot_be(key, subtests):
    for query, field, code in [
        ({"act": "sing"}, "act", "choice"),
        ({"player": "c"}, "player", "unknown"),
        ({"since": "yesterday"}, "since", "format"),
        ({"until": "2026-01-01T00:00:00"}, "until", "format"),
        ({"limit": 0}, "limit", "range"),
        ({"after": "x"}, "after", "format"),
        ({"subject": "line 1"}, "subject", "unknown"),
    ]:
        with subtests.test(query=query):
            answer = ask(key, **query)
            assert (answer.status, [(error["field"], error["code"]) for error in answer.body["errors"]]) == (
                400,
                [(field, code)],
            )


def test_pages_have_each_line_once_and_keep_the_filters(key, subtests):
    """Also if several lines were written at one moment, and if the log grows meanwhile."""
    for limit in [1, 2, 4, 6]:
        for query in [{}, {"who": "mod"}]:
            with subtests.test(query=query, limit=limit), rolled_back():
                AuditEntry.objects.filter(subject__in=["line 1", "line 2", "line 3"]).update(at=NOW + 2 * HOUR)
                whole = lines(ask(key, **query))
                answer, seen, sizes = ask(key, **query, limit=limit), [], []
                while True:
                    seen += lines(answer)
                    sizes.append(len(answer.body["items"]))
                    record_act("ban", "line 99", by=User.objects.get(username="mod"), reason="x", now=NOW + 99 * HOUR)
                    if answer.body["next"] is None:
                        break
                    answer = follow(answer.body["next"], key=key)
                assert seen == whole
                assert sizes[:-1] == [limit] * (len(sizes) - 1)


def test_the_log_is_only_read(key):
    assert call("POST", "audit/", {"author": "mod"}, key=key).status == 405
    assert call("DELETE", "audit/", key=key).status == 405
