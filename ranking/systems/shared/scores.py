"""Sentences for the score S of Elo's formula: 1 for a win, ½ for a draw, 0 for a loss or for leaving."""

from __future__ import annotations

from ranking.wording.translation import gettext


def why_score(score: float, *, left_early: bool) -> str:
    if left_early:
        return gettext("Leaving early counts as a loss, whatever the result.")
    if score == 0.5:
        return gettext("A draw counts as half a win.")
    return gettext("The match was won.") if score else gettext("The match was lost.")
