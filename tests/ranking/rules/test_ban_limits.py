"""Bans of one player count together."""

import datetime as dt

from ranking.rules.ban_limits import banned_time, stays_within

NOON = dt.datetime(2026, 5, 20, 12, tzinfo=dt.UTC)


def at(hours: float) -> dt.datetime:
    return NOON + dt.timedelta(hours=hours)


def stretches(*pairs):
    return [(at(start), None if end is None else at(end)) for start, end in pairs]


def test_banned_time_counts_each_hour_once(subtests):
    for pairs, hours in (
        ((), 0),
        (((0, 5),), 5),
        (((0, 5), (3, 8)), 8),
        (((3, 8), (0, 5), (1, 2)), 8),
        (((0, 1), (5, 6)), 2),
        (((-9, 2), (9, 99)), 3),
        (((-9, -3),), 0),
        (((4, None),), 6),
    ):
        with subtests.test(pairs):
            assert banned_time(stretches(*pairs), at(0), at(10)) == dt.timedelta(hours=hours)


def test_which_bans_stay_within_a_day(subtests):
    for name, end, others, answer in (
        ("a day", 24, (), True),
        ("a second more", 24 + 1 / 3600, (), False),
        ("for good", None, (), False),
        ("beside another that ends before", 24, ((0, 3),), True),
        ("at the end of another one", 24, ((-23, 1),), False),
        ("what the other left", 1, ((-23, 0),), True),
        ("a minute after the other ended", 24, ((-25, -1 / 60),), False),
        ("a day after the other ended", 24, ((-48, -24),), True),
        ("inside a longer one", 2, ((-99, 99),), False),
    ):
        with subtests.test(name):
            assert (
                stays_within(dt.timedelta(days=1), None if end is None else at(end), stretches((0, end), *others))
                == answer
            )
