"""The page of a player who doesn't exist: a search, and players whose name holds what the address says."""

import pytest
from django.test import Client

from ranking.models import Player
from tests.support.factories import make_mode, record
from tests.support.page_tree import read_page

pytestmark = pytest.mark.django_db


@pytest.fixture
def players(db: None) -> None:
    make_mode()
    record(["key-1", "key-2"], ["key-3", "key-4"])
    for number, name in enumerate(("GridFox", "SlateGrid", "Gridlock", "Owl"), 1):
        Player.objects.filter(key=f"key-{number}").update(name=name, search_name=name.casefold())
    Player.objects.filter(name="Gridlock").update(is_bot=True)


def alike(key: str) -> tuple[int, str, list[str]]:
    """The status, what stands in the search, and the players offered."""
    response = Client().get(f"/players/{key}/")
    main = read_page(response.text).one("main")
    names = [row.text for row in main.all("li.people-name")]
    return response.status_code, main.one("input").attributes["value"] or "", names


@pytest.mark.parametrize(
    ("key", "sought", "names"),
    [
        ("grid", "grid", ["GridFox", "SlateGrid"]),
        ("GRIDFOX", "GRIDFOX", ["GridFox"]),
        ("nobody-here", "nobody-here", []),
        ("gr", "gr", []),  # too short to search
        ("a/b", "a/b", []),
        ("%00grid", "grid", ["GridFox", "SlateGrid"]),
        ("x" * 200, "x" * 64, []),
        ("%3Cb%3E", "<b>", []),
        ("grid/matches", "grid", ["GridFox", "SlateGrid"]),
        ("grid/career", "grid", ["GridFox", "SlateGrid"]),
        ("grid/seasons/duel/1", "grid", ["GridFox", "SlateGrid"]),
    ],
)
def test_players_of_such_a_name_are_offered(players, key, sought, names):
    assert alike(key) == (404, sought, names)


def test_the_search_is_one_query(players, django_assert_num_queries):
    with django_assert_num_queries(3):  # the player, those alike, the header
        Client().get("/players/grid/")


def test_other_addresses_offer_an_empty_search(players):
    response = Client().get("/nowhere/")
    form = read_page(response.text).one("main").one("form")
    assert (response.status_code, form.attributes["action"]) == (404, "/search/")
    assert form.one("input").attributes["value"] == ""
