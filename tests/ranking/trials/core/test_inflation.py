"""What became of the ratings: bars of round width that hold everybody, and charts that say it."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.svg import round_axis
from ranking.systems.registry import get_system
from ranking.trials.core.accuracy import Bin
from ranking.trials.core.charts import calibration, calibrations, mean_rating
from ranking.trials.core.charts import distribution as drawn
from ranking.trials.core.inflation import BARS, HistogramBar, RatingLevels, distribution
from ranking.trials.core.timeline import Timeline
from ranking.trials.core.trials import Trial
from tests.support.past_matches import past

CASES = [
    # ratings, decimals → low and high of the first bar, bars
    ([25.0], 2, [(25.0, 25.01, 1)]),
    ([2500, 2500], 0, [(2500, 2501, 2)]),
    ([0, 31], 0, [(0, 1, 1), *[(n, n + 1, 0) for n in range(1, 31)], (31, 32, 1)]),
    ([-0.5, 0.5], 1, [(-0.5, -0.4, 1), *[(n / 10, (n + 1) / 10, 0) for n in range(-4, 5)], (0.5, 0.6, 1)]),
    ([], 0, []),
]


@pytest.mark.parametrize(("points", "decimals", "expected"), CASES)
def test_distribution(points, decimals, expected):
    found = distribution(np.array(points, dtype=np.float64), decimals)
    assert [(bar.low, bar.high, bar.count) for bar in found] == expected


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=50), st.integers(0, 2))
def test_bars_hold_everybody(hundredths, decimals):
    found = distribution(np.array(hundredths) / 100, decimals)
    assert sum(bar.count for bar in found) == len(hundredths)
    assert len(found) <= BARS + 1
    assert found[0].low <= min(hundredths) / 100 + 1e-6
    assert found[-1].high >= max(hundredths) / 100 - 1e-6


def words(svg):
    """The texts of a drawing that parses."""
    root = ElementTree.fromstring(svg)
    return [text.text for text in root.iter() if text.tag.endswith("text")]


def test_calibration_is_drawn():
    svg = calibration([Bin(10, 0.55, 0.6, 0.31, 0.83), Bin(4, 0.95, 1.0, 0.51, 1.0)])
    assert words(svg)[:2] == ["40 %", "50 %"]
    assert "Favourites with 55 %: 60 % of 10 won" in svg
    assert 'aria-label="Calibration: 55 % promised, 60 % won; 95 % promised, 100 % won"' in svg


def test_a_distribution_is_drawn():
    svg = drawn([HistogramBar(-10, 0, 3), HistogramBar(0, 10, 1)])
    assert words(svg) == ["0", "1", "2", "3", "−10", "−5", "0", "5", "10"]
    assert 'aria-label="Ratings of 4 players; most between -10 and 0"' in svg


def test_a_course_is_drawn():
    svg = mean_rating([RatingLevels(0, 2500, 4), RatingLevels(40 * 86_400, 2612.5, 5)], 2500)
    assert words(svg) == ["2,500", "2,550", "2,600", "2,650", "1 Jan", "21 Jan", "10 Feb"]
    assert "2,612.50, 5 active players" in svg


@pytest.mark.parametrize("svg", [calibration([]), drawn([]), mean_rating([RatingLevels(0, 1, 1)], 1)])
def test_too_little_is_not_drawn(svg):
    assert svg == ""


def test_a_picture_of_several_systems_parses():
    found = []
    for key in ("elo", "trueskill", "weng-lin"):
        timeline = Timeline()
        trial = Trial(get_system(key), timeline, 2)
        trial.take(timeline.read([past("a", "b"), past("b", "a")]))
        found.append(trial.evaluation(0.0))
    titles = [word for word in words(calibrations(found)) if word[:1].isalpha()]
    assert titles == ["elo", "trueskill", "weng-lin"]


AXES = [
    (0, 25, ["0", "5", "10", "15", "20", "25"]),
    (2500, 2600, ["2,500", "2,520", "2,540", "2,560", "2,580", "2,600"]),
    (-0.5, 0.5, ["−0.6", "−0.4", "−0.2", "0.0", "0.2", "0.4", "0.6"]),
    (24.9998, 25.0001, ["24.9998", "24.9999", "25.0000", "25.0001"]),
    (25, 25, ["25.00000", "25.00005"]),
]


@pytest.mark.parametrize(("low", "high", "labels"), AXES)
def test_axes_have_round_ticks(low, high, labels):
    assert [words for _, words in round_axis(low, high).ticks] == labels
