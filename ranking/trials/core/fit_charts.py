"""Draws the log-loss of the defaults and of the fitted parameters over time, as SVG."""

from __future__ import annotations

from collections.abc import Sequence

from ranking.svg import Plot, round_axis
from ranking.trials.core.charts import time_axis


def log_loss_over_time(points: Sequence[Sequence[float]]) -> str:
    """`points`: rows of Fits' `over_time`. Both lines; where the held-out part begins, a line stands."""
    if len(points) < 2 or points[0][0] >= points[-1][0]:
        return ""
    values = [value for _, _, *both in points for value in both]
    plot = Plot(time_axis(points[0][0], points[-1][0]), round_axis(min(values), max(values)))
    shapes = [
        plot.curve(kind, [(row[0], row[column]) for row in points], title)
        for kind, column, title in (("plot-other", 2, "defaults"), ("plot-line", 3, "fitted"))
    ]
    before = [row[0] for row in points if not row[1]]
    if before and before[-1] < points[-1][0]:
        shapes.append(plot.upright("plot-split", before[-1]))
    last = points[-1]
    shapes.append(plot.dot(last[0], last[3], 4, f"fitted: {last[3]:.3f}, defaults: {last[2]:.3f}"))
    held_out = [row for row in points if row[1]]
    better = sum(row[3] < row[2] for row in held_out)
    return plot.frame(shapes, f"Log-loss over time: fitted is lower in {better} of {len(held_out)} held-out stretches")
