"""Publishing: who is listed, what boards show, and what is kept."""

import datetime as dt

import pytest
from django.db import connection

from ranking.models import Participation, Player, Rating, Snapshot
from ranking.rules.report import PlayerReport
from ranking.standings import snapshots
from ranking.standings.publishing import publish
from tests.support.factories import NOW, ban_player, hide_player, lift_ban, make_mode, record, show_player

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


def listed() -> list[str]:
    return list(Rating.objects.filter(listed=True).order_by("player__key").values_list("player__key", flat=True))


def newest(mode):
    return snapshots.newest_table(mode.pk, mode.seasons.get().pk)


def test_nobody_is_listed_before_enough_matches_were_completed():
    mode = make_mode(placement_matches=2)
    record(["a"], ["b"])
    publish(mode, now=NOW)
    assert listed() == []
    record(["a"], ["c"])
    publish(mode, now=NOW)
    assert listed() == ["a"]


def test_a_match_left_early_is_not_completed():
    mode = make_mode(placement_matches=1)
    record([PlayerReport(id="a", left_early=True)], ["b"])
    publish(mode, now=NOW)
    assert listed() == ["b"]


def test_placement_may_be_zero():
    mode = make_mode(placement_matches=0)
    record(["a"], ["b"])
    publish(mode, now=NOW)
    assert listed() == ["a", "b"]


@pytest.mark.parametrize(
    ("days", "after", "expected"),
    [
        (30, 30 * DAY, ["a", "b"]),
        (30, 30 * DAY + dt.timedelta(seconds=1), []),
        (7, 8 * DAY, []),
        (None, 3650 * DAY, ["a", "b"]),
    ],
)
def test_who_stops_playing_disappears(days, after, expected):
    mode = make_mode(activity_days=days)
    record(["a"], ["b"])
    publish(mode, now=NOW)
    publish(mode, now=NOW + after)
    assert listed() == expected
    assert len(newest(mode)) == len(expected)


def test_who_plays_again_returns():
    mode = make_mode()
    record(["a"], ["b"])
    publish(mode, now=NOW + 40 * DAY)
    record(["a"], ["c"], ended_at=NOW + 41 * DAY, now=NOW + 41 * DAY)
    publish(mode, now=NOW + 41 * DAY)
    assert listed() == ["a", "c"]


def test_activity_may_need_several_matches_within_the_window():
    mode = make_mode(activity_matches=2)
    record(["a"], ["b"])
    record(["a"], ["c"], ended_at=NOW + 20 * DAY, now=NOW + 20 * DAY)
    for later, expected in ((20, ["a"]), (30, ["a"]), (31, [])):
        publish(mode, now=NOW + later * DAY)
        assert listed() == expected, later


def test_a_late_result_does_not_shorten_activity():
    mode = make_mode()
    record(["a"], ["b"])
    record(["a"], ["c"], ended_at=NOW - 20 * DAY)
    publish(mode, now=NOW + 25 * DAY)
    assert listed() == ["a", "b"]


def test_a_hidden_player_is_off_the_board_until_shown():
    mode = make_mode()
    record(["a"], ["b"])
    hide_player(Player.objects.get(key="a"), now=NOW)
    publish(mode, now=NOW)
    assert listed() == ["b"]
    show_player(Player.objects.get(key="a"), now=NOW)
    publish(mode, now=NOW)
    assert listed() == ["a", "b"]


def test_boards_show_what_was_published_not_what_is_live():
    mode = make_mode(system="team-ratio")
    record(["a"], ["b"])
    publish(mode, now=NOW)
    record(["a"], ["b"])
    rating = Rating.objects.get(player__key="a")
    assert (rating.published_hundredths, rating.display_hundredths) == (105, 110)
    assert newest(mode).rank_of(110) == 1
    assert newest(mode).value_at_rank(1) == 105


@pytest.mark.parametrize(
    ("zone", "hours", "expected"),
    [("UTC", 11, None), ("UTC", 12, 105), ("Asia/Tokyo", 2, None), ("Asia/Tokyo", 3, 105)],
)
def test_yesterdays_rating_is_kept_when_the_modes_day_turns(zone, hours, expected):
    mode = make_mode(system="team-ratio", time_zone=zone)
    record(["a"], ["b"])  # at noon UTC, 21:00 in Tokyo
    publish(mode, now=NOW)
    later = NOW + dt.timedelta(hours=hours)
    record(["a"], ["b"], now=later, ended_at=later)
    publish(mode, now=later)
    record(["a"], ["b"], now=later, ended_at=later)
    publish(mode, now=later)
    assert Rating.objects.get(player__key="a").published_day_ago == expected


def test_the_newest_and_yesterdays_last_snapshots_are_kept():
    mode = make_mode()
    moments = [NOW - 2 * DAY, NOW - DAY, NOW - DAY + dt.timedelta(hours=1), NOW, NOW + dt.timedelta(minutes=1)]
    for moment in moments:
        publish(mode, now=moment)
    kept = Snapshot.objects.order_by("id").values_list("taken_at", flat=True)
    assert list(kept) == [moments[2], moments[4]]
    assert snapshots.find_yesterdays(mode, mode.seasons.get().pk, moments[4]).taken_at == moments[2]


def test_ranks_before_and_after_are_those_of_the_published_board_without_the_own_row():
    mode = make_mode(system="team-ratio")
    for winner, loser in (("a", "z"), ("a", "z"), ("b", "z"), ("c", "y")):
        record([winner], [loser])
    publish(mode, now=NOW)  # a 1.10, b and c 1.05, y and z 1.00
    match = record(["c"], ["a"]).record.match
    standings = {
        part.player.key: (part.rank_before, part.percentile_before, part.listed_before,
                          part.rank_after, part.percentile_after, part.listed_after)
        for part in Participation.objects.filter(match=match).select_related("player")
    }  # fmt: skip
    # c: 1.05 → 1.11, above a as published; a: 1.10 → 1.04, below b and c as published.
    assert standings == {"c": (2, 67, 5, 1, 100, 5), "a": (1, 100, 5, 3, 51, 5)}


@pytest.mark.parametrize("case", ["unplaced", "inactive", "hidden", "unpublished"])
def test_who_was_not_ranked_has_no_rank_before(case):
    mode = make_mode(placement_matches=2 if case == "unplaced" else 1)
    record(["a"], ["b"])
    if case != "unpublished":
        publish(mode, now=NOW)
    later = NOW + (31 * DAY if case == "inactive" else dt.timedelta())
    if case == "hidden":
        hide_player(Player.objects.get(key="a"), now=NOW)
    match = record(["a"], ["c"], ended_at=later, now=later).record.match
    part = Participation.objects.get(match=match, player__key="a")
    assert part.rank_before is None
    assert (part.rank_after is None) == (case in ("hidden", "unpublished"))


def test_publishing_takes_as_many_queries_for_many_rows_as_for_one(django_assert_num_queries):
    mode = make_mode()
    postgres = connection.vendor == "postgresql"
    record(["a"], ["b"])
    with django_assert_num_queries(15 if postgres else 12):  # three are the publisher's lock and PostgreSQL's settings
        publish(mode, now=NOW)
    for players, passing in ((1, 0), (20, 3)):  # who passed whom, of those who were ranked before
        for number in range(players):
            record([f"a{number}"], [f"b{number}"])
        with django_assert_num_queries((18 if postgres else 16) + passing):
            publish(mode, now=NOW)


@pytest.mark.parametrize("scope", ["boards", "both", "queue"])
def test_a_ban_from_boards_unlists_until_it_runs_out(scope):
    mode = make_mode()
    record(["a"], ["b"])
    publish(mode, now=NOW)
    ban_player(Player.objects.get(key="a"), scope=scope, by=None, reason="x", now=NOW, ends_at=NOW + DAY)
    during = ["a", "b"] if scope == "queue" else ["b"]
    for moment, expected in [(NOW, during), (NOW + DAY / 2, during), (NOW + DAY, ["a", "b"])]:
        publish(mode, now=moment)
        assert listed() == expected


def test_a_lifted_ban_lists_again_and_one_of_several_holds():
    mode = make_mode()
    record(["a"], ["b"])
    bans = [
        ban_player(Player.objects.get(key="a"), scope="boards", by=None, reason="x", now=NOW, ends_at=ends)
        for ends in (None, NOW + dt.timedelta(hours=1))
    ]
    later = NOW + dt.timedelta(hours=2)
    publish(mode, now=later)
    assert listed() == ["b"]
    lift_ban(bans[0], by=None, reason="x", now=later)
    publish(mode, now=later)
    assert listed() == ["a", "b"]


def test_the_banned_have_no_rank_in_their_matches():
    mode = make_mode()
    record(["a"], ["b"])
    publish(mode, now=NOW)
    ban_player(Player.objects.get(key="a"), scope="boards", by=None, reason="x", now=NOW)
    record(["a"], ["b"])
    ranks = Participation.objects.order_by("-match", "team").values_list("rank_before", "rank_after")[:2]
    assert list(ranks) == [(None, None), (1, 1)]  # a isn't on the board, though they were when it was published
