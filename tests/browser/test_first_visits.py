"""A first visit loads little, each file once, and letters that are rare only where they stand."""

import gzip
import re
from collections import Counter
from urllib.parse import urlsplit

import pytest
from django.test import Client
from playwright.sync_api import Browser

from ranking.models import Player
from tests.leaderboards.views.test_weights import weight_of
from tests.support.caches import forget_everything
from tests.support.first_visits import first_visit

FIRST_VISIT, HEAD = 95_000, 200  # bytes; of an answer's head by HTTP/2, roughly


def loaded(browser: Browser, address: str) -> list[str]:
    """The paths that a page loads."""
    loads, _ = first_visit(browser, address)
    return [urlsplit(load.address).path for load in loads]


def fonts(paths: list[str]) -> list[str]:
    return sorted(found[1] for path in paths if (found := re.search(r"/fonts/([\w-]+)", path)))


def size_of(path: str, client: Client) -> int:
    """Bytes on their way from the scaled profile behind a proxy that compresses pages."""
    if path.startswith("/static/"):
        return HEAD + weight_of(path.removeprefix("/static/"))
    return HEAD + len(gzip.compress(client.get(path).content, 6))


def test_a_first_visit_loads_little_and_nothing_twice(
    browser: Browser, site: str, team_match: int, client: Client, subtests: pytest.Subtests
) -> None:
    for path in ("/", "/boards/crowd/", f"/matches/{team_match}/", "/players/p0-55/"):
        with subtests.test(path):
            paths = loaded(browser, site + path)
            assert [again for again, times in Counter(paths).items() if times > 1] == []
            assert fonts(paths) == ["archivo-latin"]
            assert sum(size_of(each, client) for each in paths) <= FIRST_VISIT


def test_rare_letters_are_loaded_where_they_stand(browser: Browser, site: str, subtests: pytest.Subtests) -> None:
    player = Player.objects.get(key="p0-55")
    for name, wanted in (
        ("Jürgen Groß", []),
        ("Æsa Ñandú", []),
        ("Łukasz Świętek", ["archivo-latin-ext"]),
        ("Nguyễn", ["archivo-vietnamese"]),
        ("Иван", []),  # the system's font has these
        ("小明", []),
    ):
        with subtests.test(name):
            Player.objects.filter(pk=player.pk).update(name=name)
            forget_everything()
            assert fonts(loaded(browser, f"{site}/players/p0-55/")) == ["archivo-latin", *wanted]
