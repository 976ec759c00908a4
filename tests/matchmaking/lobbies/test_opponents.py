"""What a lobby tells about its players once all have accepted: their form, and how the viewer fared against each."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboards.profiles.meetings import Tally
from matchmaking.lobbies.opponents import with_opponents
from matchmaking.lobbies.page import load_lobby_page
from matchmaking.lobbies.sides import Opponent
from matchmaking.models import Lobby
from ranking.models import Player
from tests.support.factories import record
from tests.support.matchmaking import accept_all, later, make_lobby, make_queue

pytestmark = pytest.mark.django_db


def opponents_of(viewer: Player) -> dict[str, Opponent | None]:
    lobby = Lobby.objects.select_related("queue__mode", "server").get()
    return {seat.player.key: seat.opponent for seat in with_opponents(load_lobby_page(lobby, viewer, later(3))).seats}


@pytest.fixture
def pair() -> tuple[Player, Player]:
    """Two in a lobby who met four times; one of them has played against others, too."""
    _, [one, two] = make_lobby(make_queue())
    for places in ((1, 2), (1, 2), (2, 1), (1, 1)):
        record([one.key], [two.key], places=places)
    record([two.key], ["other"])
    return one, two


def test_nothing_is_told_until_everybody_has_accepted(pair: tuple[Player, Player]) -> None:
    one, two = pair
    assert set(opponents_of(one).values()) <= {None}
    accept_all(Lobby.objects.get())
    forms = {"one": ("win", "win", "loss", "draw"), "two": ("loss", "loss", "win", "draw", "win")}
    assert opponents_of(one) == {one.key: Opponent(forms["one"]), two.key: Opponent(forms["two"], Tally(2, 1, 1))}
    assert opponents_of(two) == {one.key: Opponent(forms["one"], Tally(1, 1, 2)), two.key: Opponent(forms["two"])}


def test_who_hides_their_matches_shows_their_form_to_nobody_else(pair: tuple[Player, Player]) -> None:
    one, two = pair
    Player.objects.filter(pk=two.pk).update(hides_matches=True)
    accept_all(Lobby.objects.get())
    assert opponents_of(one)[two.key] == Opponent((), Tally(2, 1, 1))
    assert [bool(opponent and opponent.form) for opponent in opponents_of(two).values()] == [True, True]


def test_it_is_read_once_for_each_viewer(pair: tuple[Player, Player]) -> None:
    accept_all(Lobby.objects.get())
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            opponents_of(pair[0])
        counts.append(sum("last_changes" in query["sql"] or "participation" in query["sql"] for query in queries))
    assert counts[0] == 3
    assert counts[1] == 0


def test_a_player_whom_a_merge_has_brought_in_is_shown_without_anything(pair: tuple[Player, Player]) -> None:
    one, two = pair
    lobby = Lobby.objects.get()
    accept_all(lobby)
    assert opponents_of(one)[two.key]
    kept = Player.objects.get(key="other")
    lobby.refresh_from_db()
    lobby.teams = [[kept.pk if pk == two.pk else pk for pk in team] for team in lobby.teams]
    lobby.save()
    assert opponents_of(one)[kept.key] is None
