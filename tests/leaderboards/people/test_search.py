import datetime as dt
import html
import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.people.search import Hits, find_by_name
from ranking.models import Ban, Mode, Player, Rating
from ranking.players import search
from ranking.players.search import PLAYERS
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.factories import NOW, hide_player, make_mode, record

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


FOUND = {
    "ann": ["Anna", "anne"], "  ANNA ": ["Anna"], "änn": ["ÄNNCHEN"], "nnc": ["ÄNNCHEN"], "rass": ["Straße"],
    "00_": ["100_up"], "o%b": ["Bo%b"], "o*b": [], "[o]": [], "o?b": [], "nn": [], "an": ["Anna", "anne"],
    "STRASSE": ["Straße"], "bo%": ["Bo%b"], "%": [], "_": [], "100_": ["100_up"], "nobody": [], "\0": [],
    "x" * 5000: [], "\u202e": [],
}  # fmt: skip


@pytest.mark.usefixtures("_people")
def test_by_any_part_of_the_name(client: Client) -> None:
    assert {query: [hit.player.name for hit in hits_of(client, query).hits] for query in FOUND} == FOUND


@pytest.mark.usefixtures("_people")
def test_each_with_their_place_or_why_they_have_none(client: Client) -> None:
    found = [*hits_of(client, "an").hits, *hits_of(client, "old").hits]
    assert [(hit.standing and hit.standing.listed, hit.absence and hit.absence.reason) for hit in found] == [
        (6, None),
        (None, "hidden"),
        (None, "inactive"),
    ]


@pytest.mark.usefixtures("_people")
@pytest.mark.parametrize(("query", "count"), [("a", 4), ("anna", 8)])
def test_queries(client: Client, django_assert_num_queries: DjangoAssertNumQueries, query: str, count: int) -> None:
    hits_of(client, query)
    with django_assert_num_queries(count):  # board, players, ratings; modes of the header
        hits_of(client, query)


@pytest.mark.usefixtures("_people")
def test_the_exact_name_comes_first_then_its_beginning_then_any_part() -> None:
    for number, name in enumerate(["Joanna", "Annabel", "Susanna"]):
        record([PlayerReport(id=f"more{number}", name=name)], ["rival"], ended_at=NOW + dt.timedelta(minutes=number))
    found = find_by_name("anna").players
    assert [player.name for player in found] == ["Anna", "Annabel", "Susanna", "Joanna"]  # latest match first


@pytest.mark.usefixtures("_people")
def test_a_new_name_is_found_and_the_old_one_as_a_former_one() -> None:
    record([PlayerReport(id="k0", name="Bettina")], ["rival"], ended_at=NOW + dt.timedelta(minutes=1))
    [player] = find_by_name("ettin").players
    assert (player.key, find_by_name("ettin").former) == ("k0", {})
    assert (find_by_name("anna").players, find_by_name("anna").former) == ([player], {player.pk: "Anna"})
    assert find_by_name("nna").players == []  # by its beginning only
    assert player not in find_by_name("an").players  # and by three letters or more


def test_no_more_than_the_best_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST_FOUND", 3)
    names = ["ann", "annb", "aann", "baann", "bann"]
    Player.objects.bulk_create(Player(key=name, name=name, search_name=name, created_at=NOW) for name in names)
    assert [player.name for player in find_by_name("ann").players] == ["ann", "annb", "aann"]


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
    with django_assert_num_queries(5):
        hits = hits_of(client, "zz").hits
    assert [hit.absence and hit.absence.words for hit in hits] == ["Hidden by a moderator"] * banned


@pytest.fixture
def _many() -> None:
    """Six score Pals, the last thirty of one name, two of them on the board."""
    mode = make_mode("duel")
    record([PlayerReport(id="pal-000", name="Pal 000")], [PlayerReport(id="pal-119", name="Pal 090")])
    publish(mode, now=NOW)
    names = {f"pal-{number:03}": f"Pal {min(number, 90):03}" for number in range(1, 119)}
    Player.objects.bulk_create(
        Player(key=key, name=name, search_name=name.lower(), created_at=NOW) for key, name in sorted(names.items())
    )


SAME = [f"pal-{number:03}" for number in range(90, 119)]  # of one name, by who came first


@pytest.mark.usefixtures("_many")
@pytest.mark.parametrize(
    ("query", "count", "keys"),
    [
        ("pa", 4, [*(f"pal-{number:03}" for number in range(90)), "pal-119", *SAME]),
        ("pal", 8, ["pal-000", "pal-119", *(f"pal-{number:03}" for number in range(1, 90)), *SAME]),  # who has played
    ],
)
def test_fifty_a_page_to_the_last(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries, query: str, count: int, keys: list[str]
) -> None:
    hits, pages = hits_of(client, query), []
    while hits.next:
        pages.append([hit.player.key for hit in hits.hits])
        with django_assert_num_queries(count):
            hits = client.get(URL, {"q": query, "after": hits.next}).context["hits"]
        assert hits.later
    pages.append([hit.player.key for hit in hits.hits])
    assert [len(page) for page in pages] == [50, 50, 20]
    assert [key for page in pages for key in page] == keys
    assert hits_of(client, query).hits[0].standing


@pytest.mark.usefixtures("_many")
@pytest.mark.parametrize("region", ["", "eu west & more"])
def test_the_links_of_a_page_lead_to_its_neighbours(client: Client, region: str) -> None:
    Rating.objects.update(region=region, to_publish=True)
    publish(Mode.objects.get(), now=NOW, count_all=True)
    page = client.get(URL, {"q": "Pal ", "region": region}, headers={"hx-request": "true"})
    following = re.search(r'id="next" rel="next" href="([^"]+)"', page.text)
    assert following
    page = client.get(html.unescape(following[1]))
    assert [hit.player.name for hit in page.context["hits"].hits][:2] == ["Pal 049", "Pal 050"]
    assert page.context["board"].region == region
    first = re.search(r'id="first" href="([^"]+)"', page.text)
    assert first
    page = client.get(html.unescape(first[1]))
    assert (page.context["hits"].later, page.context["board"].region) == (False, region)


@pytest.mark.usefixtures("_many")
def test_a_page_that_doesnt_exist_is_the_first(client: Client) -> None:
    cursors = [
        "nonsense", "\0", "1" * 7_000, "99999", "-50", PLAYERS.cursor_of(Player(pk=1, search_name="a")),
        PLAYERS.cursor_of(Player(pk=1, search_name="pam")), PLAYERS.cursor_of(Player(pk=0, search_name="pa")),
        PLAYERS.cursor_of(Player(pk=2**62, search_name="pal 999")),
    ]  # fmt: skip
    shown = {}
    for query in ("pa", "pal"):
        for after in cursors:
            hits = client.get(URL, {"q": query, "after": after}).context["hits"]
            shown[query, after] = hits.hits[0].player.name, len(hits.hits), hits.later
    assert shown == dict.fromkeys(shown, ("Pal 000", 50, False))
