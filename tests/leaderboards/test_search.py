import datetime as dt

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.search import Hits
from ranking.models import Ban, Player, Rating
from ranking.players import hide_player
from ranking.report import PlayerReport
from ranking.standings import publish
from tests.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db
URL = "/boards/duel/"


@pytest.fixture
def _people() -> None:
    mode = make_mode("duel")
    names = ["Anna", "anne", "ÄNNCHEN", "Bo%b", "Straße", "100_up"]
    for number, name in enumerate(names):
        record([PlayerReport(id=f"k{number}", name=name)], ["rival"])
    record(["old"], ["rival"], ended_at=NOW - dt.timedelta(days=40))
    hide_player(Player.objects.get(key="k1"), now=NOW)
    publish(mode, now=NOW)


def hits_of(client: Client, query: str) -> Hits:
    response = client.get(URL, {"q": query})
    assert response.status_code == 200
    hits: Hits = response.context["hits"]
    return hits


@pytest.mark.usefixtures("_people")
@pytest.mark.parametrize(
    ("query", "names"),
    [("ann", ["Anna", "anne"]), ("  ANNA ", ["Anna"]), ("änn", ["ÄNNCHEN"]), ("STRASSE", ["Straße"]), ("bo%", ["Bo%b"]),
     ("%", []), ("_", []), ("100_", ["100_up"]), ("nobody", []), ("\0", []), ("x" * 5000, []), ("\u202e", [])],
)  # fmt: skip
def test_by_how_the_name_begins(client: Client, query: str, names: list[str]) -> None:
    assert [hit.player.name for hit in hits_of(client, query).hits] == names


@pytest.mark.usefixtures("_people")
def test_each_with_their_place_or_why_they_have_none(client: Client) -> None:
    found = [*hits_of(client, "an").hits, *hits_of(client, "old").hits]
    assert [(hit.standing and hit.standing.listed, hit.absence and hit.absence.words) for hit in found] == [
        (6, None),
        (None, "Hidden by a moderator"),
        (None, "Hidden: no match in 30 days"),
    ]


@pytest.mark.usefixtures("_people")
@pytest.mark.parametrize("query", ["anna", "a"])
def test_queries(client: Client, django_assert_num_queries: DjangoAssertNumQueries, query: str) -> None:
    hits_of(client, query)
    with django_assert_num_queries(2):
        hits_of(client, query)


@pytest.mark.usefixtures("_people")
def test_nothing_asked_is_the_board(client: Client) -> None:
    assert client.get(URL, {"q": "  "}).context["page"].shown


@pytest.mark.usefixtures("_people")
@pytest.mark.parametrize("banned", [1, 3])
def test_one_query_more_for_those_who_may_be_banned(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries, banned: int
) -> None:
    for key in ["k0", "k3", "k4"][:banned]:
        Ban.objects.create(player=Player.objects.get(key=key), scope="both", reason="Sold accounts.", starts_at=NOW)
        Rating.objects.filter(player__key=key).update(listed=False)
        Player.objects.filter(key=key).update(search_name=f"zz{key}")
    hits_of(client, "zz")
    with django_assert_num_queries(3):
        hits = hits_of(client, "zz").hits
    assert [hit.absence and hit.absence.words for hit in hits] == ["Hidden by a moderator"] * banned
