"""Boards to look at. The clock of these tests stands a minute after the factories' NOW."""

import datetime as dt
from collections.abc import Callable, Iterator

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client

from leaderboards.models import Webhook
from ranking.models import Mode, Player
from ranking.standings.publishing import publish
from tests.support.factories import LATER, NOW, make_mode, record
from tests.support.webhooks import Receiver, make_hook, receive

CROWD = 60


@pytest.fixture(autouse=True)
def _clock() -> Iterator[None]:
    with time_machine.travel(LATER, tick=False):
        yield


@pytest.fixture
def crowd() -> Callable[..., Mode]:
    """Makes a mode `crowd` with a published board of 60 players a match; two matches tie them in pairs."""

    return make_crowd


def make_crowd(matches: int = 1, **settings: object) -> Mode:
    """For fixtures of a module's scope what `crowd` gives."""
    mode = make_mode("crowd", params={"alpha": 1}, team_count=CROWD, team_size_max=1, **settings)
    for number in range(matches):
        rosters = [[f"p{number}-{place:02}"] for place in range(CROWD)]
        record(*rosters, mode="crowd", ended_at=NOW - dt.timedelta(minutes=number))
    publish(mode, now=NOW)
    return mode


@pytest.fixture
def log_in(client: Client) -> Callable[[str], Player]:
    """Logs in an account whose player has this key."""

    def enter(key: str) -> Player:
        player = Player.objects.get(key=key)
        player.user = User.objects.create_user(f"user-{player.pk}")
        player.save()
        client.force_login(player.user)
        return player

    return enter


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A real receiver of webhooks on this machine."""
    with receive() as listening:
        yield listening


@pytest.fixture
def hook(db: None, receiver: Receiver, settings: object) -> Webhook:
    """A game's webhook that leads to the receiver."""
    settings.WEBHOOK_ALLOW_PRIVATE = True
    return make_hook(url=receiver.url)
