"""Draws the log-loss of the defaults and of the fitted parameters over time, as SVG."""

from __future__ import annotations

from collections.abc import Sequence

from ranking.svg import BOTTOM, HEIGHT, TOP, dot, frame, line, path_through, round_axis, x_of, y_of
from ranking.trials.core.charts import time_axis


def log_loss_over_time(points: Sequence[Sequence[float]]) -> str:
    """`points`: rows of Fits' `over_time`. Both lines; where the held-out part begins, a line stands."""
    if len(points) < 2 or points[0][0] >= points[-1][0]:
        return ""
    x = time_axis(points[0][0], points[-1][0])
    values = [value for _, _, *both in points for value in both]
    y = round_axis(min(values), max(values))
    old, new = (
        path_through((x_of(x, row[0]), y_of(y, row[column])) for row in points) for column in (2, 3)
    )  # fmt: skip
    shapes = [
        f'<path class="plot-other" fill="none" d="{old}"><title>defaults</title></path>',
        f'<path class="plot-line" fill="none" d="{new}"><title>fitted</title></path>',
    ]
    before = [row[0] for row in points if not row[1]]
    if before and before[-1] < points[-1][0]:
        split = x_of(x, before[-1])
        shapes.append(line("plot-split", split, TOP, split, HEIGHT - BOTTOM))
    last = points[-1]
    shapes.append(dot(x_of(x, last[0]), y_of(y, last[3]), 4, f"fitted: {last[3]:.3f}, defaults: {last[2]:.3f}"))
    held_out = [row for row in points if row[1]]
    better = sum(row[3] < row[2] for row in held_out)
    return frame(x, y, shapes, f"Log-loss over time: fitted is lower in {better} of {len(held_out)} held-out stretches")
