"""Comparisons worked by hand: differences with intervals, groups by experience and upset, the course over time."""

from math import log, sqrt
from xml.etree import ElementTree

import numpy as np
import pytest

from ranking.systems.registry import get_system
from ranking.trials.core.charts import course as course_chart
from ranking.trials.core.charts import courses
from ranking.trials.core.predictions import Predictions, by_experience, by_upset, course, difference
from ranking.trials.core.timeline import Timeline
from ranking.trials.core.trials import Trial
from tests.support.past_matches import past


def predictions(chances, won=None, match=None, experience=None):
    count = len(chances)
    return Predictions(
        np.array(chances, float),
        np.ones(count, bool) if won is None else np.array(won, bool),
        np.arange(count) if match is None else np.array(match),
        np.zeros(count),
        np.zeros(count) if experience is None else np.array(experience, float),
    )


def test_a_difference_is_that_of_the_pairs_with_its_interval():
    found = difference(predictions([0.8, 0.8, 0.6]), predictions([0.4, 0.8, 0.8]), "other")
    gaps = np.array([log(0.4) - log(0.8), 0.0, log(0.8) - log(0.6)])
    reach = 1.959964 * gaps.std(ddof=1) / sqrt(3)
    assert (found.against, found.mean) == ("other", pytest.approx(gaps.mean()))
    assert (found.low, found.high) == pytest.approx((gaps.mean() - reach, gaps.mean() + reach))


def test_the_pairs_of_one_match_are_one_observation():
    apart = difference(predictions([0.8, 0.6] * 3), predictions([0.7] * 6), "other")
    together = difference(predictions([0.8, 0.6] * 3, match=[0, 0, 1, 1, 2, 2]),
                          predictions([0.7] * 6, match=[0, 0, 1, 1, 2, 2]), "other")  # fmt: skip
    assert together.mean == apart.mean
    assert together.high - together.low == pytest.approx(0)
    assert apart.high - apart.low > 0.1


@pytest.mark.parametrize("other", [predictions([0.5]), predictions([0.5, 0.5], match=[0, 2])])
def test_what_was_not_predicted_by_both_is_not_compared(other):
    assert difference(predictions([0.6, 0.6]), other, "other") is None


def test_groups_by_experience():
    found = list(by_experience(predictions([0.6, 0.7, 0.8, 0.9], experience=[0, 9.9, 10, 50])))
    assert [(each.low, each.high, each.figures.decided) for each in found] == [(0, 10, 2), (10, 50, 1), (50, None, 1)]
    assert [round(each.figures.log_loss, 6) for each in found] == [
        round(-(log(0.6) + log(0.7)) / 2, 6), round(-log(0.8), 6), round(-log(0.9), 6),
    ]  # fmt: skip


def test_upsets_by_the_underdogs_chance():
    """Favourites of 60 %, 70 %, 85 % and 95 %, of whom the first and the last lost; and an even match."""
    found = list(by_upset(predictions([0.4, 0.7, 0.85, 0.05, 0.5])))
    told = [(each.low, each.high, each.decided, each.upsets, round(each.expected, 6)) for each in found]
    assert told == [(0.3, 0.5, 3, 1, 1.2), (0.15, 0.3, 1, 0, 0.15), (0.0, 0.15, 1, 1, 0.05)]


@pytest.mark.parametrize(("count", "points"), [(0, 0), (10, 1), (99, 1), (100, 2), (5_000, 20)])
def test_a_course_has_windows_of_at_least_fifty(count, points):
    found = list(course(predictions([0.6] * count)))
    assert len(found) == points
    assert [each.until for each in found][-1:] == [count][:points]
    assert all(each.log_loss == pytest.approx(-log(0.6)) for each in found)


def test_a_picture_of_courses_has_a_line_and_a_key_for_each_system():
    timeline, found = Timeline(), []
    trials = [Trial(get_system(key), timeline, 120, name=f"{key} & co") for key in ("elo", "trueskill", "margin")]
    for number in range(120):
        stretches = timeline.read([past("a", "b") if number % 3 else past("b", "a")])
        for trial in trials:
            trial.take(stretches)
    found = [trial.evaluation(0.0, trials[0]) for trial in trials]
    root = ElementTree.fromstring(courses(found))
    texts = [text.text for text in root.iter() if text.tag.endswith("text")]
    assert [text.split(" 0.")[0] for text in texts if text[0].isalpha()] == [
        "elo & co",
        "trueskill & co",
        "margin & co",
    ]
    assert course_chart(found[1].course, found[0].course).count("<path") > course_chart([]).count("<path") == 0
    assert [one.difference.against for one in found] == ["elo & co"] * 3
    assert (found[0].difference.mean, found[1].difference.mean) == (
        0, pytest.approx(found[1].figures.log_loss - found[0].figures.log_loss),
    )  # fmt: skip
