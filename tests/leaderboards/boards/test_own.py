"""The viewer's own row: always there, never twice; where there is none, why."""

import datetime as dt
import re
from collections.abc import Callable

import pytest
from django.test import Client

from leaderboards.boards.pages import Own
from ranking.models import Mode, Player
from ranking.standings.publishing import publish
from tests.support.factories import NOW, hide_player, make_mode, record

pytestmark = pytest.mark.django_db


def own_of(client: Client, url: str = "/boards/crowd/") -> Own:
    own: Own = client.get(url).context["page"].own
    return own


def test_in_sight_once(client: Client, crowd: Callable[..., Mode], log_in: Callable[[str], Player]) -> None:
    apart = {
        ("p0-00", ""): False,  # on the podium
        ("p0-00", "?rank=51"): True,
        ("p0-10", ""): False,
        ("p0-55", ""): True,
        ("p0-55", "?rank=51"): False,
        ("p0-55", "?around=p0-55"): False,
    }
    crowd()
    seen, viewer = {}, ""
    for key, query in apart:
        if key != viewer:
            viewer = log_in(key).key
        response = client.get(f"/boards/crowd/{query}")
        own: Own = response.context["page"].own
        times = response.content.decode().count('<span class="you">you</span>')
        seen[key, query] = own.row is not None, own.on_page, times
    assert seen == {row: (is_apart, not is_apart, 1) for row, is_apart in apart.items()}


def test_the_target_is_the_next_rank_above(
    client: Client, crowd: Callable[..., Mode], log_in: Callable[[str], Player]
) -> None:
    crowd()
    log_in("p0-55")
    own = own_of(client)
    assert own.target is not None
    assert own.target.rank == 55
    assert f"<b>{own.target.points}</b> behind rank 55" in client.get("/boards/crowd/").content.decode()


def test_the_first_has_no_target(client: Client, crowd: Callable[..., Mode], log_in: Callable[[str], Player]) -> None:
    crowd()
    log_in("p0-00")
    assert own_of(client).target is None


def test_no_target_in_points_where_ratings_are_not_shown(
    client: Client, crowd: Callable[..., Mode], log_in: Callable[[str], Player]
) -> None:
    crowd(shows_rating=False)
    log_in("p0-55")
    assert own_of(client).target is None


def absence(client: Client, log_in: Callable[[str], Player]) -> tuple[str, list[str], list[str]]:
    """Why `me` isn't on the board, and the numbers that the page gives for it and for how to come there."""
    log_in("me")
    own = own_of(client)
    assert own.absence is not None
    words, next_step = own.absence.words, own.absence.next_step
    page = client.get("/boards/crowd/").text
    assert (words in page, next_step in page) == (True, True)
    return own.absence.reason, re.findall(r"\d+", words), re.findall(r"\d+", next_step)


def test_unplaced(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("crowd", placement_matches=10)
    record(["me"], ["b"], mode="crowd")
    assert absence(client, log_in) == ("unplaced", ["1", "10"], ["9"])


def test_inactive(client: Client, log_in: Callable[[str], Player]) -> None:
    mode = make_mode("crowd")
    record(["me"], ["b"], mode="crowd", ended_at=NOW - dt.timedelta(days=31))
    publish(mode, now=NOW)
    assert absence(client, log_in) == ("inactive", ["30"], [])


def test_inactive_for_want_of_several(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("crowd", activity_matches=3, activity_days=7)
    record(["me"], ["b"], mode="crowd")
    assert absence(client, log_in) == ("inactive", ["3", "7"], ["2"])


def test_hidden_by_a_moderator(client: Client, log_in: Callable[[str], Player]) -> None:
    mode = make_mode("crowd")
    record(["me"], ["b"], mode="crowd")
    hide_player(Player.objects.get(key="me"), now=NOW)
    publish(mode, now=NOW)
    assert absence(client, log_in) == ("hidden", [], [])


def test_not_published_yet(client: Client, log_in: Callable[[str], Player]) -> None:
    mode = make_mode("crowd")
    publish(mode, now=NOW)
    record(["me"], ["b"], mode="crowd")
    assert absence(client, log_in) == ("waiting", [], [])


def test_an_account_without_a_player_is_a_stranger(
    client: Client, crowd: Callable[..., Mode], admin_client: Client
) -> None:
    crowd()
    assert admin_client.get("/boards/crowd/").context["page"].own is None
