"""Tiers begin with twenty listed players: before, no page, answer, message or achievement gives one."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from leaderboards.achievements.reading import read_mode
from leaderboards.announcing import tell_standings
from leaderboards.models import Achievement, Delivery, Notice, Progress, Watch
from leaderboards.people.following import follow_player
from leaderboards.profiles.cards import load_card
from ranking.models import Mode, Participation, Player
from ranking.modes.changes import change_settings
from ranking.operations import outbox
from ranking.standings.publishing import publish
from tests.support.api import get
from tests.support.factories import LATER, NOW, make_mode, record
from tests.support.webhooks import make_hook

pytestmark = pytest.mark.django_db
FEW, MANY = 19, 20
PAGES = ("/boards/all/", "/boards/all/distribution/", "/players/p00/", "/compare/p00/p01/", "/boards/all/?q=p0",
         "/players/p00/badge.svg")  # fmt: skip
OWN_PAGES = ("/", "/boards/all/friends/", *PAGES)
NAMES = re.compile(r"tier-\w+|Bronze|Silver|Gold|Platinum|Diamond|Master")
TO_EARN = re.compile(r'<div class="badges-locked">.*?</div>', re.DOTALL)  # a tier may be something to earn
BEGINS = "iers begin with 20 ranked players"


def play(players: int) -> None:
    record(*[[f"p{number:02}"] for number in range(players)], mode="all")


def make_all(players: int, **settings: object) -> Mode:
    """A published mode in which so many are listed; p00 is the best."""
    mode = make_mode("all", team_count=players, team_size_max=1, **{"tier_least_listed": 20, **settings})
    play(players)
    publish(mode, now=NOW)
    return mode


def texts(client: Client, pages: tuple[str, ...]) -> dict[str, str]:
    return {page: TO_EARN.sub("", client.get(page).content.decode().split("<main")[-1]) for page in pages}


def test_twenty_is_what_a_mode_begins_with() -> None:
    assert Mode().tier_least_listed == 20


@pytest.mark.parametrize(("players", "tiers"), [(FEW, False), (MANY, True)])
def test_pages(client: Client, log_in: Callable[[str], Player], players: int, tiers: bool) -> None:
    make_all(players)
    follow_player(log_in("p00"), Player.objects.get(key="p01"), now=NOW)
    found = {page: bool(NAMES.search(text)) for page, text in texts(client, OWN_PAGES).items()}
    assert found == dict.fromkeys(OWN_PAGES, tiers)
    said = {page for page, text in texts(client, OWN_PAGES).items() if BEGINS in text}
    assert said == (set() if tiers else {*OWN_PAGES} - {"/boards/all/?q=p0", "/players/p00/badge.svg"})


@pytest.mark.parametrize(("players", "tier"), [(FEW, None), (MANY, "Master")])
def test_answers_and_pictures(players: int, tier: str | None) -> None:
    make_all(players)
    items = [get("boards/all/").body["items"][0], get("players/p00/").body["modes"][0]]
    assert [item["tier"] and item["tier"]["name"] for item in items] == [tier, tier]
    assert [item["percentile"] for item in items] == [100, 100]
    card = load_card("p00", "all", LATER)
    assert card is not None
    assert card.tier == (tier or "")
    assert get("modes/").body["items"][0]["tier_least_listed"] == 20


@pytest.mark.parametrize(("shows_tier", "said"), [(True, True), (False, False)])
def test_a_mode_that_shows_no_tiers_says_nothing_of_them(client: Client, shows_tier: bool, said: bool) -> None:
    make_all(FEW, shows_tier=shows_tier)
    assert any(BEGINS in text for text in texts(client, PAGES).values()) is said


def reached(mode: Mode, anew: bool = False) -> set[str]:
    read_mode(mode, NOW, anew=anew)
    rows = Achievement.objects.filter(player__key="p00", feat__startswith="tier-")
    return set(rows.values_list("feat", flat=True))


@pytest.mark.parametrize(("players", "count"), [(FEW, 0), (MANY, 5)])
def test_achievements_go_by_the_number_listed_then(players: int, count: int) -> None:
    mode = make_all(players)
    play(players)
    assert Participation.objects.filter(player__key="p00").latest("pk").listed_after == players
    assert len(reached(mode)) == count


def test_no_tier_granted_is_withdrawn() -> None:
    mode = make_all(FEW, tier_least_listed=0)
    play(FEW)
    granted = reached(mode)
    assert "tier-master" in granted
    change_settings(mode, now=NOW, tier_least_listed=20)
    assert reached(mode, anew=True) == granted
    Achievement.objects.all().delete()
    Progress.objects.all().delete()
    assert reached(mode) == set()


def settle(mode: Mode) -> list[str]:
    """What jobs do; the tiers that players were told of."""
    outbox.sweep(NOW)
    publish(mode, now=NOW)
    tell_standings(mode, NOW)
    return sorted(Notice.objects.filter(kind="tier").values_list("data__tier", flat=True))


@pytest.mark.parametrize("players", [FEW, MANY])
def test_notices_and_promotions(players: int) -> None:
    make_hook(events=["player.promoted"])
    mode = make_all(players, params={"alpha": 1})
    Player.objects.filter(key="p18").update(user=User.objects.create_user("p18"))
    settle(mode)
    for _ in range(4):
        record(*[[f"p{number:02}"] for number in reversed(range(players))], mode="all")
    told = settle(mode)
    assert (bool(told), Delivery.objects.filter(type="player.promoted").exists()) == (players == MANY,) * 2


def test_players_are_told_of_their_tier_when_tiers_begin() -> None:
    mode = make_all(FEW)
    Player.objects.filter(key="p00").update(user=User.objects.create_user("p00"))
    assert settle(mode) == []
    assert Watch.objects.get(rating__player__key="p00").level == 0
    change_settings(mode, now=NOW, tier_least_listed=FEW)
    play(FEW)
    assert settle(Mode.objects.get()) == ["Master"]
