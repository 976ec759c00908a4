"""Why a match moved each rating: the system's factors for the match as it was rated, in words."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboards.figures import plain, rating_text
from ranking.modes import system_of
from ranking.plays import Play, result_of
from ranking.systems.base import Factor, Refused


@dataclass(frozen=True, slots=True)
class Reason:
    """One factor of a formula."""

    name: str
    value: str
    note: str
    kind: str


def explain(play: Play) -> dict[int, list[Reason]]:
    """By player, the reasons of their change; empty where the match isn't rated (whole)."""
    if not play.changes or len(play.changes) != len(play.parts):
        return {}
    system = system_of(play.changes[0].parameters)
    states = [change.before for change in play.changes]
    try:
        result = result_of(play, states, system, [None] * len(play.parts))
        factors = [found for team in system.explain(result) for found in team]
    except Refused:
        return {}
    return {
        part.player_id: [_reason(factor, system.decimals) for factor in found]
        for part, found in zip(play.parts, factors, strict=True)
    }


def _reason(factor: Factor, decimals: int) -> Reason:
    value = factor.value
    match factor.kind:
        case "amount":
            text = rating_text(round(value * 100), max(decimals, 2))
        case "times":
            text = f"×{value:,.2f}"
        case "share":
            text = f"{100 * value:.0f} %"
        case _:
            text = plain(value)
    return Reason(factor.name, text, factor.note, factor.kind)
