"""The values of detectors: the history that they read, and the cases that they find."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ranking.abuse.detection._features import Features
from ranking.abuse.detection.columns import Columns, Ints
from ranking.abuse.detection.thresholds import Thresholds
from ranking.rules.unreported import UnreportedMatch

MOST_MATCHES = 100  # named in a case: the first and the last ones of its run


@dataclass(frozen=True, slots=True)
class AbuseHistory:
    """The history for all detectors; `since`: time of the mode's first match ever; `veterans`: earlier players.

    `unreported`: matches of the same time that were never reported, a value for each player who was behind.
    """

    columns: Columns
    features: Features
    thresholds: Thresholds
    since: float
    veterans: Ints
    unreported: Sequence[UnreportedMatch] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A suspicion against one player or two; `players`: ids, first the one who gains by it; `evidence`: plain JSON."""

    kind: str
    players: tuple[int, ...]
    score: float
    evidence: dict[str, object] = field(default_factory=dict)


def evidence_of(columns: Columns, rows: Ints, **numbers: object) -> dict[str, object]:
    """The evidence of these rows: their matches and scores, the first and the last time, and the kind's own numbers."""
    named = rows if len(rows) <= MOST_MATCHES else np.r_[rows[: MOST_MATCHES // 2], rows[-MOST_MATCHES // 2 :]]
    ended = columns.ended_at[rows]
    return {
        "matches": columns.match[named].tolist(),
        "scores": [_score_of(columns, int(row)) for row in named],
        "count": len(rows),
        "since": float(ended.min()),
        "until": float(ended.max()),
        **numbers,
    }


def _score_of(columns: Columns, row: int) -> list[float | None]:
    """The score of a row's team and the best of the other teams; None if it is unknown."""
    sequence = columns.sequence[row]
    match = slice(np.searchsorted(columns.sequence, sequence), np.searchsorted(columns.sequence, sequence, "right"))
    others = columns.score[match][(columns.team[match] != columns.team[row]) & ~np.isnan(columns.score[match])]
    own = float(columns.score[row])
    return [None if np.isnan(own) else own, float(others.max()) if len(others) else None]


def strongest(cases: Iterable[Case], thresholds: Thresholds) -> list[Case]:
    """The strongest case of each player or pair, strongest first, at most `thresholds.kept`."""
    by_players: dict[frozenset[int], Case] = {}
    for case in sorted(cases, key=lambda case: (-case.score, case.players)):
        if case.score >= thresholds.score_of(case.kind):
            by_players.setdefault(frozenset(case.players), case)
    return list(by_players.values())[: thresholds.kept]
