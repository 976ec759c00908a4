"""Planning queues: the formula, what to change, what can't be."""

import io
import json
from math import inf, nan

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from hypothesis import given
from hypothesis import strategies as st

from matchmaking.planning.planner import LIMITS, Nonsense, QueuePlan, buckets_of, changes_for, matches_to_place
from matchmaking.planning.report import chart, duration

PLANS = st.builds(
    QueuePlan,
    online=st.integers(1, 1_000_000),
    participants=st.integers(2, 24),
    match_minutes=st.floats(0.5, 60),
    modes=st.integers(1, 8),
    regions=st.integers(1, 6),
    buckets=st.floats(1, 20),
)


def test_the_formula(subtests):
    for plan, wait, fills in [
        (QueuePlan(500, 8, 10), 9.6, True),
        (QueuePlan(500, 12, 15, modes=3, buckets=5), 324, True),
        (QueuePlan(500, 12, 15, modes=3, buckets=5, regions=2), 648, True),
        (QueuePlan(4, 8, 10), 1200, False),
        (QueuePlan(8, 8, 10), 600, True),
    ]:  # fmt: skip
        with subtests.test(plan=plan, wait=wait, fills=fills):
            assert (round(plan.wait, 9), plan.fills) == (wait, fills)


@given(PLANS, st.floats(1, 3600))
def test_each_change_reaches_the_target_and_one_step_less_does_not(plan, target):
    for change in changes_for(plan, target):
        if change.to is None:
            continue
        step = 1 if LIMITS[change.field].whole else 0.01
        fields = {name: getattr(plan, name) for name in LIMITS}
        assert QueuePlan(**fields | {change.field: change.to}).wait <= target * (1 + 1e-6)
        beyond = change.to - step if change.field == "online" else change.to + step
        if LIMITS[change.field].least <= beyond <= LIMITS[change.field].most:
            assert QueuePlan(**fields | {change.field: beyond}).wait > target * (1 - 1e-6)


def test_matches_to_place(subtests):
    for population, participants, matches in [
        (1024, 2, 10), (1024, 4, 5), (1_000_000, 10, 6), (2, 2, 1),
    ]:  # fmt: skip
        with subtests.test(population=population, participants=participants, matches=matches):
            assert matches_to_place(population, participants) == pytest.approx(matches, rel=1e-12)


def test_buckets_of_a_rank_filter(subtests):
    for width, buckets in [(10, 5), (50, 1), (100, 1), (2, 25)]:
        with subtests.test(width=width, buckets=buckets):
            assert buckets_of(width) == buckets


REFUSED = [
    (lambda: QueuePlan(0, 8, 10), "Players online: 0 isn't between 1 and 100,000,000."),
    (lambda: QueuePlan(500, 1, 10), "Players of a match: 1 isn't between 2 and 1,000."),
    (lambda: QueuePlan(500, 8, 0), "The minutes of a match: 0 isn't between 0.1 and 1,440."),
    (lambda: QueuePlan(500, 8, nan), "The minutes of a match: nan isn't a number."),
    (lambda: QueuePlan(500, 8, inf), "The minutes of a match: inf isn't a number."),
    (lambda: QueuePlan(500, 8, 10, modes=1.5), "Modes: 1.5 isn't a whole number."),
    (lambda: QueuePlan(500, 8, 10, buckets=0.5), "Skill buckets: 0.5 isn't between 1 and 100."),
    (lambda: QueuePlan(True, 8, 10), "Players online: True isn't a whole number."),
    (lambda: changes_for(QueuePlan(500, 8, 10), -3), "The seconds of a target wait: -3 isn't between 1 and 86,400."),
    (lambda: matches_to_place(1, 8), "Players to place: 1 isn't between 2 and 10,000,000,000."),
    (lambda: buckets_of(0), "The width of a rank filter: 0 isn't between 0.5 and 100."),
]  # fmt: skip


def refusal(make):
    try:
        make()
    except Nonsense as nonsense:
        return str(nonsense)
    return ""


def test_nonsense_is_refused_in_a_sentence():
    assert [refusal(make) for make, _ in REFUSED] == [sentence for _, sentence in REFUSED]


def test_durations():
    words = {
        0.34: "0.3 s", 9.6: "9.6 s", 59.4: "59 s", 60: "1 min", 324: "5 min 24 s", 12_000: "3 h 20 min", 3600: "1 h",
        9_999_999: "2,777 h 46 min",
    }  # fmt: skip
    assert {seconds: duration(seconds) for seconds in words} == words


def run(*options):
    out = io.StringIO()
    call_command("plan_queues", *options, stdout=out)
    return out.getvalue()


def test_the_command_says_it_in_words():
    said = run("--online", "500", "--participants", "12", "--minutes", "15", "--modes", "3", "--width", "10",
               "--target", "60", "--population", "100000")  # fmt: skip
    assert said.splitlines() == [
        "T_wait = 3 modes × 15 min × 12 players × 5 skill buckets / 500 online = 5 min 24 s",
        "33 players share each queue. They play 2.8 matches at a time, so one ends, and the next begins, about every"
        " 5 min 24 s.",
        "For a wait of 1 min, change one of these:",
        "  players online: 2,700 instead of 500",
        "  skill buckets: 5 now, and no other number does it alone",
        "  modes: 3 now, and no other number does it alone",
        "  regions: 1 now, and no other number does it alone",
        "  minutes of a match: 2.77 instead of 15",
        "  players of a match: 2 instead of 12",
        "Placing 100,000 players takes each at least 5 matches of 12 (log2 100,000 / log2 12 = 4.6); luck and teams"
        " make it more.",
    ]


def test_the_command_says_it_to_programs_and_draws(tmp_path):
    picture = tmp_path / "plan.svg"
    said = json.loads(
        run("--online", "500", "--participants", "8", "--minutes", "10", "--json", "--plot", str(picture))
    )
    assert said == {"wait_seconds": pytest.approx(9.6), "fills": True, "changes": {}, "matches_to_place": None}
    assert picture.read_text().startswith('<svg xmlns="http://www.w3.org/2000/svg" class="plot"')


@pytest.mark.parametrize(("options", "sentence"), [
    (("--online", "0", "--participants", "8", "--minutes", "10"), "Players online: 0 isn't between"),
    (("--online", "9", "--participants", "8", "--minutes", "10", "--plot", "/nowhere/a.svg"), "No such file"),
    (("--online", "9", "--participants", "8", "--minutes", "10", "--target", "0"), "The seconds of a target wait: 0"),
])  # fmt: skip
def test_the_command_refuses_in_a_sentence(options, sentence):
    with pytest.raises(CommandError) as refusal:
        run(*options)
    assert sentence in str(refusal.value)
    assert refusal.value.returncode == 2


@given(PLANS, st.none() | st.floats(1, 3600))
def test_every_plan_can_be_drawn(plan, target):
    assert chart(plan, target).count("<svg") == 1
