"""Announcements of seasons: made once an occasion, shown to those whom the season lists, and never false."""

import datetime as dt
import re

import pytest
import time_machine
from django.urls import reverse

from leaderboards import tasks
from leaderboards.accounts.data_export import export
from leaderboards.accounts.erasure import erase_player
from leaderboards.models import Announcement, ReadMark
from leaderboards.notifications.notices import load_page
from leaderboards.notifications.season_news import announce_seasons, drop_old, find_announcements, words_about
from ranking.models import Mode, Player, Rating, Season
from ranking.seasons.taking_back import take_back_end
from ranking.standings.publishing import publish
from tests.support.factories import LATER, NOW, make_mode, record
from tests.support.page_tree import read_page
from tests.support.savepoints import rolled_back
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
PAGE, READ, HOME = reverse("leaderboards:notices"), reverse("leaderboards:read"), reverse("leaderboards:home")
DAY, HOUR = dt.timedelta(days=1), dt.timedelta(hours=1)
END = NOW + 30 * DAY


@pytest.fixture
def duel(_duel: None, db: None) -> Mode:
    """A published board of two, whose season ends in thirty days."""
    return Mode.objects.get()


@pytest.fixture(scope="module")
def _duel(module_db: None) -> None:
    with time_machine.travel(LATER, tick=False):
        mode = make_mode()
        Season.objects.update(ends_at=END)
        record(["me"], ["b"])
        publish(mode, now=NOW)


def facts_in(words: str) -> str:
    """The names and numbers in a sentence."""
    return " ".join(re.findall(r"\b[A-Z\d]\w*", words))


def told(key: str = "me") -> list[tuple[str, str]]:
    """Of each announcement its kind, and the names and numbers in its sentence."""
    rows = find_announcements(Player.objects.get(key=key))
    return [(row.kind, facts_in(words_about(row))) for row in rows]


WEEK, A_DAY = ("week", "Season 1 Duel 7"), ("day", "Season 1 Duel")


def kinds() -> list[str]:
    return list(Announcement.objects.order_by("pk").values_list("kind", flat=True))


def end_now(mode: Mode) -> Season:
    Season.objects.filter(mode=mode, current=True).update(ends_at=None)
    return end(mode, at=LATER)


def test_an_end_is_announced_seven_days_and_a_day_before(duel):
    announced = []
    for before in (7 * DAY + HOUR, 7 * DAY, DAY + HOUR, DAY, dt.timedelta()):
        with rolled_back():
            announce_seasons(END - before)
            announced.append(told())
    assert announced == [[], [WEEK], [WEEK], [A_DAY], []]


def test_each_is_made_once(duel):
    assert [announce_seasons(END - days * DAY) for days in (7, 6, 2, 1, 0.5)] == [1, 0, 0, 1, 0]
    assert kinds() == ["week", "day"]
    assert told() == [A_DAY]


@pytest.mark.parametrize(("days", "expected"), [(1, []), (3, []), (13, []), (14, ["week"])])
def test_a_short_season_isnt_announced_as_it_begins(duel, days, expected):
    Season.objects.update(ends_at=NOW + days * DAY)
    announce_seasons(NOW + (days - 6) * DAY if days > 6 else NOW)
    assert kinds() == expected


def test_an_end_that_is_moved_takes_its_announcement_along(duel):
    announce_seasons(END - 6 * DAY)
    Season.objects.update(ends_at=END + 10 * DAY)
    assert told() == []
    announce_seasons(END + 4 * DAY)
    assert told() == [WEEK]


def test_after_an_end_everybody_reads_where_they_ended(duel):
    end_now(duel)
    announce_seasons(LATER)
    assert told() == [("over", "You Duel Season 1 1st 2 Master Season 2")]
    assert told("b") == [("over", "Season 1 Duel 2nd 2 Bronze III Season 2")]
    assert announce_seasons(LATER + HOUR) == 0


def test_the_first_three_of_a_season_get_a_medal(duel):
    end_now(duel)
    announce_seasons(LATER)
    lines = {key: load_page(Player.objects.get(key=key)).lines[0] for key in ("me", "b")}
    assert {key: (line.kind, line.medal, line.words[:34]) for key, line in lines.items()} == {
        "me": ("over", 1, "You are the champion of Duel, Seas"),
        "b": ("over", 2, "Season 1 of Duel is over: you ende"),
    }


def test_what_a_mode_hides_isnt_told(duel):
    end_now(duel)
    announce_seasons(LATER)
    Mode.objects.update(tier_least_listed=3)  # when it ended there were two
    assert told() == [("over", "You Duel Season 1 1st 2 Master Season 2")]
    Mode.objects.update(shows_tier=False)
    assert told() == [("over", "You Duel Season 1 1st 2 Season 2")]


def test_an_unranked_mode_tells_nothing(duel):
    announce_seasons(END - DAY)
    Mode.objects.update(ranked=False)
    assert (told(), announce_seasons(END - HOUR)) == ([], 0)


def test_only_listed_players_are_told(duel):
    record(["late"], ["b"])  # on no board yet
    announce_seasons(END - DAY)
    assert (told("late"), len(told("b"))) == ([], 1)
    publish(duel, now=LATER)
    assert len(told("late")) == 1


def test_a_season_that_is_taken_back_isnt_over(duel):
    end_now(duel)
    announce_seasons(LATER)
    Season.objects.filter(mode=duel, number=2).update(ends_at=LATER + 20 * DAY)
    announce_seasons(LATER + 14 * DAY)
    assert kinds() == ["over", "week"]  # the last one goes with its season
    take_back_end(duel, by=None, reason="Too early.", now=LATER)
    assert (told(), kinds()) == ([], ["over"])


def test_the_next_end_replaces_what_was_told_of_the_last_one(duel):
    end_now(duel)
    announce_seasons(LATER)
    with time_machine.travel(LATER + HOUR, tick=False):
        record(["me"], ["b"], ended_at=LATER + HOUR, now=LATER + HOUR)
        publish(duel, now=LATER + HOUR)
        end(duel, at=LATER + HOUR)
    announce_seasons(LATER + HOUR)
    assert told() == [("over", "You Duel Season 2 1st 2 Master Season 3")]
    assert Announcement.objects.count() == 1


def test_an_end_of_long_ago_isnt_announced(duel):
    end_now(duel)
    assert announce_seasons(LATER + 2 * DAY) == 0


@pytest.mark.parametrize("modes", [1, 3])
def test_announcing_takes_as_many_queries_however_many_modes(duel, django_assert_num_queries, modes):
    for number in range(modes - 1):
        mode = make_mode(f"duel-{number}")
        Season.objects.filter(mode=mode).update(ends_at=END)
        record([f"a{number}"], [f"b{number}"], mode=mode.slug)
        publish(mode, now=NOW)
    with django_assert_num_queries(4):  # near ends; ends that came; known announcements; new ones
        announce_seasons(END - DAY)
    assert len(kinds()) == modes


def test_old_ones_are_dropped(duel, settings):
    settings.NOTICES_KEPT = 10
    announce_seasons(END - DAY)
    ReadMark.objects.create(player=Player.objects.get(key="me"), announcement=Announcement.objects.get(), read_at=END)
    assert drop_old(END + 8 * DAY) == 0
    assert drop_old(END + 10 * DAY) == 2
    assert ReadMark.objects.count() == 0


def test_beat_announces(duel):
    with time_machine.travel(END - DAY, tick=False):
        tasks.announce_seasons()
    assert kinds() == ["day"]


def test_they_stand_among_notices_with_a_count_and_are_read_once(client, duel, log_in, django_assert_num_queries):
    me = log_in("me")
    other = make_other(duel)
    Season.objects.filter(mode=other, current=True).update(ends_at=None)
    end(other, at=LATER - dt.timedelta(seconds=1))
    end_now(duel)
    announce_seasons(LATER)
    assert "Notifications, 2 unread" in client.get(HOME).text
    expected = [facts for _, facts in told()]  # the final rank table is read once, then cached
    with django_assert_num_queries(
        7
    ):  # session, user, player with what is unread; topics; notices; announcements; modes
        page = client.get(PAGE)
    assert [facts_in(line.words) for line in page.context["page"].lines] == expected
    assert "?season=1&amp;around=me" in page.text
    client.post(READ, {"announcement": first_of(duel)})
    assert "Notifications, 1 unread" in client.get(HOME).text
    for _ in range(2):
        client.post(READ, {"upto": 0, "announced": first_of(other)})
    assert "Notifications</span>" in client.get(HOME).text
    assert list(ReadMark.objects.order_by("announcement").values_list("player", flat=True)) == [me.pk, me.pk]


def first_of(mode: Mode) -> int:
    return Announcement.objects.get(season__mode=mode).pk


def make_other(duel: Mode) -> Mode:
    """Another mode, with the same board and the same end."""
    mode = make_mode("teams")
    Season.objects.filter(mode=mode).update(ends_at=END)
    record(["me"], ["b"], mode="teams")
    publish(mode, now=NOW)
    return mode


def test_what_happens_in_several_modes_at_one_moment_is_one_notice(client, duel, log_in):
    """It has a line for each mode, counts as one, and is read at once."""
    me = log_in("b")
    other = make_other(duel)
    seen = []
    for over in (False, True):
        for mode in (duel, other) if over else ():
            end_now(mode)
        announce_seasons(LATER if over else END - 7 * DAY)
        [line] = load_page(me).lines
        unread = "Notifications, 1 unread" in client.get(HOME).text
        seen.append((line.kind, line.unread, unread, line.medal, [facts_in(part.words) for part in line.parts]))
    assert seen == [
        ("week", True, True, 0, ["Duel Season 1", "Teams Season 1"]),
        ("over", True, True, 2, ["Duel Season 1 2nd 2 Bronze III", "Teams Season 1 2nd 2 Bronze III"]),
    ]
    page = read_page(client.get(PAGE).text)
    button = next(button for button in page.all("button") if button.attributes.get("name") == "announcement")
    more = [field.attributes["value"] for field in page.all("input") if field.attributes.get("name") == "announcement"]
    client.post(READ, {"announcement": [button.attributes["value"], *more]})
    [line] = load_page(me).lines
    assert (line.unread, "Notifications</span>" in client.get(HOME).text) == (False, True)


def test_the_page_gives_the_end_in_the_readers_time(client, duel, log_in):
    log_in("me")
    announce_seasons(END - DAY)
    page = read_page(client.get("/notifications/").text)
    [line] = [line for line in page.all("li") if "Season 1 of Duel" in line.text]
    moment = line.one("time").attributes
    assert (moment["datetime"], moment["title"]) == (f"{END:%Y-%m-%dT%H:%M:%S}+00:00", "19 Jun 2026, 12:00 UTC")


def test_what_somebody_doesnt_see_they_cant_read(client, duel, log_in):
    log_in("b")
    Rating.objects.filter(player__key="b").update(listed=False, published_hundredths=None)
    announce_seasons(END - DAY)
    number = Announcement.objects.get().pk
    client.post(READ, {"announcement": number, "announced": number})
    assert ReadMark.objects.count() == 0


def test_the_export_has_them_and_leaving_for_good_erases_the_marks(client, duel, log_in):
    me = log_in("me")
    announce_seasons(END - DAY)
    client.post(READ, {"announcement": Announcement.objects.get().pk})
    assert words_about(find_announcements(me)[0]) in "".join(export(me, LATER))
    erase_player(me)
    assert ReadMark.objects.count() == 0
