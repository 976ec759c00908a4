"""The walks of docs/architecture.md name the modules through which a result is written and a board is read."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from ranking.standings.publishing import publish
from tests.support.api import make_key, post_match, result
from tests.support.factories import NOW, make_mode, record
from tests.support.paths import ROOT

pytestmark = pytest.mark.django_db

APPS = ("ranking", "leaderboards", "matchmaking")
FILE = re.compile(rf"`((?:{'|'.join(APPS)})/[\w/]+\.py)`")


def way_of(heading: str) -> list[str]:
    """The modules that a walk of the page names as its way, in order."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    (line,) = re.findall(rf"^## {heading}\n\nThe way: (.+?)\n\n", page, flags=re.MULTILINE | re.DOTALL)
    return FILE.findall(line)


def modules_on_stack() -> Iterator[str]:
    """Our modules that are being called, innermost first."""
    frame = sys._getframe(1)
    while frame := frame.f_back:  # type: ignore[assignment]
        path = frame.f_code.co_filename.removeprefix(f"{ROOT}/")
        if path.startswith(APPS):
            yield path


@contextmanager
def modules_at(statements: str, way: dict[str, None]) -> Iterator[None]:
    """Collect, in order, the modules from the view on that are on the stack when such a statement runs.

    What a template reads is left out.
    """

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        stack = [*modules_on_stack()][::-1]
        views = [index for index, path in enumerate(stack) if "/views/" in path]
        if re.match(statements, sql) and views and "leaderboards/views/partial.py" not in stack:
            way.update(dict.fromkeys(path for path in stack[views[0] :] if "/database/prepared" not in path))
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield


def test_the_way_of_a_result() -> None:
    make_mode("duel", team_size_max=5)
    teams = [{"place": n, "players": [{"id": f"{n}{slot}", "seconds": 600} for slot in range(5)]} for n in (1, 2)]
    key, way = make_key(), dict[str, None]()
    with modules_at("INSERT|UPDATE|WITH|COPY", way):
        assert post_match(result(teams=teams), key=key).status == 201
    assert list(way) == way_of("A result, from the request to its rows")
    assert len(way) <= 8


def test_the_way_of_a_board_page(client: Client) -> None:
    mode = make_mode("duel")
    record(["a"], ["b"], ended_at=NOW)
    publish(mode, now=NOW)
    way = dict[str, None]()
    with modules_at("SELECT|EXECUTE", way):
        assert client.get("/boards/duel/").status_code == 200
    read = [path for path in way if path.startswith("leaderboards/")]
    assert read == way_of("A board page")
    assert len(read) <= 6
