"""The friends board as a page: the viewer in sight, the others below the line, and what it says while it is empty."""

import datetime as dt
import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.boards.pages import BoardPage
from leaderboards.models import Following
from leaderboards.people.following import follow_player
from ranking.models import Mode, Player, Rating
from ranking.standings.publishing import publish
from tests.support.factories import NOW

pytestmark = pytest.mark.django_db
URL = "/boards/crowd/friends/"


@pytest.fixture
def friends(crowd: Callable[..., Mode], log_in: Callable[[str], Player]) -> Callable[..., Player]:
    """A board of 60, as its player 30 who follows these."""

    def make(*others: int) -> Player:
        crowd()
        viewer = log_in("p0-30")
        for other in others:
            follow_player(viewer, Player.objects.get(key=f"p0-{other:02}"), now=NOW)
        return viewer

    return make


def page_of(client: Client, query: str = "") -> BoardPage:
    page: BoardPage = client.get(URL + query).context["page"]
    return page


def ranks(page: BoardPage) -> list[tuple[str, int, int]]:
    return [(row.player.key, row.rank, row.standing.rank) for row in page.shown]


def test_ranks_among_friends_and_among_everyone(client: Client, friends: Callable[..., Player]) -> None:
    friends(5, 40, 50)
    page = page_of(client)
    assert ranks(page) == [("p0-05", 1, 6), ("p0-30", 2, 31), ("p0-40", 3, 41), ("p0-50", 4, 51)]
    assert (page.listed, page.own and page.own.on_page, page.own and page.own.target and page.own.target.rank) == (
        4, True, 1,
    )  # fmt: skip


def test_the_own_row_is_in_sight_on_every_page(client: Client, friends: Callable[..., Player]) -> None:
    friends(*range(30), *range(31, 60))
    page = page_of(client, "?rank=52")
    assert page.own is not None
    assert page.own.row is not None
    assert (page.own.row.rank, page.shown[0].rank) == (31, 52)
    body = client.get(URL + "?rank=52").content.decode()
    assert body.count('<span class="you">you</span>') == 1


def test_below_the_line_with_the_reason_but_not_the_viewer(client: Client, friends: Callable[..., Player]) -> None:
    friends(5, 40)
    Rating.objects.filter(player__key__in=["p0-05", "p0-30"]).update(active_until=NOW - dt.timedelta(days=1))
    publish(Mode.objects.get(), now=NOW)
    page = page_of(client)
    assert [(other.player.key, other.absence.reason) for other in page.below] == [("p0-05", "inactive")]
    assert page.own is not None
    assert page.own.absence is not None


def test_nobody_to_be_seen_says_how_to_find_some(client: Client, friends: Callable[..., Player]) -> None:
    friends()
    body = client.get(URL).content.decode()
    assert "Follow somebody" in body
    assert 'action="/people/"' in body
    assert 'class="podium' not in body


def test_strangers_are_invited(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    body = client.get(URL).content.decode()
    assert "/account/login/?next=/boards/crowd/friends/" in body
    client.force_login(User.objects.create_user("nobody"))
    assert '<div class="no-player">' in client.get(URL).text


def test_nonsense_gets_the_first_page_and_a_sentence(client: Client, friends: Callable[..., Player]) -> None:
    friends(5)
    page = page_of(client, "?rank=9")
    assert (re.findall(r"rank \d+|\d+ are", page.problem), len(page.shown)) == (["rank 9", "2 are"], 2)


@pytest.mark.parametrize("followed", [1, 3, 59])
def test_queries(
    client: Client,
    friends: Callable[..., Player],
    django_assert_num_queries: DjangoAssertNumQueries,
    followed: int,
) -> None:
    """Session, user, player, modes and board; then two for the rows, and who is in a match."""
    friends(*[number for number in range(60) if number != 30][:followed])
    client.get(URL)
    with django_assert_num_queries(5 + 3):
        client.get(URL)
    newcomer = Player.objects.create(key="new", name="New", search_name="new", created_at=NOW)
    Following.objects.create(follower=Player.objects.get(key="p0-30"), followed=newcomer, since=NOW)
    with django_assert_num_queries(5 + 3):
        client.get(URL)
    Rating.objects.filter(player__key__in=["p0-00", "p0-01", "p0-02"]).update(listed=False)
    with django_assert_num_queries(5 + (4 if followed < 50 else 3)):  # and one for what bans there are
        client.get(URL)
