import datetime as dt

import pytest
import time_machine

from ranking.models import Player
from ranking.players.tokens import LIFE, find_bearer, issue_token
from tests.support.factories import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def player() -> Player:
    return Player.objects.create(key="p1", name="Kestrel", search_name="kestrel", created_at=NOW)


@pytest.mark.parametrize(("later", "good"), [(0, True), (3_599, True), (3_601, False)])
def test_a_token_is_its_players_for_an_hour(player: Player, later: int, good: bool) -> None:
    with time_machine.travel(NOW, tick=False):
        token = issue_token(player)
    with time_machine.travel(NOW + dt.timedelta(seconds=later), tick=False):
        assert find_bearer(token) == (player if good else None)
    assert dt.timedelta(hours=1) == LIFE


@pytest.mark.parametrize("change", ["x", " ", "\u00e9", "\0"])
def test_a_token_that_was_changed_is_nobodys(player: Player, change: str) -> None:
    assert find_bearer(issue_token(player) + change) is None
