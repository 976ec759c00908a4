"""Each kind: stories that are one, and their honest likenesses that aren't."""

import random
from dataclasses import fields

import numpy as np
import pytest

from ranking.abuse.detection.columns import Columns, columns_of
from ranking.abuse.detection.registry import DETECTORS, UnknownKind, find_cases, get_detector, history_of
from ranking.abuse.detection.thresholds import Thresholds
from tests.support.abuse_histories import live
from tests.support.abuse_stories import cases, duel, fed, minutes, tell, unreported


def wins(count, one, other, points=(7, 0), **more):
    return [duel(one, other, points, day=day, **more) for day in minutes(count)]


def turns(count, one, other, loser=0, every=1):
    pairs = [(one, other), (other, one)]
    return [duel(*pairs[number // every % 2], (7, loser), day=day) for number, day in enumerate(minutes(count))]


def leaning(one, other, *runs):
    """Lopsided wins in runs of these lengths, the first run by `one`."""
    pairs = [(one, other), (other, one)]
    winners = [pairs[number % 2] for number, length in enumerate(runs) for _ in range(length)]
    return [duel(*pair, (7, 0), day=day) for pair, day in zip(winners, minutes(len(winners)), strict=True)]


def losses(count, who, points=(0, 7), **more):
    """One after the other, to other people."""
    return [duel(who, f"p{n % 20}", points, day=day, **more) for n, day in enumerate(minutes(count))]


def career(who, won, lost):
    """Ordinary matches against one after the other, won and lost in turn as far as that goes."""
    each = [True, False] * min(won, lost) + [won > lost] * abs(won - lost)
    return [duel(who, f"p{n % 23}", (7, 5) if won_it else (5, 7), day=1 + n / 4) for n, won_it in enumerate(each)]


def first_wins(count, who, points=(7, 0), since=20.0, device=""):
    moments = enumerate(minutes(count, since))
    return [duel(who, f"p{n % 30}", points, day=day, devices=(device, "")) for n, day in moments]


def on(device, count, who, since=20.0, apart=8):
    return [
        duel(who, f"p{n % 20}", (7, 5) if n % 2 else (5, 7), day=day, devices=(device, ""))
        for n, day in enumerate(minutes(count, since, apart))
    ]


def hops(count, who, apart=8):
    return [
        duel(who, f"p{n % 20}", (7, 5) if n % 2 else (5, 7), day=day, devices=(f"d{n % 3}", ""))
        for n, day in enumerate(minutes(count, apart=apart))
    ]


STORIES = [
    # kind, what, matches, who is found
    ("boosting", "twenty lopsided wins over one", wins(20, "b", "o"), [("b", "o")]),
    ("boosting", "fifty within two hours, nearly all 7-0",
     [duel("b", "o", (7, 0), day=day) for day in [*minutes(49, apart=2.4), 22.0]], [("b", "o")]),
    ("boosting", "an opponent who leaves at once", wins(16, "b", "o", (7, 5), left=("o", 0.1)), [("b", "o")]),
    ("boosting", "five wins are few", wins(5, "b", "o"), []),
    ("boosting", "close matches between equals", turns(20, "b", "o", loser=5), []),
    ("boosting", "by turns: trading", fed("b", "o"), []),
    ("boosting", "a small part of all gains", [*wins(10, "b", "o"), *career("b", 60, 40)], []),
    ("trading", "lopsided wins in turn", turns(20, "b", "o"), [("b", "o")]),
    ("trading", "three each at a time", turns(24, "b", "o", every=3), [("b", "o")]),
    ("trading", "by turns, then all to one: 38 to 12", fed("b", "o"), [("b", "o")]),
    ("trading", "ten to one and three to the other, by turns", leaning("b", "o", *[10, 3] * 3), [("b", "o")]),
    ("trading", "four to one of five", leaning("b", "o", *[8, 2] * 5), [("b", "o")]),
    ("trading", "once in turn and twenty more", leaning("b", "o", 10, 1, 10), []),
    ("trading", "friends who meet once a week", [
        duel(*pair, (7, 0), day=2.0 * week) for week, pair in enumerate([("b", "o"), ("o", "b")] * 5)], []),
    ("trading", "rivals: close matches", turns(12, "b", "o", loser=5), []),
    ("trading", "all wins are one's", wins(20, "b", "o"), []),
    ("delevelling", "strongly negative scores",
     [*career("d", 10, 10), *losses(8, "d", (-20, 2))], [("d",)]),
    ("delevelling", "leaving at once", [*career("d", 10, 10), *losses(10, "d", left=("d", 0.05))], [("d",)]),
    ("delevelling", "losing quickly", [*career("d", 10, 10), *losses(9, "d", seconds=90)], [("d",)]),
    ("delevelling", "a bad evening", [*career("d", 10, 10), *losses(7, "d", (5, 7))], []),
    ("delevelling", "five are few", [*career("d", 10, 10), *losses(5, "d", (-20, 2))], []),
    ("delevelling", "all to one and the same: boosting", wins(20, "b", "d", seconds=90), []),
    ("newcomer", "a newcomer who beats everybody", first_wins(15, "s"), [("s",)]),
    ("newcomer", "a good newcomer", first_wins(4, "s", (7, 5)), []),
    ("newcomer", "when everybody was new", first_wins(15, "s", since=0.5), []),
    ("newcomer", "boosted, not good", wins(15, "s", "o"), []),
    ("newcomer", "on an older account's device", [*on("d", 1, "v", since=5), *first_wins(15, "s", device="d")], []),
    ("smurfing", "on an older account's device", [*on("d", 1, "v", since=5), *first_wins(15, "s", device="d")],
     [("s",)]),
    ("smurfing", "on a device of their own", [*on("e", 1, "v", since=5), *first_wins(15, "s", device="d")], []),
    ("smurfing", "a younger account on the device", [*first_wins(15, "s", device="d"), *on("d", 6, "v", since=25)],
     []),
    ("smurfing", "on a device of very many",
     [*(match for n in range(8) for match in on("d", 1, f"v{n}", since=5 + n)), *first_wins(15, "s", device="d")], []),
    ("sharing", "on another's device",
     [*on("home", 12, "v", since=5, apart=300), *on("theirs", 30, "w", since=6, apart=300), *on("theirs", 10, "v")],
     [("v", "w")]),
    ("sharing", "three devices within minutes", [*on("home", 30, "w", since=6), *hops(12, "v")], [("v",)]),
    ("sharing", "three devices, hours apart", [*on("home", 30, "w", since=6), *hops(12, "v", apart=90)], []),
    ("sharing", "nobody says on what", career("v", 20, 20), []),
]  # fmt: skip


def test_a_story(subtests):
    for kind, what, story, found in STORIES:
        with subtests.test(kind=kind, what=what):
            assert [players for players, _ in cases(*tell(story), kind)] == found


@pytest.mark.parametrize(
    ("silences", "apart", "others", "found"),
    [
        ({"d": 6}, 8, 0, ["d"]), ({"d": 6}, 8, 5, ["d"]), ({"d": 6}, 48, 36, []), ({"d": 2}, 8, 0, []),
        ({"d": 6, **{f"p{number}": 6 for number in range(20)}}, 8, 0, []),
    ],
    ids=["six of six", "six of eleven", "six of 42", "twice is bad luck", "servers are bad for everybody"],
)  # fmt: skip
def test_a_loser_whose_servers_fall_silent(silences, apart, others, found):
    columns, numbers = tell([*career("d", 1, 0), *losses(others, "d", (5, 7))])
    silent = [unreported(numbers[who], day) for who, count in silences.items() for day in minutes(count, 20.001, apart)]
    assert [players for players, _ in cases(columns, numbers, "unreported", silent)] == [(who,) for who in found]


def test_what_a_case_of_unreported_losses_says():
    columns, numbers = tell(career("d", 1, 0))
    silent = [unreported(numbers["d"], day) for day in minutes(6)]
    [(_, case)] = cases(columns, numbers, "unreported", silent)
    said = dict(case.evidence)
    assert said.pop("until") - said.pop("since") == 40 * 60
    assert said.pop("unreported")[0] == {"lobby": "a lobby", "server": "eu1", "at": case.evidence["since"]}
    assert said.pop("scores") == [[2, 7]] * 6
    assert 0 < said.pop("usual") < 1
    assert said == {"matches": [], "count": 6, "played": 6}


def test_a_public_device_is_nobodys():
    people = [f"guest{number}" for number in range(9)]
    story = [report for number, who in enumerate(people) for report in on("cafe", 8, who, since=5 + number)]
    assert cases(*tell(story), "sharing") == []


def test_what_a_case_of_trading_says():
    [(players, case)] = cases(*tell(fed("b", "o")), "trading")
    said = dict(case.evidence)
    assert players == ("b", "o")
    assert said.pop("until") - said.pop("since") == 12 * 3600
    assert len(said.pop("matches")) == 50
    assert said.pop("scores")[:4] == [[-2, 7], [7, 0], [0, 7], [7, -1]]
    usual = said.pop("usual_lopsided"), said.pop("usual_again")
    assert (5 < usual[0] < 15, 0 < usual[1] < 10) == (True, True)
    assert said == {"count": 50, "wins": [38, 12], "lopsided": [35, 12], "again": 48, "turns": 23}


def test_what_a_case_says():
    columns, numbers = tell([*career("d", 10, 10), *losses(8, "d", (-20, 2))])
    [(_, case)] = cases(columns, numbers, "delevelling")
    said = dict(case.evidence)
    own = columns.match[(columns.player == numbers["d"])][-8:]
    since, until = (columns.ended_at[columns.match == match][0] for match in (own[0], own[-1]))
    assert (said.pop("matches"), said.pop("since"), said.pop("until")) == (own.tolist(), since, until)
    assert said.pop("fell") > 0
    assert said.pop("scores") == [[-20, 2]] * 8
    assert 2 < said.pop("expected") < 5
    assert said == {"count": 8, "by": "manner", "lost": 8, "negative": 8, "fled": 0, "thrown": 8}


@pytest.mark.parametrize("kind", DETECTORS)
def test_the_order_of_rows_is_irrelevant(kind):
    story = [
        *wins(20, "b", "o"), *turns(20, "x", "y"), *losses(9, "d", (-20, 2)), *first_wins(15, "s"), *hops(12, "v"),
        *on("home", 1, "v", since=5), *first_wins(15, "t", since=22.0, device="home"),
    ]  # fmt: skip
    columns, numbers = tell(story)
    silent = [unreported(numbers["d"], day) for day in minutes(9, since=30.0)]
    shuffled = np.random.default_rng(1).permutation(len(columns))
    again = columns_of({field.name: getattr(columns, field.name)[shuffled] for field in fields(Columns)})
    first, second = (find_cases(history_of(each, Thresholds(), unreported=silent), kind) for each in (columns, again))
    assert first == second
    assert first != []


@pytest.mark.parametrize("kind", DETECTORS)
def test_nothing_is_found_in_nothing_and_in_little(kind):
    assert find_cases(history_of(columns_of({"match": []}), Thresholds()), kind) == []
    assert find_cases(history_of(live([duel("a", "b")])[0], Thresholds()), kind) == []


@pytest.mark.parametrize("kind", DETECTORS)
def test_honest_play_at_random_is_nothing(kind):
    rng = random.Random(3)
    reports = []
    for number in range(3_000):
        one, other = rng.sample(range(200), 2)
        points = [7, rng.randint(0, 6)]
        rng.shuffle(points)
        reports.append(duel(f"p{one}", f"p{other}", points, day=number / 100, seconds=rng.randint(150, 450)))
    columns, numbers = live(reports)
    assert [players for players, case in cases(columns, numbers, kind) if case.score >= 6] == []


def test_of_many_the_strongest_are_kept():
    story = [match for number in range(4) for match in wins(14 + 4 * number, f"b{number}", f"o{number}")]
    found = cases(*tell(story), "boosting", kept=2)
    assert [players for players, _ in found] == [("b3", "o3"), ("b2", "o2")]


def test_an_unknown_kind_is_told_those_there_are():
    with pytest.raises(
        UnknownKind, match=r"'luck'; they are boosting, trading, delevelling, smurfing, newcomer, sharing, unreported\."
    ):
        get_detector("luck")
