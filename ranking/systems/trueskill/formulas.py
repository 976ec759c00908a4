"""The formulas of TrueSkill (see system.py for their source), for a match by floats and for a history by arrays.

Two teams are rated in closed form. More teams pass messages, whose loops are in chain.py and in batch_chain.py.
"""

from __future__ import annotations

from ranking.systems.shared.maths import Maths, Numbers

LEAST_VARIANCE = 1e-18  # of a skill: rounding must not bring it to zero
LEAST_WEIGHT = 0.0001


def weight(reported: Numbers, m: Maths) -> Numbers:
    """w: how much of a player's performance counts."""
    return m.maximum(reported, LEAST_WEIGHT)


def draw_margin(unit_margin: float, players: Numbers, m: Maths) -> Numbers:
    """The draw margin between two teams of so many players; `unit_margin`: Phi⁻¹((p + 1)/2)·beta."""
    return unit_margin * m.sqrt(players)


def lesson_of_win(
    ahead: Numbers, variance: Numbers, margin: Numbers, outcome: Numbers, m: Maths
) -> tuple[Numbers, Numbers]:
    """v/c and W/c² of two teams, one of which won; the other team's v/c is the opposite.

    `ahead`: the first team's mean less the second's, `outcome`: 1 if it won, −1 if the other one did.
    """
    c = m.sqrt(variance)
    v, w, _ = m.above((outcome * ahead - margin) / c)
    return outcome * v / c, w / variance


def lesson_of_draw(ahead: Numbers, variance: Numbers, margin: Numbers, m: Maths) -> tuple[Numbers, Numbers]:
    """v/c and W/c² of two teams that drew."""
    c = m.sqrt(variance)
    v, w, _ = m.within(ahead / c, margin / c)
    return v / c, w / variance


def skill_after(
    mu: Numbers, s2: Numbers, gain: Numbers, pull: Numbers, sureness: Numbers, m: Maths
) -> tuple[Numbers, Numbers]:
    """mu' = mu + w·s²·(v/c) and sigma' = √(s² − (w·s²)²·(W/c²)); `gain`: w·s²."""
    return mu + gain * pull, m.sqrt(m.maximum(s2 - gain * gain * sureness, LEAST_VARIANCE))


def lead(ahead: Numbers, variance: Numbers, temperature: float, m: Maths) -> Numbers:
    """A team wins with the chance Phi of it; `variance`: that of both teams' performances, without tau."""
    return ahead / m.sqrt(variance) / temperature
