"""Every kind of abuse that is looked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ranking.abuse.detection import boosting, delevelling, sharing, smurfing, trading
from ranking.abuse.detection.cases import Case, History, strongest
from ranking.abuse.detection.columns import Columns
from ranking.abuse.detection.features import features_of
from ranking.abuse.detection.thresholds import Thresholds

DETECTORS: dict[str, Callable[[History], Iterator[Case]]] = {
    module.KIND: module.find for module in (boosting, trading, delevelling, smurfing, sharing)
}


class UnknownKind(ValueError):
    """There is no such kind; the message lists those there are."""


def get_detector(kind: str) -> Callable[[History], Iterator[Case]]:
    """Raises UnknownKind."""
    if kind not in DETECTORS:
        raise UnknownKind(f"There is no kind of abuse {kind!r}; they are {', '.join(DETECTORS)}.")
    return DETECTORS[kind]


def find_cases(history: History, kind: str) -> list[Case]:
    """The cases of a kind, the strongest first."""
    return strongest(get_detector(kind)(history), history.thresholds)


def history_of(
    columns: Columns, thresholds: Thresholds, *, since: float | None = None, veterans: Sequence[int] = ()
) -> History:
    """`since`: the mode's first match, if that came before these; `veterans`: who had played before these."""
    first = float(columns.ended_at.min()) if len(columns) and since is None else since or 0.0
    return History(columns, features_of(columns, thresholds), thresholds, first, np.asarray(veterans, np.int64))
