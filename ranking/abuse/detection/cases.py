"""The values of detectors: the history that they read, and the cases that they find."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ranking.abuse.detection.columns import Columns, Ints
from ranking.abuse.detection.features import Features
from ranking.abuse.detection.thresholds import Thresholds

MOST_MATCHES = 100  # named in a case: the first and the last ones of its run


@dataclass(frozen=True, slots=True)
class AbuseHistory:
    """The history for all detectors; `since`: time of the mode's first match ever; `veterans`: earlier players."""

    columns: Columns
    features: Features
    thresholds: Thresholds
    since: float
    veterans: Ints


@dataclass(frozen=True, slots=True)
class Case:
    """A suspicion against one player or two; `players`: ids, first the one who gains by it; `evidence`: plain JSON."""

    kind: str
    players: tuple[int, ...]
    score: float
    evidence: dict[str, Any] = field(default_factory=dict)


def evidence_of(columns: Columns, rows: Ints, **numbers: Any) -> dict[str, Any]:
    """The evidence of these rows: their matches, the times of the first and the last, and the kind's own numbers."""
    matches = columns.match[rows].tolist()
    named = matches if len(matches) <= MOST_MATCHES else matches[: MOST_MATCHES // 2] + matches[-MOST_MATCHES // 2 :]
    ended = columns.ended_at[rows]
    return {
        "matches": named,
        "count": len(matches),
        "since": float(ended.min()),
        "until": float(ended.max()),
        **numbers,
    }


def strongest(cases: Iterable[Case], thresholds: Thresholds) -> list[Case]:
    """The strongest case of each player or pair, strongest first, at most `thresholds.kept`."""
    by_players: dict[frozenset[int], Case] = {}
    for case in sorted(cases, key=lambda case: (-case.score, case.players)):
        if case.score >= thresholds.score_of(case.kind):
            by_players.setdefault(frozenset(case.players), case)
    return list(by_players.values())[: thresholds.kept]
