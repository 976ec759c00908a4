"""Whom a match's players passed on the board, as the match page says it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from leaderboards.people.following import block_player
from ranking.models import Match, Passing, Player
from ranking.moderation.merges import merge_players
from ranking.moderation.splits import split_players
from ranking.players.anonymising import anonymise_player
from ranking.standings.publishing import publish
from tests.support.factories import LATER, NOW, ban_player, hide_player, make_mode, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    """a is at 1.05, b to h at 1.10; then a wins a match, and draws level with them."""
    mode = make_mode(system="team-ratio")
    for player in "abcdefgh":
        for _ in range(1 if player == "a" else 2):
            record([player], ["z"])
    publish(mode, now=NOW)
    last: Match = record(["a"], ["y"]).record.match  # type: ignore[union-attr]
    publish(mode, now=NOW)
    return last


def seen(match: Match, viewer: Player | None = None) -> tuple[int, list[str]]:
    """How many a passed, and their names, as the page's seat has them for a viewer."""
    client = Client()
    if viewer is not None:
        client.force_login(User.objects.get_or_create(username=viewer.key)[0])
    seats = client.get(f"/matches/{match.pk}/").context["game"].seats
    passing = next(seat.passing for seat in seats if seat.player.key == "a")
    return passing.passed.count, [player.name for player in passing.passed.players]


def player_of(key: str) -> Player:
    return Player.objects.get(key=key)


def login(key: str) -> Player:
    player = player_of(key)
    player.user = User.objects.create_user(key)
    player.save()
    return player


def test_five_have_names_and_all_are_counted(match: Match) -> None:
    assert seen(match) == (7, ["b", "c", "d", "e", "f"])
    client = Client()
    for user in (None, login("a").user):  # below the line in the table, and in the player's own card
        if user is not None:
            client.force_login(user)
        assert client.get(f"/matches/{match.pk}/").text.count("and 2 more") == 1


def test_who_may_not_be_named_is_counted(match: Match) -> None:
    viewer, stranger = login("a"), login("y")
    block_player(viewer, player_of("b"), now=NOW)
    assert seen(match, viewer) == (7, ["c", "d", "e", "f"])
    assert seen(match, stranger) == (7, ["b", "c", "d", "e", "f"])
    block_player(player_of("c"), viewer, now=NOW)
    assert seen(match, viewer) == (7, ["d", "e", "f"])
    hide_player(player_of("d"), now=NOW)
    Player.objects.filter(key="e").update(hides_matches=True)
    ban_player(player_of("f"), scope="boards", reason="x", by=None, now=NOW)
    assert seen(match, viewer) == (7, [])
    assert seen(match) == (7, ["b", "c"])
    anonymise_player(player_of("b"), now=LATER)
    assert seen(match) == (7, ["c"])


def test_a_merged_player_has_the_kept_players_name_until_they_are_split(match: Match) -> None:
    make_mode("other")
    record(["kept"], ["x"], mode="other")
    record(["kept"], ["z"])
    publish(match.mode, now=NOW)
    merge = merge_players(player_of("kept"), player_of("b"), by=None, reason="x", now=NOW)
    assert seen(match) == (7, ["kept", "c", "d", "e", "f"])
    split_players(merge, by=None, reason="x", now=LATER)
    assert seen(match) == (7, ["b", "c", "d", "e", "f"])


def test_a_match_without_names_says_its_ranks_alone(match: Match) -> None:
    Passing.objects.all().delete()
    viewer = login("a")
    client = Client()
    client.force_login(viewer.user)  # type: ignore[arg-type]
    page = client.get(f"/matches/{match.pk}/")
    assert page.context["game"].hero.passing is None
    assert "<dt>Passed" not in page.text
    assert "<dt>Rank</dt>" in page.text


def test_nobody_passed_is_not_told(match: Match) -> None:
    """Neither in a player's own card nor below another's line."""
    Passing.objects.update(passed=0, passed_by=0, passed_players=[], passed_by_players=[])
    client = Client()
    for user in (None, login("a").user):
        if user is not None:
            client.force_login(user)
        page = client.get(f"/matches/{match.pk}/")
        assert [seat.passing is not None for seat in page.context["game"].seats] == [True, False]
        assert "<dt>Passed" not in page.text
