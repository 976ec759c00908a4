"""Which tests of what PostgreSQL has proven needn't run on SQLite as well."""

import sys
from collections.abc import Callable
from types import FrameType

from tests.support.paths import ROOT
from tests.support.selection import place_of, without_need

PROVEN = {
    "both::inserts": {"bulk:1 from record:5", "locks:2 from record:6"},
    "page": set(),
    "page of a result": {"bulk:1 from record:5"},
    "a notice": {"bulk:1 from notices:9"},
    "a result with a notice": {"bulk:1 from record:5", "bulk:1 from notices:9"},
}


def test_who_asks_only_where_tests_of_both_do_needs_no_second_run():
    assert without_need(PROVEN, ["both::inserts"]) == {"page", "page of a result"}
    assert without_need(PROVEN, []) == {"page"}
    assert without_need({}, ["both::inserts"]) == set()


def written_in(name: str, body: str, **names: object) -> Callable[[], str | None]:
    """A function of that file."""
    exec(compile(f"def function():\n    return {body}", f"{ROOT}/{name}", "exec"), names)
    return names["function"]  # type: ignore[return-value]


def here() -> FrameType:
    return sys._getframe(1)


def test_a_place_is_who_asks_and_who_calls_the_layer_of_databases():
    ask = written_in("ranking/database/locks.py", "place_of(here())", place_of=place_of, here=here)
    inside = written_in("ranking/database/rows.py", "ask()", ask=ask)
    view = written_in("leaderboards/views/pages.py", "inside()", inside=inside)
    through = written_in(".venv/django/views.py", "view()", view=view)
    own = written_in("matchmaking/tick/tick.py", "place_of(here())", place_of=place_of, here=here)
    helper = written_in("tests/support/factories.py", "place_of(here())", place_of=place_of, here=here)
    asked = {
        "the line that calls the layer": (view, "ranking/database/locks.py:2 from leaderboards/views/pages.py:2"),
        "the same, whoever calls that": (through, "ranking/database/locks.py:2 from leaderboards/views/pages.py:2"),
        "a test calls the layer": (inside, "ranking/database/locks.py:2"),
        "outside of the layer": (own, "matchmaking/tick/tick.py:2"),
        "a test": (helper, None),
    }
    assert {row: function() for row, (function, _) in asked.items()} == {
        row: place for row, (_, place) in asked.items()
    }
