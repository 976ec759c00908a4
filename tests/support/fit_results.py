"""A finished fit of one system, with all that a summary may hold."""

from ranking.models import FitRun
from tests.support.factories import NOW

FIGURES = {"decided": 400, "error": 30.0, "error_half": 30.0, "log_loss": 0.61, "brier": 0.2, "slope": 1.1}
GAIN = {"mean": 0.02, "low": 0.01, "high": 0.03}
RESULT = {
    "system": "elo", "base": {}, "params": {"alpha": 0.3}, "replays": 18, "matches": 1_300, "recommended": True,
    "rows": [{"name": "alpha", "default": 0.07, "fitted": 0.3}], "fit": [FIGURES, FIGURES], "gain": GAIN,
    "held_out": [FIGURES, {**FIGURES, "slope": None}],
    "over_time": [[1.0, 0.0, 0.7, 0.6], [90_000.0, 0.0, 0.7, 0.5], [180_000.0, 1.0, 0.6, 0.5]],
}  # fmt: skip
SUMMARY = {
    "ranking": [{"title": "elo, fitted", "log_loss": 0.61, "gain": GAIN}],
    "impact": {
        "weights": [{"name": "kills", "today": 1.0, "learnt": 1.0, "error": None}], "unit": "kills", "matches": 900,
        "log_loss": [0.6, 0.5], "gain": GAIN, "recommended": True, "separating": ["kills"],
        "params": {"impact_weights": {"kills": 1.0}},
    },
    "elite": {
        "listed": 600, "today": {"elite_from": 4_200.0, "elite_to": 5_000.0},
        "params": {"elite_from": 2_580.0, "elite_to": 2_600.0},
    },
}  # fmt: skip


def stored_fit(mode, *, number=1, **more):
    """Store the fit; `more`: what is different in its result."""
    return FitRun.objects.create(
        mode=mode, number=number, candidates=[{"system": "elo", "params": {}}], until=1, matches=1_300, asked_at=NOW,
        state="done", finished_at=NOW, results=[{**RESULT, **more}], summary=SUMMARY,
    )  # fmt: skip
