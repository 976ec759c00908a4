"""What a detector finds: who, how strong, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ranking.abuse.detection.columns import Columns, Ints
from ranking.abuse.detection.features import Features
from ranking.abuse.detection.thresholds import Thresholds

MOST_MATCHES = 100  # named in a case, the first and the last of its stretch


@dataclass(frozen=True, slots=True)
class History:
    """What every detector looks at. `since`: of the mode's first match ever; `veterans` played before these columns."""

    columns: Columns
    features: Features
    thresholds: Thresholds
    since: float
    veterans: Ints


@dataclass(frozen=True, slots=True)
class Case:
    """`players` are rows' numbers, first who gains by it; `evidence` is plain JSON."""

    kind: str
    players: tuple[int, ...]
    score: float
    evidence: dict[str, Any] = field(default_factory=dict)


def evidence_of(columns: Columns, rows: Ints, **numbers: Any) -> dict[str, Any]:
    """The matches of these rows, when they were, and what a kind says of them."""
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
    """Each player or pair once, the strongest first, as many as are kept."""
    found: dict[frozenset[int], Case] = {}
    for case in sorted(cases, key=lambda case: (-case.score, case.players)):
        if case.score >= thresholds.score_of(case.kind):
            found.setdefault(frozenset(case.players), case)
    return list(found.values())[: thresholds.kept]
