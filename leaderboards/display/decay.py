"""Draws the decay of a player's conduct points over the two weeks before now and the two weeks after."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from ranking.rules.conduct import Lapse, points
from ranking.svg import path_through

WIDTH, HEIGHT = 600, 80
SPAN = dt.timedelta(days=14)
_STEP = dt.timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class Decay:
    """Paths of the points until now, with the area below, and of the points from now on without new lapses.

    `now`: the x of the present.
    """

    past: str
    area: str
    future: str
    now: int


def draw_decay(lapses: Sequence[Lapse], now: dt.datetime) -> Decay:
    steps = SPAN // _STEP
    # The times just before and at each lapse make its points rise at once.
    jumps = [time for lapse in lapses for time in (lapse.at - dt.timedelta(seconds=1), lapse.at)]
    times = sorted({*jumps, *(now + number * _STEP for number in range(-steps, steps + 1))})
    weights = {time: points(lapses, time) for time in times if now - SPAN <= time <= now + SPAN}
    most = max(weights.values()) or 1.0
    spots = {
        time: (WIDTH / 2 * (1 + (time - now) / SPAN), HEIGHT * (1 - weight / most)) for time, weight in weights.items()
    }
    past, future = (
        path_through(spot for time, spot in spots.items() if (time - now) * side >= dt.timedelta()) for side in (-1, 1)
    )
    return Decay(past, f"{past}V{HEIGHT}H0Z", future, WIDTH // 2)
