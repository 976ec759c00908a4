"""Conduct on a player's page: for their own eyes and moderators', and what a ban does to standing."""

import datetime as dt

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboards.boards.absence import absence_of
from leaderboards.display.decay import draw_decay
from ranking.models import Player, Rating
from ranking.rules.conduct import LEAVE, Lapse
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.factories import NOW, ban_player, make_mode, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def me() -> Player:
    make_mode()
    record(["me"], ["b"])
    Player.objects.filter(key="me").update(user=User.objects.create_user("me"))
    return Player.objects.get(key="me")


def leave(ago: dt.timedelta = dt.timedelta(minutes=1)) -> None:
    now = timezone.now()
    record(["b"], [PlayerReport(id="me", left_early=True)], ended_at=now - ago, now=now)


def page(user: str | None) -> str:
    client = Client()
    if user is not None:
        client.force_login(User.objects.get(username=user))
    return client.get(reverse("leaderboards:player", args=["me"])).text


@pytest.mark.parametrize(("user", "seen"), [("me", True), ("boss", True), ("other", False), (None, False)])
def test_who_sees_it(me: Player, user: str | None, seen: bool) -> None:
    User.objects.create_superuser("boss")
    User.objects.create_user("other")
    leave()
    assert ("points for leaving" in page(user)) == seen


def test_it_says_what_for_and_until_when(me: Player) -> None:
    leave()
    text = page("me")
    assert "<b>3.0</b> points for leaving" in text
    assert "data-left>9:00" in text
    assert "You left a match on " in text


@pytest.mark.parametrize("days", [None, 60])
def test_nothing_where_there_is_nothing_to_tell(me: Player, days: int | None) -> None:
    if days:
        leave(dt.timedelta(days=days))
    assert "Conduct" not in page("me")


def test_a_ban_alone_is_told_without_a_chart(me: Player) -> None:
    ban_player(me, scope="queue", by=None, reason="Cheating", now=timezone.now())
    text = page("me")
    assert "<strong>no queueing</strong>" in text
    assert "You are banned from queues for good: Cheating.</p>" in text
    assert "conduct-area" not in text


@pytest.mark.parametrize("leaves", [1, 3])
def test_two_queries_more_on_ones_own_page(
    me: Player, django_assert_num_queries: DjangoAssertNumQueries, leaves: int
) -> None:
    client = Client()
    client.force_login(User.objects.get(username="me"))
    for _ in range(leaves):
        leave()
    with django_assert_num_queries(23):
        client.get(reverse("leaderboards:player", args=["me"]))


@pytest.mark.parametrize(
    ("days", "until"),
    [(3, "23 May 2026"), (0.5, "21 May 2026, 00:00 UTC"), (None, "a moderator brings the rank back")],
)
def test_a_ban_from_boards_is_why_they_are_not_on_it(me: Player, days: float | None, until: str) -> None:
    ends_at = NOW + dt.timedelta(days=days) if days else None
    ban_player(me, scope="boards", by=None, reason="x", now=NOW, ends_at=ends_at)
    rating = Rating.objects.select_related("mode").get(player=me)
    publish(rating.mode, now=NOW)
    rating.refresh_from_db()
    absence = absence_of(rating, me, rating.mode, NOW)
    assert absence is not None
    assert (absence.words, absence.next_step) == (
        "Hidden by a moderator", f"Matches still count; hidden until {until}.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("days", "begins", "now_at", "ends"),
    [
        ([0], "M0.0 80.0", "300.0 0.0", "600.0 61.7"),
        ([7], "M0.0 80.0", "300.0 41.7", "600.0 71.2"),
        ([20], "M0.0 0.0", "300.0 61.7", "600.0 75.8"),
    ],
)
def test_the_drawing_decays_from_one_side_to_the_other(days: list[int], begins: str, now_at: str, ends: str) -> None:
    drawn = draw_decay([Lapse(LEAVE, NOW - dt.timedelta(days=day)) for day in days], NOW)
    assert drawn.past.startswith(begins + "L")
    assert drawn.past.endswith("L" + now_at)
    assert drawn.future.startswith("M" + now_at + "L")
    assert drawn.future.endswith("L" + ends)
