"""The score S of Elo's formula (1 for a win, ½ for a draw, 0 for a loss or for leaving), and sentences for it."""

from __future__ import annotations

from ranking.wording.translation import gettext


def score_of(place: int, other_place: int) -> float:
    return 0.5 if place == other_place else 1.0 if place < other_place else 0.0


def why_score(score: float, *, left_early: bool) -> str:
    if left_early:
        return gettext("You left early, which counts as a loss, whatever the result.")
    if score == 0.5:
        return gettext("A draw counts as half a win.")
    return gettext("You won.") if score else gettext("You lost.")
