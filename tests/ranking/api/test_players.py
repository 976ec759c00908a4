"""GET /api/v1/players/: everybody, by how their name begins."""

import pytest

from ranking.rules.report import PlayerReport
from tests.support.api import get, walk
from tests.support.factories import make_mode, record

pytestmark = pytest.mark.django_db

NAMES = {"1": "Kestrel", "2": "kestrel", "3": "Kes%_", "4": "Ürsa", "5": "東京Tower", "6": "Zed"}


@pytest.fixture
def everybody():
    make_mode()
    players = [PlayerReport(id=key, name=name) for key, name in NAMES.items()]
    record(players[:3], players[3:])


def ids(query: str) -> list[str]:
    return [player["id"] for player in walk(f"players/{query}")]


def test_names_that_begin_so(everybody, subtests):
    for query, found in [
        ("", "312645"),
        ("?limit=1", "312645"),
        ("?limit=5", "312645"),
        ("?q=KES", "312"),
        ("?q=kestrel&limit=1", "12"),
        ("?q=Kes%25", "3"),
        ("?q=%25", ""),
        ("?q=ürs", "4"),
        ("?q=U%CC%88r", "4"),
        ("?q=%E6%9D%B1", "5"),
        ("?q=Kestrels", ""),
    ]:
        with subtests.test(query=query):
            assert ids(query) == list(found)


def test_bad_parameters_are_named(subtests):
    for query, field in [
        ("?q=", "q"),
        ("?q=%00", "q"),
        ("?q=" + "x" * 65, "q"),
        ("?name=x", "name"),
        ("?limit=101", "limit"),
        ("?after=WzFd", "after"),
        ("?after=WyJcdWQ4MDAiLCAxXQ", "after"),
        ("?after=WyJcdTAwMDAiLCAxXQ", "after"),
        ("?after=WyJ4IiwgOTIyMzM3MjAzNjg1NDc3NTgwOF0", "after"),
    ]:
        with subtests.test(query=query):
            answer = get(f"players/{query}")
            assert (answer.status, answer.fields) == (400, [field])


@pytest.mark.parametrize("number", [1, 3])
def test_a_list_takes_one_query(django_assert_num_queries, number):
    make_mode()
    record([f"a{index}" for index in range(number)], ["b"])
    with django_assert_num_queries(1):
        assert len(get("players/").body["items"]) == number + 1


def test_a_player_is_told_by_key_and_name(everybody):
    assert get("players/?q=zed").body == {"items": [{"id": "6", "name": "Zed", "former": ""}], "next": None}
