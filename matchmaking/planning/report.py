"""Writes a plan of queues as sentences and draws its chart, for the command and the operators' page."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from matchmaking.planning.planner import LIMITS, MINUTE, PlanChange, QueuePlan, with_online
from ranking import svg
from ranking.svg import Plot, round_axis

POINTS = 60  # of a curve
CALLED = {
    "online": "players online", "participants": "players of a match", "match_minutes": "minutes of a match",
    "modes": "modes", "regions": "regions", "buckets": "skill buckets",
}  # fmt: skip
STYLE = (
    svg.STYLE
    + """text { fill: var(--quiet); } .plot-grid { stroke: var(--line); } .plot-dot { fill: var(--accent); }
.plot-ideal { stroke: var(--quiet); stroke-dasharray: 4 4; }
.plot-line { fill: none; stroke: var(--accent); stroke-width: 2.5; }
"""
)


def duration(seconds: float) -> str:
    """40 s, 2 min 30 s, 3 h 20 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{whole} s"
    large, small, units = (
        (whole // 60, whole % 60, "min s") if whole < 3600 else (whole // 3600, whole // 60 % 60, "h min")
    )
    first, second = units.split()
    return f"{large:,} {first} {small} {second}" if small else f"{large:,} {first}"


def lines(
    plan: QueuePlan, target: float | None, changes: Sequence[PlanChange], population: int | None, matches: float | None
) -> list[str]:
    """The lines that the command prints."""
    texts = [formula(plan), verdict(plan)]
    if target is not None:
        texts += [heading(plan, target, changes), *(f"  {sentence(change)}" for change in changes)]
    if matches is not None and population is not None:
        texts.append(placing(plan, population, matches))
    return texts


def formula(plan: QueuePlan) -> str:
    """The formula of the wait, with the plan's numbers."""
    factors = [
        _counted(plan.modes, "mode"),
        *([_counted(plan.regions, "region")] if plan.regions > 1 else []),
        f"{plan.match_minutes:g} min",
        _counted(plan.participants, "player"),
        _counted(plan.buckets, "skill bucket"),
    ]
    return f"T_wait = {' × '.join(factors)} / {plan.online:,} online = {duration(plan.wait)}"


def _counted(count: float, noun: str) -> str:
    return f"{count:,g} {noun}{'' if count == 1 else 's'}"


def verdict(plan: QueuePlan) -> str:
    """The meaning of the plan's numbers, as a sentence."""
    if not plan.fills:
        return (
            f"Only {plan.each:,.1f} players share a queue, and a match wants {plan.participants:,}: such a queue fills"
            " by chance, or once its windows have widened. Offer fewer modes, or wider filters."
        )
    at_once = plan.each / plan.participants
    return (
        f"{plan.each:,.0f} players share each queue. They play {at_once:,.1f} matches at a time, so one ends, and the"
        f" next begins, about every {duration(plan.wait)}."
    )


def heading(plan: QueuePlan, target: float, changes: Sequence[PlanChange]) -> str:
    if not changes:
        return f"That is the wait of {duration(target)} that you want."
    if plan.wait <= target:
        return f"For a wait of {duration(target)} you could afford one of these:"
    return f"For a wait of {duration(target)}, change one of these:"


def sentence(change: PlanChange) -> str:
    """One way to the target."""
    name = CALLED[change.field]
    if change.to is not None:
        return f"{name}: {change.to:,g} instead of {change.now:,g}"
    return f"{name}: {change.now:,g} now, and no other number does it alone"


def placing(plan: QueuePlan, population: int, matches: float) -> str:
    return (
        f"Placing {population:,} players takes each at least {ceil(matches - 1e-9):,} matches of {plan.participants:,}"
        f" (log2 {population:,} / log2 {plan.participants:,} = {matches:.1f}); luck and teams make it more."
    )


def chart(plan: QueuePlan, target: float | None) -> str:
    """The wait by players online, from a third to three times as many; the dashed line is the target."""
    low, high = max(1, plan.online // 3), max(2, 3 * plan.online)
    counts = sorted({max(1, round(low * (high / low) ** (step / POINTS))) for step in range(POINTS + 1)})
    waits = [with_online(plan, min(count, int(LIMITS["online"].most))).wait / MINUTE for count in counts]
    plot = Plot(round_axis(0, counts[-1], whole=True), round_axis(0, max([*waits, (target or 0) / MINUTE])))
    shapes = [plot.curve("plot-line", zip(counts, waits, strict=True), filled=True)]
    if target is not None:
        shapes.append(plot.across("plot-ideal", target / MINUTE))
    now = f"{plan.online:,} online: {duration(plan.wait)}"
    shapes.append(plot.dot(plan.online, plan.wait / MINUTE, 4.5, now))
    return plot.frame(shapes, f"Minutes of waiting by players online. {now}")


def drawn(plan: QueuePlan, target: float | None) -> str:
    """The chart as a file of its own."""
    namespace = '<svg xmlns="http://www.w3.org/2000/svg" '
    picture = chart(plan, target).replace("<svg ", namespace, 1)
    return picture.replace(">", f"><style>{STYLE}</style>", 1) + "\n"
