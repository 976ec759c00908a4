"""Points, lockouts and the ladder of missed accepts, from nothing but what happened."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.rules.conduct import (
    DEFAULTS,
    DROPOUT,
    KINDS,
    LEAVE,
    MISSED,
    Lapse,
    Settings,
    find_lockout,
    level,
    lockout_of,
    points,
    read_settings,
)
from tests.support.factories import NOW

MINUTE, HOUR, DAY = dt.timedelta(minutes=1), dt.timedelta(hours=1), dt.timedelta(days=1)


def lapses(*days: float, kind: str = LEAVE, settings: Settings = DEFAULTS) -> list[Lapse]:
    """Of one kind, so many days before NOW."""
    return [Lapse(kind, NOW - day * DAY, settings, number) for number, day in enumerate(days)]


def test_points_decay_by_a_tenth_a_day(subtests):
    for days, worth in [
        ((), 0),
        ((0,), 3),
        ((1,), 2.7),
        ((0.5,), 3 * 0.9**0.5),
        ((2,), 2.43),
        ((0, 0), 6),
        ((0, 1, 2), 8.13),
        ((-0.001,), 0),
    ]:
        with subtests.test(days=days):
            assert points(lapses(*days), NOW) == pytest.approx(worth, rel=1e-12)
            assert points(lapses(*days, kind=DROPOUT), NOW) == points(lapses(*days), NOW)
            assert points(lapses(*days, kind=MISSED), NOW) == 0


@pytest.mark.parametrize(
    ("reached", "expected"),
    [(0, 0), (1.49, 0), (1.5, 1), (4.49, 1), (4.5, 2), (7.5, 3), (10.49, 3), (10.5, 4), (13.49, 4), (13.5, 5), (99, 5)],
)
def test_bounds_are_inclusive(reached, expected):
    assert level(reached) == expected


@pytest.mark.parametrize(
    ("days", "minutes"),
    [
        ((0,), 10),
        ((0, 0.1), 30),
        ((0, 0.1, 0.2), 120),
        ((0, 0.1, 0.2, 0.3), 720),
        ((0, 0.1, 0.2, 0.3, 0.4), 2880),
        ((0, 6.5), 30),
        ((0, 6.6), 10),
    ],
)
def test_the_newest_leave_locks_out_so_long(days, minutes):
    given = lapses(*days)
    assert lockout_of(given[0], given).until - NOW == minutes * MINUTE


@pytest.mark.parametrize(
    ("days", "minutes"),
    [((0,), 0), ((0, 0.5), 3), ((0, 0.5, 0.9), 10), ((0, 0.1, 0.2, 0.3), 30), ((0,) * 9, 30), ((0, 1), 0)],
)
def test_missed_accepts_have_a_ladder_of_their_own(days, minutes):
    given = lapses(*days, kind=MISSED)
    assert lockout_of(given[0], [*given, *lapses(0.1, 0.2)]).until - NOW == minutes * MINUTE


def until(given: list[Lapse], now: dt.datetime = NOW) -> dt.datetime | None:
    lockout = find_lockout(given, now)
    return lockout.until if lockout else None


@pytest.mark.parametrize(
    ("given", "ends"),
    [
        ([], None),
        (lapses(0), NOW + 10 * MINUTE),
        (lapses(9 * MINUTE / DAY), NOW + MINUTE),
        (lapses(10 * MINUTE / DAY), None),
        (lapses(-1 * MINUTE / DAY), None),
        (lapses(0, kind=MISSED), None),
        # Not added up: the fifth on one day, half a day ago, still holds after a lighter one now.
        ([*lapses(0.5, 0.5, 0.5, 0.5, 0.5), *lapses(0, 0, kind=MISSED)], NOW + 36 * HOUR),
        (lapses(0, settings=Settings(lockouts=((3, 60),))), NOW + HOUR),
        (lapses(0, settings=Settings(points=1)), None),
    ],
)
def test_the_latest_end_holds(given, ends):
    assert until(given) == ends


WHEN = st.timedeltas(min_value=dt.timedelta(), max_value=5 * DAY).map(lambda ago: NOW - ago)
SETTINGS = st.sampled_from([DEFAULTS, Settings(points=1, decay_percent=50), Settings(lockouts=((2, 30),))])
HISTORIES = st.lists(st.builds(Lapse, st.sampled_from(KINDS), WHEN, SETTINGS), max_size=12)


@given(HISTORIES, st.data())
def test_the_order_of_what_happened_is_irrelevant(history, data):
    other = data.draw(st.permutations(history))
    assert (points(other, NOW), until(other)) == (points(history, NOW), until(history))


@given(HISTORIES, WHEN, WHEN)
def test_points_never_grow_without_a_lapse(history, one, other):
    first, second = sorted((one, other))
    between = [lapse for lapse in history if not first < lapse.at <= second]
    assert points(between, second) <= points(between, first)


@given(HISTORIES, st.builds(Lapse, st.sampled_from(KINDS), WHEN, SETTINGS))
def test_one_more_lapse_never_shortens_a_lockout(history, more):
    before, after = until(history), until([*history, more])
    assert before is None or (after is not None and after >= before)


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ({}, DEFAULTS),
        ({"points": 2}, Settings(points=2)),
        ({"lockouts": [[1, 5], [2, 10]]}, Settings(lockouts=((1, 5), (2, 10)))),
        ({"missed_minutes": [1], "missed_hours": 12}, Settings(missed_minutes=(1,), missed_hours=12)),
    ],
)
def test_settings_are_read(said, read):
    assert read_settings(said) == read


def test_bad_settings_are_refused_with_a_sentence(subtests):
    for said, words in [
        ([], "an object"),
        ({"point": 2}, "'point' is no setting"),
        ({"points": -1}, "points: -1 isn't a number"),
        ({"points": True}, "isn't a number"),
        ({"points": float("nan")}, "isn't a number"),
        ({"decay_percent": 0}, "from 1 to 100"),
        ({"lockouts": []}, "a list of 1 to 20"),
        ({"lockouts": [1]}, "a pair"),
        ({"lockouts": [[2, 1], [1, 2]]}, "rise"),
        ({"lockouts": [[1, 5], [2, 4]]}, "shorter"),
        ({"missed_minutes": ["1"]}, "isn't a number"),
    ]:
        with subtests.test(said=said), pytest.raises(ValueError, match=words):
            read_settings(said)


def test_what_each_leave_of_a_history_costs(subtests):
    for hours, minutes in [
        ([0], [10]),
        ([0, 1], [10, 30]),
        ([0, 1, 2, 3, 4], [10, 30, 120, 720, 2880]),
        ([0, 1, 2, 3, 4, 5], [10, 30, 120, 720, 2880, 2880]),
        ([0, 24, 48], [10, 30, 120]),
        ([0, 24 * 6.5], [10, 30]),
        ([0, 24 * 6.6], [10, 10]),
        ([0, 0, 24 * 14], [10, 10, 10]),
    ]:
        with subtests.test(hours=hours):
            history = [Lapse(LEAVE, NOW + hour * HOUR, DEFAULTS, number) for number, hour in enumerate(hours)]
            costs = [(one.until - one.since) / MINUTE for one in (lockout_of(lapse, history) for lapse in history)]
            # Two leaves at one moment are each as heavy as both.
            assert costs == [30 if hours.count(hour) > 1 else cost for hour, cost in zip(hours, minutes, strict=True)]


@pytest.mark.parametrize(
    ("hours", "barred"),
    [
        ([0], {0.1: True, 0.17: False}),
        ([0, 1], {0.5: False, 1.1: True, 1.5: False}),
        ([0, 1, 2, 3], {2.5: True, 3: True, 14.9: True, 15: False}),
        ([0, 0.1], {0.16: True, 0.55: True, 0.6: False}),
    ],
)
def test_lockouts_come_and_go(hours, barred):
    history = [Lapse(LEAVE, NOW + hour * HOUR, DEFAULTS, number) for number, hour in enumerate(hours)]
    assert {moment: until(history, NOW + moment * HOUR) is not None for moment in barred} == barred
