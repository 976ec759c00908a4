"""Draws the plots of docs/formulas from the systems themselves: `python -m bench.plots docs/formulas`.

Left, what a match one on one is worth against the other's rating; right, the chance to win it, or where a system
keeps a deviation, how it falls over matches that equals win in turn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.registry import get_system

WIDTH, HEIGHT, LEFT, TOP, GAP = 360, 220, 56, 44, 76
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #5b5f68; } .title { font-weight: 700; fill: #15171c; }
  .axis { stroke: #c9c5b9; fill: none; } .line { fill: none; stroke-width: 2; }
  .l0 { stroke: #0a5cad; } .l1 { stroke: #a5450b; } .l2 { stroke: #858d9b; } .back { fill: #fff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #9aa3b1; } .title { fill: #eceff4; } .axis { stroke: #3a4250; } .back { fill: #161a21; }
    .l0 { stroke: #6db8ff; } .l1 { stroke: #ffac5e; } .l2 { stroke: #a5aebc; }
  }
"""

Line = tuple[str, list[tuple[float, float]]]  # a name and its points


@dataclass(frozen=True, slots=True)
class Subject:
    """A system, how to make a skill of it at a rating, the rating of whom the plot is about, and of the others."""

    key: str
    skill: Callable[[float], dict[str, Any]]
    own: float
    others: tuple[float, float]
    deviation: str = ""  # the name of the skill's field, where there is one


SUBJECTS = [
    Subject("team-ratio", lambda r: {"rating": f"{r:.2f}"}, 20, (5, 80)),
    Subject("two-layer", lambda r: {"mu": r, "sigma": 4.0, "mmr": 2500}, 25, (5, 45), "sigma"),
    Subject("elo", lambda r: {"rating": r}, 25, (5, 45)),
    Subject("trueskill", lambda r: {"mu": r, "sigma": 2.0}, 25, (5, 45), "sigma"),
    Subject("battle-points", lambda r: {"rating": round(r)}, 1200, (700, 1700)),
    Subject("glicko-2", lambda r: {"rating": r, "deviation": 60.0, "volatility": 0.06}, 1500, (900, 2100), "deviation"),
    Subject("weng-lin", lambda r: {"mu": r, "sigma": 2.0}, 25, (5, 45), "sigma"),
    Subject("margin", lambda r: {"mu": r, "sigma": 0.2, "matches": 50}, 0, (-1.5, 1.5), "sigma"),
]


def duel(subject: Subject, other: float, place: int) -> tuple[float, float]:
    """The change of the display rating by a match against a player of that rating, and the chance to win it."""
    system = get_system(subject.key)
    players = [
        Entrant(name, system.read_skill(subject.skill(r))) for name, r in (("own", subject.own), ("other", other))
    ]
    result = Result((Team((players[0],), place=place), Team((players[1],), place=2)))
    ((after,), _) = system.rate(result)
    first, _ = system.win_probability([team.players for team in result.teams])
    return float(system.display(after) - system.display(players[0].skill)), first or 0.0


def steps(subject: Subject) -> list[float]:
    low, high = subject.others
    return [low + (high - low) * step / 60 for step in range(61)]


def worth(subject: Subject) -> list[Line]:
    return [
        (name, [(other, duel(subject, other, place)[0]) for other in steps(subject)])
        for name, place in (("a win", 1), ("a loss", 3), ("a draw", 2))
    ]


def chances(subject: Subject) -> list[Line]:
    return [("chance to win", [(other, 100 * duel(subject, other, 1)[1]) for other in steps(subject)])]


def deviations(subject: Subject) -> list[Line]:
    """The ratings of two newcomers who win in turn."""
    system = get_system(subject.key)
    skills = [system.newcomer(), system.newcomer()]
    points = []
    for match in range(61):
        points.append((float(match), float(system.write_skill(skills[0])[subject.deviation])))
        teams = tuple(Team((Entrant(str(i), skill),), place=1 + (i + match) % 2) for i, skill in enumerate(skills))
        skills = [team[0] for team in system.rate(Result(teams))]
    return [(subject.deviation, points)]


def panel(title: str, below: str, lines: Sequence[Line], at: int) -> str:
    """One plot, with its least and its largest values at the axes."""
    xs = [x for _, points in lines for x, _ in points]
    ys = [0.0, *(y for _, points in lines for _, y in points)]
    (x0, x1), (y0, y1) = (min(xs), max(xs)), (min(ys), max(ys))

    def place(x: float, y: float) -> str:
        return f"{at + (x - x0) / (x1 - x0) * WIDTH:.1f},{TOP + (y1 - y) / (y1 - y0) * HEIGHT:.1f}"

    bottom = TOP + HEIGHT
    parts = [f'<text class="title" x="{at}" y="{TOP - 20}">{title}</text>']
    parts.append(f'<path class="axis" d="M{at},{TOP}V{bottom}H{at + WIDTH}M{place(x0, 0)}L{place(x1, 0)}"/>')
    marks = {y0: bottom, 0.0: float(place(x0, 0).split(",")[1]) + 4, y1: TOP + 8}
    for value, y in marks.items():
        parts.append(f'<text x="{at - 6}" y="{y:.1f}" text-anchor="end">{f"{value:.4g}".replace("-", "−")}</text>')
    for x, anchor, value in ((at, "start", x0), (at + WIDTH, "end", x1)):
        parts.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="{anchor}">{value:g}</text>')
    parts.append(f'<text x="{at + WIDTH / 2:g}" y="{bottom + 18}" text-anchor="middle">{below}</text>')
    for number, (name, points) in enumerate(lines):
        parts.append(f'<polyline class="line l{number}" points="{" ".join(place(x, y) for x, y in points)}"/>')
        key = at + 8 + number * 84
        parts.append(
            f'<path class="line l{number}" d="M{key},{TOP - 8}h16"/><text x="{key + 20}" y="{TOP - 4}">{name}</text>'
        )
    return "\n".join(parts)


def drawing(subject: Subject) -> str:
    second = LEFT + WIDTH + GAP
    about = f"the other’s rating; own {subject.own:g}"
    right = (
        panel("How uncertain a newcomer is", "matches played", deviations(subject), second)
        if subject.deviation
        else panel("Chance to win, %", about, chances(subject), second)
    )
    size = f"{second + WIDTH + 16} {TOP + HEIGHT + 34}"
    left = panel("What a match is worth, one on one", about, worth(subject), LEFT)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" role="img" '
        f'aria-label="{subject.key}: what a match is worth">\n<style>{STYLE}</style>\n'
        f'<rect class="back" width="100%" height="100%" rx="8"/>\n{left}\n{right}\n</svg>\n'
    )


if __name__ == "__main__":
    for each in SUBJECTS:
        Path(sys.argv[1], f"{each.key}.svg").write_text(drawing(each))
