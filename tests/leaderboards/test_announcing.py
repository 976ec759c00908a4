"""What players are told after a publication: once each, and only of what they reached themselves."""

import datetime as dt

import pytest
import time_machine
from django.contrib.auth.models import User

from leaderboards.announcing import note_played, tell_standings
from leaderboards.models import Delivery, Notice, Watch, Webhook
from leaderboards.notifications.wording import words_of
from ranking.models import Event, Mode, Player, Rating
from ranking.operations import outbox
from ranking.standings.publishing import publish
from tests.support.factories import LATER, NOW, hide_player, make_mode, record

pytestmark = pytest.mark.django_db
MINUTE, DAY = dt.timedelta(minutes=1), dt.timedelta(days=1)
CROWD = 40


@pytest.fixture
def mode(_mode: None, db: None) -> Mode:
    """A published duel of forty, `me` the last of them, with an account."""
    return Mode.objects.get()


@pytest.fixture(scope="module")
def _mode(module_db: None) -> None:
    with time_machine.travel(LATER, tick=False):
        make_mode(team_count=CROWD, team_size_max=1, params={"alpha": 1})
        finish([*(f"p{number:02}" for number in range(CROWD - 1)), "me"])
        Player.objects.filter(key="me").update(user=User.objects.create_user("me"))


def finish(order: list[str], now: dt.datetime = NOW) -> None:
    record(*[[key] for key in order], now=now, ended_at=now)


def settle(mode: Mode, now: dt.datetime = NOW, **more: int) -> int:
    """What jobs do: the outbox, a publication, and looking at who played."""
    outbox.sweep(now)
    publish(mode, now=now)
    return tell_standings(mode, now, **more)


FACTS = {"tier": ["tier"], "top": ["percent"], "rank": ["by", "rank"]}  # of a notice of this kind, in its sentence


def told(kind: str = "") -> list[tuple[str | int, ...]]:
    """Of each notice its kind and its facts, which its sentence names."""
    notices = Notice.objects.filter(kind__in=list(FACTS)).order_by("id").select_related("mode")
    every = [(each, [each.data[name] for name in FACTS[each.kind]]) for each in notices if kind in ("", each.kind)]
    for each, facts in every:
        words = words_of(each.kind, each.data, each.mode.name)
        assert [str(fact) for fact in (*facts, each.mode.name) if str(fact) not in words] == []
    return [(each.kind, *facts) for each, facts in every]


def win(mode: Mode, times: int = 1, now: dt.datetime = NOW) -> None:
    for _ in range(times):
        finish(["me", *(f"p{number:02}" for number in range(CROWD - 2, -1, -1))], now)
    settle(mode, now)


def test_being_seen_first_tells_nothing(mode):
    assert settle(mode) == 1
    assert told() == []
    assert Watch.objects.values_list("pending", "level", "top").get() == (False, 0, 101)


def test_a_tier_is_told_once_and_says_more_than_the_share(mode):
    settle(mode)
    win(mode, 3)
    assert (told("tier"), told("top")) == ([("tier", "Master")], [])
    Watch.objects.update(pending=True, level=0, top=101)
    tell_standings(mode, NOW)
    assert told() == [("tier", "Master")]


def test_a_share_is_told_once_if_it_comes_without_a_tier(mode):
    settle(mode)
    win(mode, 3)
    for _ in range(2):
        Watch.objects.update(pending=True, top=101)
        tell_standings(mode, NOW)
    assert told("top") == [("top", 5)]


def test_falling_and_coming_back_is_no_news(mode):
    settle(mode)
    win(mode, 3)
    for _ in range(6):
        finish([*(f"p{number:02}" for number in range(CROWD - 1)), "me"])
    settle(mode)
    assert (
        Rating.objects.filter(
            published_hundredths__gt=Rating.objects.get(player__key="me").published_hundredths
        ).count()
        > 10
    )
    win(mode, 8)
    assert told() == [("tier", "Master")]
    assert Watch.objects.values_list("level", "top").get() == (15, 5)


def test_a_move_since_yesterday_is_told_and_replaced_until_it_is_read(mode):
    settle(mode, NOW)
    win(mode, 1, NOW + DAY)
    first = told("rank")
    win(mode, 3, NOW + DAY + MINUTE)
    assert (len(first), told("rank")) == (1, [("rank", 39, 1)])
    Notice.objects.update(read_at=NOW)
    settle(mode, NOW + DAY + 2 * MINUTE)
    win(mode, 1, NOW + DAY + 3 * MINUTE)
    assert len(told("rank")) == 1
    win(mode, 1, NOW + 2 * DAY)
    assert len(told("rank")) == 1  # first yesterday, too


@pytest.mark.parametrize(
    ("hidden", "left"),
    [
        ({"shows_tier": False}, [("top", 5)]),
        ({"shows_percentile": False}, [("tier", "Master")]),
    ],
)
def test_what_a_mode_hides_is_not_told(mode, hidden, left):
    settle(mode)
    Mode.objects.update(**hidden)
    mode.refresh_from_db()
    win(mode, 3)
    assert told() == left


def test_who_has_no_account_is_not_watched(mode):
    settle(mode)
    assert set(Watch.objects.values_list("rating__player__key", flat=True)) == {"me"}


def test_who_is_not_published_yet_is_looked_at_next_time(mode):
    outbox.sweep(NOW)
    assert tell_standings(mode, NOW) == 0  # no board yet
    publish(mode, now=NOW)
    Rating.objects.update(to_publish=True)
    assert tell_standings(mode, NOW) == 0
    publish(mode, now=NOW)
    assert [tell_standings(mode, NOW), tell_standings(mode, NOW)] == [1, 0]


def test_who_is_hidden_is_not_told(mode):
    settle(mode)
    hide_player(Player.objects.get(key="me"), now=NOW)
    win(mode, 3)
    assert told() == []


def test_chunks_reach_everybody(mode):
    for player in Player.objects.filter(user=None)[:20]:
        player.user = User.objects.create_user(player.key)
        player.save()
    assert settle(mode, chunk=7) == 21


@pytest.mark.parametrize("accounts", [1, 30])
def test_queries_are_as_many_however_many_are_told(mode, django_assert_num_queries, accounts):
    for player in Player.objects.filter(key__in=[f"p{number:02}" for number in range(10, 9 + accounts)]):
        player.user = User.objects.create_user(player.key)
        player.save()
    settle(mode)
    finish(["me", *(f"p{number:02}" for number in range(CROWD - 2, -1, -1))])
    events = list(Event.objects.filter(kind=Event.MATCH).values_list("id", flat=True))
    with django_assert_num_queries(3):
        note_played(events, NOW)
    publish(mode, now=NOW)
    with django_assert_num_queries(12):
        assert tell_standings(mode, NOW) == accounts


def test_promotions_are_queued_for_webhooks_that_want_them(mode):
    hook = Webhook.objects.create(
        name="x", kind="game", url="https://example.org/", events=["player.promoted"], created_at=NOW
    )
    settle(mode)
    assert Watch.objects.count() == CROWD
    win(mode, 3)
    delivery = Delivery.objects.get(data__player__id="me")
    assert (delivery.webhook, delivery.type) == (hook, "player.promoted")
    assert delivery.data == {
        "mode": {"id": "duel", "name": "Duel"},
        "season": 1,
        "player": {"id": "me", "name": "me"},
        "tier": "Master",
        "rank": 1,
        "listed": CROWD,
    }
