"""Taking the end of a season back in the admin, and the admin's list of seasons."""

import datetime as dt

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from ranking.models import AuditEntry, Mode, Rating, Season, Strike
from ranking.seasons.strikes import strike_ratings
from ranking.standings.publishing import publish
from tests.support.factories import make_mode, make_staff, record
from tests.support.seasons import end, season_of

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def mode(_mode, db):
    """A mode whose first season, of a, b and c, is over."""
    return Mode.objects.get()


@pytest.fixture(scope="module")
def _mode(module_db):
    began = timezone.now() - 5 * HOUR
    mode = make_mode(now=began, time_zone="Europe/Berlin")
    for winner, loser in ("ab", "ac", "bc"):
        record([winner], [loser], ended_at=began + HOUR, now=began + HOUR)
    end(mode, at=began + 2 * HOUR)
    publish(mode, now=timezone.now())


def page(mode):
    return reverse("admin:ranking_mode_take_back_end", args=[mode.pk])


def text_of(answer):
    return " ".join(answer.content.decode().split())


def test_an_end_is_taken_back_with_a_reason(boss, mode):
    assert "Season 1 goes on" in text_of(boss.get(page(mode)))
    assert boss.post(page(mode), {"reason": ""}).context["form"].errors["reason"] == ["Say why."]
    answer = boss.post(page(mode), {"reason": "A day too early.", "ends_at": "2099-07-01 18:00"})
    season = season_of(mode)
    assert (answer.status_code, season.number, season.state) == (302, 1, Season.RUNNING)
    assert season.ends_at == dt.datetime(2099, 7, 1, 16, tzinfo=dt.UTC)
    [entry] = AuditEntry.objects.filter(act="take back end")
    assert (entry.who, entry.reason) == ("boss", "A day too early.")
    assert LogEntry.objects.filter(change_message__contains="the end of Season 1").exists()


def test_the_page_says_why_not(boss, mode):
    record(["a"], ["b"], id="m1", ended_at=timezone.now(), now=timezone.now())
    for answer in (boss.get(page(mode)), boss.post(page(mode), {"reason": "x"})):
        assert "Season 2 has begun: match m1 (test)" in text_of(answer)
        assert 'value="Take back the end"' not in text_of(answer)
    assert season_of(mode).number == 2


def test_a_new_end_in_the_past_is_refused(boss, mode):
    answer = boss.post(page(mode), {"reason": "x", "ends_at": "2020-07-01 18:00"})
    assert [*answer.context["form"].errors] == ["ends_at"]
    assert season_of(mode).number == 2


def rating(key):
    return Rating.objects.get(player__key=key, season__number=1)


def test_the_list_of_seasons(boss, mode, django_assert_max_num_queries):
    strike_ratings([rating("a").pk], by=None, reason="x", now=timezone.now())
    address = reverse("admin:ranking_season_changelist")
    with django_assert_max_num_queries(9):
        text = text_of(boss.get(address))
    assert "a (struck), b, c" in text
    assert f'href="/admin/ranking/rating/?season={rating("a").season_id}"' in text
    assert text.count(page(mode)) == 1  # of the last end alone
    assert [len(boss.get(f"{address}?q={term}").context["cl"].result_list) for term in ("son 2", "duel", "x")] == [
        1, 2, 0,
    ]  # fmt: skip
    assert len(boss.get(f"{address}?state=archived").context["cl"].result_list) == 1


def test_a_moderator_strikes_from_the_board_of_the_season(mode):
    user = make_staff("moderator", "mod")
    client = Client()
    client.force_login(user)
    board = f"{reverse('admin:ranking_rating_changelist')}?season={rating('a').season_id}"
    shown = client.get(board).context["cl"].result_list
    assert [row.player.key for row in shown] == ["a", "b", "c"]
    act = {"action": "strike", "_selected_action": [rating("b").pk]}
    assert "Nobody’s rank moves" in text_of(client.post(board, act))
    client.post(board, {**act, "confirmed": "yes", "reason": "Cheating.", "note": "See the chat."})
    [strike] = Strike.objects.all()
    assert (strike.rating, strike.reason, strike.note, strike.by) == (rating("b"), "Cheating.", "See the chat.", user)
    own = reverse("admin:ranking_rating_change", args=[rating("b").pk])
    assert set(client.get(own).context["object_actions"]) == {"lift_strike"}
    client.post(board, {**act, "action": "lift_strike", "confirmed": "yes", "reason": "Wrong."})
    strike.refresh_from_db()
    assert (strike.lift_reason, strike.lifted_by) == ("Wrong.", user)
    assert page(mode) not in text_of(client.get(reverse("admin:ranking_season_changelist")))


def test_nobody_is_struck_from_a_running_season_in_the_admin(boss, mode):
    record(["a"], ["b"], ended_at=timezone.now(), now=timezone.now())
    row = Rating.objects.get(player__key="a", season__number=2)
    address = reverse("admin:ranking_rating_changelist")
    answer = boss.post(
        address,
        {"action": "strike", "_selected_action": [row.pk], "confirmed": "yes", "reason": "x"},
        follow=True,
    )
    assert "isn’t over" in text_of(answer) or "isn&#x27;t over" in text_of(answer)
    assert not Strike.objects.exists()
