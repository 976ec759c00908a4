"""What is reported at all; config/settings.py gives the numbers, docs/operating.md explains them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """A kind's number is its weakest case's score; `kept` cases of each. Shares are from 0 to 1."""

    boosting: float = 6.0
    trading: float = 6.0
    delevelling: float = 6.0
    smurfing: float = 3.0  # new accounts are few, and so are their matches
    sharing: float = 5.0
    kept: int = 200
    matches: int = 6  # a stretch of fewer is no case
    meetings: int = 8  # nor is a pair that met less often
    share: float = 0.4  # boosting: of a player's gains, those owed to one other
    lopsided: float = 0.8  # a win by as much of the larger score
    quick: float = 0.5  # of the usual duration, at most
    fled: float = 0.3  # of the match: who left before has left fast
    negative: float = 1.0  # times the usual winning score below nought
    new_matches: int = 30  # smurfing: of an account, the first
    new_days: float = 7.0  # since the mode's first match: who came before is no newcomer
    hop_minutes: float = 30.0  # sharing: between two matches on different devices

    def score_of(self, kind: str) -> float:
        """The weakest score of a kind's cases."""
        score: float = getattr(self, kind)
        return score
