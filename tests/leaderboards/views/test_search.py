"""The search for players of all modes: by any part of a name, with the standing beside each."""

import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.people.pages import FoundPeople
from ranking.models import Player
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


def find(client: Client, query: str) -> FoundPeople:
    found: FoundPeople = client.get("/search/", {"q": query}).context["found"]
    return found


def play(slug: str, *matches: list[str], **mode: Any) -> None:
    made = make_mode(slug, tier_least_listed=1, **mode)
    for first, second in matches:
        record([first], [second], mode=slug)
    publish(made, now=NOW)


def test_any_part_of_three_letters_or_a_beginning(client: Client) -> None:
    play("duel", ["gridfox", "foxglove"])
    names = {"idfo": ["gridfox"], "FOX": ["foxglove", "gridfox"], "fo": ["foxglove"], "owl": [], "": []}
    assert {query: [person.player.key for person in find(client, query).people] for query in names} == names


def test_the_standing_in_each_mode_is_beside_the_name(client: Client) -> None:
    play("duel", ["gridfox", "foxglove"])
    play("arena", ["gridfox", "ann"], ["ann", "bob"])
    play("fun", ["bob", "ann"], ranked=False)
    standing = find(client, "gridfox").people[0].standing
    assert {board.mode.slug: each.rank for board, each in standing.boards} == {"duel": 1, "arena": 1}
    assert standing.last_match_at == NOW
    page = client.get("/search/?q=gridfox").text
    assert re.search(r"<b>#1</b> <span translate=.no.>duel.*tier", page, re.DOTALL | re.IGNORECASE)
    Player.objects.filter(key="gridfox").update(hides_matches=True)
    assert find(client, "gridfox").people[0].standing.last_match_at is None


def test_it_speaks_the_language_of_its_reader(client: Client) -> None:
    play("duel", ["gridfox", "foxglove"])
    fragment = {"HX-Request": "true", "HX-Target": "found", "Accept-Language": "de"}
    part = client.get("/search/?q=fox", headers=fragment).text
    assert "Namen mit „fox“" in part
    assert "2 Spieler angezeigt" in part


def test_every_page_has_the_form(client: Client) -> None:
    for path in ("/", "/search/", "/calculator/", "/nothing/"):
        assert '<form class="site-search" role="search"' in client.get(path).text


@pytest.mark.parametrize("number", [1, 3])
def test_queries(client: Client, django_assert_num_queries: DjangoAssertNumQueries, number: int) -> None:
    play("duel", *([f"gridfox{index}", "ann"] for index in range(number)))
    play("arena", *([f"gridfox{index}", "ann"] for index in range(number)))
    find(client, "gridfox")
    with django_assert_num_queries(1 + 5 + 1):  # the navigation, names, standings
        assert len(find(client, "gridfox").people) == number


def test_it_goes_on_to_the_last(client: Client) -> None:
    names = [f"gridfox{number:02}" for number in range(60)]
    Player.objects.bulk_create(Player(key=name, name=name, search_name=name, created_at=NOW) for name in names)
    page = client.get("/search/?q=idfox")
    following = re.search(r'id="next" rel="next" href="([^"]+)"', page.text)
    assert following
    rest = client.get(following[1].replace("&amp;", "&")).context["found"]
    assert {person.player.key for person in (*page.context["found"].people, *rest.people)} == set(names)
    assert (rest.later, rest.next) == (True, "")
