"""What leaving weighs, drawn over two weeks before and after a moment. Pure."""

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
    """Paths of what was (with the area below it) and of what will be if nothing more happens; `now` is where x is."""

    past: str
    area: str
    future: str
    now: int


def draw_decay(lapses: Sequence[Lapse], now: dt.datetime) -> Decay:
    steps = SPAN // _STEP
    # The moment of each lapse, too, for what it weighs is in full at once.
    leaps = [moment for lapse in lapses for moment in (lapse.at - dt.timedelta(seconds=1), lapse.at)]
    moments = sorted({*leaps, *(now + number * _STEP for number in range(-steps, steps + 1))})
    weights = {moment: points(lapses, moment) for moment in moments if now - SPAN <= moment <= now + SPAN}
    most = max(weights.values()) or 1.0
    spots = {
        moment: (WIDTH / 2 * (1 + (moment - now) / SPAN), HEIGHT * (1 - worth / most))
        for moment, worth in weights.items()
    }
    past, future = (
        path_through(spot for moment, spot in spots.items() if (moment - now) * side >= dt.timedelta())
        for side in (-1, 1)
    )
    return Decay(past, f"{past}V{HEIGHT}H0Z", future, WIDTH // 2)
