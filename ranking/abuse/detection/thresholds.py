"""The thresholds of reports on abuse; config/settings.py sets them, docs/operating.md explains them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least score of each kind of case, and bounds of evidence; at most `kept` cases a kind. Shares: 0 to 1."""

    boosting: float = 6.0
    trading: float = 6.0
    delevelling: float = 6.0
    smurfing: float = 3.0  # new accounts are few, and so are their matches
    newcomer: float = 3.0
    sharing: float = 5.0
    unreported: float = 4.0  # so are unreported matches
    kept: int = 200
    matches: int = 6  # least matches of a run
    meetings: int = 8  # least meetings of a pair
    share: float = 0.4  # boosting: least share of a player's gains that come from one other player
    lopsided: float = 0.8  # least lead in score, as a share of the larger score
    quick: float = 0.5  # longest duration of a quick match, as a share of the usual one
    fled: float = 0.3  # latest time of leaving fast, as a share of the match
    negative: float = 1.0  # a strongly negative score: minus this many usual winning scores
    new_matches: int = 30  # smurfing: first matches of an account that count
    new_days: float = 7.0  # smurfing: days after the mode's first match in which everybody is new
    hop_minutes: float = 30.0  # sharing: longest time between two matches on different devices

    def score_of(self, kind: str) -> float:
        """The least score of a kind's cases."""
        score: float = getattr(self, kind)
        return score
