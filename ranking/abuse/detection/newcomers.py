"""Detects strong newcomers, whom nothing but their strength speaks against; see smurfing.py."""

from __future__ import annotations

from collections.abc import Iterator

from ranking.abuse.detection import _smurfing as smurfing
from ranking.abuse.detection.cases import AbuseHistory, Case

KIND = "newcomer"


def find(history: AbuseHistory) -> Iterator[Case]:
    return smurfing.find_newcomers(history, KIND)
