"""Times work side by side (A B A B …) and gives medians and ratios of one run."""

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import ParamSpec, TypeVar

STRETCH = 50  # rounds

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table; `ours` and `floor` in the unit that `what` names; `wanted`: the bound."""

    what: str
    ours: str
    floor: str
    ratio: str
    wanted: str
    met: bool


def with_room(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function so that no frame in its calls has to fetch memory.

    CPython keeps a thread's frames in pieces of 16 KiB, fetches one where the last is full and gives it back once it is
    empty: each turn of a loop that lies on the border does so. Where the borders lie depends on who calls; a page took
    17 to 35 ms by how deep its caller was. In the web processes' threads pages were seen to fetch next to none.
    A first frame of 320 KiB brings a piece that holds all.
    """

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    call.__code__ = call.__code__.replace(co_stacksize=40_000)
    return call


@with_room
def side_by_side(works: Mapping[str, Callable[[], object]], rounds: int, warm: int = 2) -> dict[str, list[float]]:
    """Seconds of each work, once a round, in turn; the garbage collector ignores objects from before."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    gc.collect()
    gc.freeze()
    for number in range(rounds + warm):
        for name, work in works.items():
            gc.collect()
            start = time.perf_counter()
            work()
            if number >= warm:
                taken[name].append(time.perf_counter() - start)
    gc.unfreeze()
    return taken


def p95(values: Sequence[float]) -> float:
    return quantiles(values, n=20)[-1]


def typical_p95(ours: Sequence[float], floor: Sequence[float]) -> tuple[float, float]:
    """The p95 of both in that stretch of rounds whose ratio is the median, of two in the middle the worse.

    A burst of the machine's noise, which may hit one of them more than the other, falls into one stretch or two.
    """
    stretches = [slice(start, start + STRETCH) for start in range(0, len(ours), STRETCH)]
    found = sorted(((p95(ours[part]), p95(floor[part])) for part in stretches), key=lambda pair: pair[0] / pair[1])
    return found[len(found) // 2]


def at_most(what: str, ours: float, floor: float, bound: float, unit: str = "ms", scale: float = 1e3) -> Row:
    """A row whose ratio ours/floor must be at most the bound."""
    ratio = ours / floor
    return Row(
        what,
        f"{ours * scale:.2f} {unit}",
        f"{floor * scale:.2f} {unit}",
        f"{ratio:.2f} ×",
        f"≤ {bound} ×",
        ratio <= bound,
    )


def compared(what: str, ours: float, floor: float, unit: str = "ms", scale: float = 1e3) -> Row:
    """A row of costs without a bound: the floor's cost over ours."""
    return Row(what, f"{ours * scale:.2f} {unit}", f"{floor * scale:.2f} {unit}", f"{floor / ours:.2f} ×", "", True)


def at_least(what: str, ours: float, floor: float, bound: float, unit: str = "ms", scale: float = 1e3) -> Row:
    """A row of costs whose ratio, the floor's cost over ours, must be at least the bound."""
    ratio = floor / ours
    return Row(
        what,
        f"{ours * scale:.2f} {unit}",
        f"{floor * scale:.2f} {unit}",
        f"{ratio:.2f} ×",
        f"≥ {bound} ×",
        ratio >= bound,
    )


def table(found: list[Row]) -> str:
    lines = ["| what | ours | floor | ratio | wanted | |", "|---|---:|---:|---:|---:|---|"]
    lines += [f"| {r.what} | {r.ours} | {r.floor} | {r.ratio} | {r.wanted} | {'✓' if r.met else '✗'} |" for r in found]
    return "\n".join(lines)


__all__ = ["Row", "at_least", "at_most", "compared", "median", "p95", "side_by_side", "table", "typical_p95"]
