"""Matches under way, as everybody may see them: three minutes late, and without the names of players who hide."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboards.models import Following
from matchmaking import lifecycle
from matchmaking.lobbies.under_way import MOST, find_playing, find_playing_friends, find_under_way
from matchmaking.models import Lobby, Ticket
from ranking.models import Player
from tests.support.factories import NOW
from tests.support.matchmaking import form, later, make_player, make_queue, queue_up

pytestmark = pytest.mark.django_db


def begin(queue: Any, *names: str, at: float = 0.0) -> Lobby:
    for name in names:
        queue_up(queue, make_player(name))
    lobby: Lobby = next(iter(form(queue)))
    Lobby.objects.filter(pk=lobby.pk).update(state=lifecycle.LIVE, started_at=later(at), blind=False)
    Ticket.objects.filter(lobby=lobby).update(state=lifecycle.PLAYING)
    return lobby


def names_at(seconds: float) -> list[set[str]]:
    return [
        {player.key if player else "" for team in match.teams for player in team}
        for match in find_under_way(later(seconds))
    ]


def test_a_match_is_listed_three_minutes_after_it_began_until_it_is_over() -> None:
    lobby = begin(make_queue(), "fox", "owl")
    assert [names_at(second) for second in (0, 179, 180)] == [[], [], [{"fox", "owl"}]]
    Lobby.objects.filter(pk=lobby.pk).update(state=lifecycle.LOST, closed_at=NOW)
    assert names_at(200) == []


@pytest.mark.parametrize("hiding", [{"hides_matches": True}, {"hides_playing": True}, {"hidden_at": NOW}])
def test_who_hides_has_no_name(hiding: dict[str, Any]) -> None:
    begin(make_queue(), "fox", "owl")
    Player.objects.filter(key="fox").update(**hiding)
    assert names_at(180) == [{"", "owl"}]
    ids = list(Player.objects.values_list("pk", flat=True))
    assert find_playing(ids, later(180)) == {Player.objects.get(key="owl").pk}
    assert find_playing(ids, later(179)) == frozenset()


def follow(*pairs: tuple[str, str]) -> None:
    for follower, followed in pairs:
        Following.objects.create(
            follower=Player.objects.get(key=follower), followed=Player.objects.get(key=followed), since=NOW
        )


def test_friends_see_it_from_the_last_accept_on(subtests: pytest.Subtests) -> None:
    me = make_player("me")
    lobby = begin(make_queue(), "fox", "owl")
    ids = set(Player.objects.values_list("pk", flat=True))
    fox, owl = (Player.objects.get(key=key) for key in ("fox", "owl"))
    follow(("me", "fox"), ("fox", "me"), ("me", "owl"))  # the owl doesn't follow back
    Lobby.objects.filter(pk=lobby.pk).update(state=lifecycle.READY, ready_at=NOW, started_at=None)
    cases = (
        (lifecycle.ACCEPTING, {}, set()),
        (lifecycle.READY, {}, {fox.pk}),
        (lifecycle.READY, {"hides_playing": True}, set()),
    )
    for state, hiding, seen in cases:
        with subtests.test(state=state, hiding=hiding):
            Lobby.objects.filter(pk=lobby.pk).update(state=state)
            Player.objects.filter(pk=fox.pk).update(**hiding)
            assert find_playing(ids, NOW, viewer=me.pk) == seen
            assert {player.pk for player, _ in find_playing_friends(me.pk, NOW)} == seen
            assert find_playing(ids, NOW) == find_playing(ids, NOW, viewer=owl.pk) == set()


def test_queries(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        assert find_under_way(NOW) == []
    queue = make_queue()
    for number in range(MOST + 1):
        begin(queue, f"a{number}", f"b{number}", at=number)
    with django_assert_num_queries(2):
        assert len(find_under_way(later(1000))) == MOST
    with django_assert_num_queries(0):
        assert find_playing([], NOW) == frozenset()
    me = make_player("me")
    follow(*(("me", f"a{number}") for number in range(MOST + 1)))
    with django_assert_num_queries(1):
        friends = [player.key for player, _ in find_playing_friends(me.pk, later(1000))]
    assert friends == [f"a{number}" for number in range(MOST)]


def test_home_lists_them_by_name(client: Client) -> None:
    begin(make_queue(), "fox", "owl")
    Lobby.objects.update(started_at=timezone.now() - (later(181) - NOW))
    main = client.get("/").text
    assert ("Being played now" in main, ">fox</a>" in main) == (True, True)
