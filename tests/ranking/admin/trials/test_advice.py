"""What the figures of an evaluation, or of a fit, say: which system, which parameters, and why."""

import re

import pytest

from ranking.admin.trials.advice import advice_of_evaluation, advice_of_fit

ELO, MARGIN, RATIO = ({"system": key, "params": {}} for key in ("elo", "margin", "team-ratio"))
RAISED = {"system": "elo", "params": {"alpha": 0.1}}
IN_FORCE = "Gaussian Elo"


def result(loss, gap=None, reach=0.001, slope=1.0, decided=4_000):
    difference = None if gap is None else {"mean": gap, "low": gap - reach, "high": gap + reach}
    return {"figures": {"log_loss": loss, "slope": slope, "decided": decided}, "difference": difference}


@pytest.mark.parametrize(
    ("candidates", "results", "first", "second"),
    [
        ([ELO, MARGIN], [result(0.6), result(0.57, -0.03)],
         "Margin (skill from scores) foresees results best, and surely better than Gaussian Elo, which is in force.",
         "Its log-loss is 0.5700, 0.0300 ± 0.0010 less than that of the system in force; below 0.005 nobody would feel"
         " the difference."),
        ([ELO, MARGIN], [result(0.6), result(0.597, -0.003)],
         "Margin (skill from scores) is surely better than Gaussian Elo, but nobody will feel it: choose by other"
         " reasons.",
         "Its log-loss is 0.5970, 0.0030 ± 0.0010 less than that of the system in force."),
        ([ELO, RAISED], [result(0.6), result(0.59, -0.01, 0.02)],
         "Nothing here is surely better than Gaussian Elo: keep it, or choose by other reasons.",
         "Gaussian Elo, alpha 0.1 has the lowest log-loss (0.5900), 0.0100 ± 0.0200 less than that of the system in"
         " force; that may be chance."),
        ([ELO, MARGIN], [result(0.55), result(0.57, 0.02)],
         "Keep Gaussian Elo: of these, it foresees results best (log-loss 0.5500).",
         "Next comes Margin (skill from scores) with 0.5700."),
        ([ELO, MARGIN], [result(0.6, decided=999), result(0.5, -0.1)],
         "It is too early to choose: with 999 decided matches, differences are mostly chance.",
         "From 1,000 on they begin to tell something."),
    ],
)  # fmt: skip
def test_of_an_evaluation(candidates, results, first, second):
    assert advice_of_evaluation(candidates, results)[:2] == [first, second]


@pytest.mark.parametrize(
    ("slope", "says"),
    [(0.79, "less often"), (1.26, "more often"), (0.8, "as they are")],
)
def test_the_slope(slope, says):
    *_, last = advice_of_evaluation([ELO, RATIO], [result(0.6), result(0.5, -0.1, slope=slope)])
    assert re.search(rf"\b{slope:.2f} .* {says}\b", last)


def test_nothing_is_said_of_a_slope_that_there_is_not():
    advice = advice_of_evaluation([ELO, RATIO], [result(0.6), result(0.5, -0.1, slope=None)])
    assert len(advice) == 3
    assert re.search(r"Gaussian Elo .* 0\.6000", advice[-1])


def test_a_system_with_parameters_leads_to_a_fit():
    *_, last = advice_of_evaluation([ELO, MARGIN], [result(0.6), result(0.5, -0.1)])
    assert "a fit" in last


@pytest.mark.parametrize("results", [[result(0.6)], [result(0.6), result(None)]])
def test_nothing_is_said_of_one_system(results):
    assert advice_of_evaluation([ELO, MARGIN], results) == []


SURE, MAYBE, SAME, WORSE = (0.02, 0.01, 0.03), (0.02, -0.01, 0.03), (0.0, 0.0, 0.0), (-0.02, -0.03, -0.01)
LOSS = "Its log-loss there is 0.5000; 0.6931 would be knowing nothing."


def fitted(low, recommended):
    return {"system": "elo", "gain": {"mean": 0.02, "low": low, "high": 0.03}, "recommended": recommended}


@pytest.mark.parametrize(
    ("results", "ranking", "says"),
    [
        ([fitted(0.01, True)], [],
         ["Use Gaussian Elo with the fitted parameters: on the matches held out they foresee results better.",
          "They save +0.0200 (95 %: +0.0100 to +0.0300) of log-loss, and the whole interval is above 0."]),
        ([fitted(-0.01, False)], [],
         ["Keep the defaults of Gaussian Elo: on the matches held out, the fitted parameters aren't surely better.",
          "They save +0.0200 (95 %: −0.0100 to +0.0300) of log-loss, and the interval holds 0: that may be chance."]),
        ([fitted(0.01, True)] * 2, [("margin, defaults", SAME)],
         ["Use Margin (skill from scores) with its defaults: on the matches held out it foresees results best.", LOSS]),
        ([fitted(0.01, True)] * 2, [("elo, fitted", SURE), ("margin, defaults", SAME), ("two-layer, in force", WORSE)],
         ["Use Gaussian Elo with the fitted parameters: on the matches held out it foresees results best, and that is"
          " no chance.", LOSS,
          "It saves +0.0200 (95 %: +0.0100 to +0.0300) beside the best version that needs no fit.",
          "What is in force (Two-layer MMR) has 0.5000."]),
        ([fitted(0.01, True)] * 2, [("elo, fitted", MAYBE), ("margin, defaults", SAME)],
         ["Choose Gaussian Elo with the fitted parameters, or Margin (skill from scores) with its defaults: on the"
          " matches held out neither is surely better.",
          "The log-loss of the first is 0.5000, of the second 0.5000; the difference, +0.0200 (95 %: −0.0100 to"
          " +0.0300), may be chance.", "If in doubt, take the second: it needs no fit."]),
        ([fitted(0.01, True)] * 2, [("elo, in force", SAME), ("elo, fitted", WORSE)],
         ["Keep what is in force (Gaussian Elo): on the matches held out it foresees results best.", LOSS]),
        ([fitted(0.01, True)] * 2, [("team-ratio, as it is", SAME)],
         ["Use Team ratio as it is: on the matches held out it foresees results best.", LOSS]),
        ([{"system": "elo", "error": "too few"}], [], []),
    ],
)  # fmt: skip
def test_of_a_fit(results, ranking, says):
    rows = [
        {"title": title, "log_loss": 0.5, "gain": dict(zip(("mean", "low", "high"), gain, strict=True))}
        for title, gain in ranking
    ]
    assert advice_of_fit(results, rows) == says
