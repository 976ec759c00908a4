"""The steps from signing up to a first rank: on the home, and on pages for which an account needs a player."""

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.home.first_steps import ACCOUNT, MATCH, PLACEMENT, PLAYER, find_first_steps
from ranking.models import Mode, Player
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record
from tests.support.matchmaking import make_queue
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
HIDDEN = "Until you have played 3 placement matches, only you and moderators see your rating"


def steps_of(client: Client) -> tuple[Any, ...] | None:
    """The next step, the mode and the counts of its placement matches, as the home has them."""
    steps = client.get("/").context["first_steps"]
    return steps and (steps.next, steps.mode and steps.mode.slug, steps.done, steps.needed)


def drawn_on(client: Client, path: str = "/") -> tuple[list[str], list[str]]:
    """What the page shows: the steps (a tick before those done, > before the next one), and where buttons lead."""
    page = client.get(path).content.decode()
    section = page.partition('<section class="first-steps')[2].partition("</section>")[0]
    lines = []
    for attributes, line in re.findall(r"<li([^>]*)>(.*?)</li>", section, re.DOTALL):
        mark = "✓" if "step-done" in line else ">" if "aria-current" in attributes else ""
        text = re.sub(r'<b class="step-mark.*?</b>|<[^>]*>', "", line, flags=re.DOTALL)
        lines.append(f"{mark}{' '.join(text.split())}")
    return lines, re.findall(r'<a class="button primary" href="([^"]*)"', section)


@pytest.fixture
def account(client: Client) -> User:
    """An account without a player, logged in."""
    user = User.objects.create_user("newcomer")
    client.force_login(user)
    return user


@pytest.fixture
def newcomer(account: User) -> Player:
    """An account whose player has no match yet."""
    return Player.objects.create(key="new", name="New", search_name="new", created_at=NOW, user=account)


def test_a_stranger_sees_the_list_alone(client: Client) -> None:
    make_mode("duel", placement_matches=3)
    lines, buttons = drawn_on(client)
    assert (lines[0], [line[0] for line in lines[1:]], buttons) == (">Make an account", ["L", "P", "F"], [])
    assert 'href="/account/signup/"' in client.get("/").content.decode()


def test_nobody_is_asked_to_sign_up_where_that_is_closed(client: Client, settings: Any) -> None:
    make_mode("duel")
    settings.SIGNUP_OPEN = False
    page = client.get("/").content.decode()
    assert ("/account/signup/" in page, "first-steps" in page, "/account/login/" in page) == (False, False, True)


def test_an_account_links_its_player(client: Client, account: User) -> None:
    make_mode("duel", placement_matches=3)
    lines, buttons = drawn_on(client)
    assert ([line[0] for line in lines], buttons) == (["✓", ">", "P", "F"], ["/account/claim/"])
    assert lines[-1].endswith(" 0 of 3 in Duel")
    page = client.get("/").text
    assert ("Welcome, newcomer" in page, "home-hero" in page) == (True, False)


@pytest.mark.parametrize("queued", [True, False])
def test_a_player_plays_a_match(client: Client, newcomer: Player, queued: bool) -> None:
    if queued:
        make_queue(slug="duel")
        Mode.objects.update(placement_matches=3)
    else:
        make_mode("duel", placement_matches=3)
    lines, buttons = drawn_on(client)
    assert [line[0] for line in lines] == ["✓", "✓", ">", "F"]
    assert buttons == (["/play/"] if queued else [])
    page = client.get("/").content.decode()
    assert ("its server reports" in page) is not queued
    assert HIDDEN in page


def test_a_player_in_placement(client: Client, log_in: Callable[[str], Player]) -> None:
    make_queue(slug="duel")
    Mode.objects.update(placement_matches=3)
    record(["me"], ["b"])
    log_in("me")
    lines, buttons = drawn_on(client)
    assert (lines[-1][0], lines[-1].endswith(" 1 of 3 in Duel"), buttons) == (">", True, ["/play/duel/"])
    page = client.get("/").content.decode()
    assert page.count(HIDDEN) == 1
    assert page.count('href="/help/#placement"') == 1


def test_the_steps_go_through_the_states(client: Client) -> None:
    mode = make_mode("duel", placement_matches=2)
    assert steps_of(client) == (ACCOUNT, "duel", 0, 2)
    user = User.objects.create_user("me")
    client.force_login(user)
    assert steps_of(client) == (PLAYER, "duel", 0, 2)
    Player.objects.create(key="me", name="Me", search_name="me", created_at=NOW, user=user)
    assert steps_of(client) == (MATCH, "duel", 0, 2)
    record(["me"], ["b"])
    assert steps_of(client) == (PLACEMENT, "duel", 1, 2)
    record(["me"], ["b"], ended_at=NOW + dt.timedelta(seconds=1))
    assert steps_of(client) is None  # on its way to the board
    publish(mode, now=NOW)
    assert (steps_of(client), drawn_on(client)) == (None, ([], []))


def test_the_mode_is_the_one_played_last_and_one_placement_is_enough(
    client: Client, log_in: Callable[[str], Player]
) -> None:
    for number, slug in enumerate(("alpha", "beta", "gamma")):
        make_mode(slug, placement_matches=2 + number)
    record(["me"], ["b"], mode="gamma")
    record(["me"], ["b"], mode="beta", ended_at=NOW + dt.timedelta(seconds=1))
    log_in("me")
    assert steps_of(client) == (PLACEMENT, "beta", 1, 3)
    for second in (2, 3):
        record(["me"], ["b"], mode="alpha", ended_at=NOW + dt.timedelta(seconds=second))
    assert steps_of(client) is None


def test_a_mode_without_placement_has_three_steps(client: Client, newcomer: Player) -> None:
    make_mode("duel", placement_matches=0)
    assert steps_of(client) == (MATCH, "duel", 0, 0)
    assert [line[:2] for line in drawn_on(client)[0]] == ["✓M", "✓L", ">P"]


def test_a_site_without_ranked_modes_promises_no_rank(client: Client, account: User) -> None:
    make_mode("fun", ranked=False)
    assert steps_of(client) == (PLAYER, None, 0, 0)
    Player.objects.create(key="me", name="Me", search_name="me", created_at=NOW, user=account)
    assert steps_of(client) is None
    client.logout()
    assert "first-steps" not in client.get("/").content.decode()


def test_a_mode_that_hides_ratings_gives_another_reason(client: Client, newcomer: Player) -> None:
    make_mode("duel", placement_matches=3, shows_rating=False)
    page = client.get("/").content.decode()
    assert ("you have no rank" in page, HIDDEN in page) == (True, False)


def test_who_played_in_an_earlier_season_is_no_newcomer(client: Client, log_in: Callable[[str], Player]) -> None:
    began = NOW - dt.timedelta(hours=3)
    mode = make_mode("duel", placement_matches=3, now=began)
    record(["me"], ["b"], ended_at=began, now=began)
    end(mode, at=NOW - dt.timedelta(hours=1))
    log_in("me")
    assert steps_of(client) is None
    assert "home-begin" in client.get("/").text


@pytest.mark.parametrize(("matches", "queries"), [(0, 1), (1, 1), (3, 0)])
def test_who_is_placed_costs_no_query(
    client: Client,
    log_in: Callable[[str], Player],
    django_assert_num_queries: DjangoAssertNumQueries,
    matches: int,
    queries: int,
) -> None:
    make_mode("duel", placement_matches=3)
    record(["me"], ["b"])
    for second in range(1, matches):
        record(["me"], ["b"], ended_at=NOW + dt.timedelta(seconds=second))
    if not matches:
        Player.objects.create(key="new", name="New", search_name="new", created_at=NOW)
    player = log_in("me" if matches else "new")
    home = client.get("/").context["home"]
    modes = [card.board.mode for card in home.cards]
    with django_assert_num_queries(queries):
        find_first_steps(player, home.own, modes, has_account=True)


def test_pages_for_players_say_the_steps_to_accounts_without_one(client: Client, account: User) -> None:
    make_queue(slug="duel")
    claim, shown = "/account/claim/", {}
    others = ("/play/duel/", "/party/", "/people/", "/boards/duel/friends/")
    for path in ("/account/", claim, *others):
        lines, buttons = drawn_on(client, path)
        shown[path] = "".join(line[0] for line in lines), buttons, 'href="/help/#link"' in client.get(path).text
    assert shown == {path: ("✓>PF", [claim] if path in others else [], True) for path in shown}


@pytest.mark.parametrize("path", ["/account/", "/account/claim/"])
def test_who_has_a_player_reads_no_steps_there(client: Client, newcomer: Player, path: str) -> None:
    make_mode("duel")
    assert drawn_on(client, path) == ([], [])


def test_the_own_page_says_what_is_hidden_and_why(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel", placement_matches=3)
    record(["me"], ["b"])
    log_in("me")
    own, other = (client.get(f"/players/{key}/").content.decode() for key in ("me", "b"))
    assert (HIDDEN in own, HIDDEN in other) == (True, False)
    assert ('href="/help/#placement"' in own, 'href="/help/#placement"' in other) == (True, True)
