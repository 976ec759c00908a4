"""The registry of detectors, one for each kind of abuse.

All detectors weigh evidence in the same way. Each match of a player or a pair has a weight: the decimal logarithm of
how much likelier it is under abuse than in honest play (Good's weight of evidence, in bans). The heaviest run of
successive matches is a case, and its weight is the score: 6 says a million times likelier (see docs/abuse.md).

A new kind is a module here with KIND and `find`, a field of that name in `thresholds` and in settings.ABUSE, a sentence
in ranking/abuse/wording.py, and a kind in ranking/models/abuse.py, whose constraints name all kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ranking.abuse.detection import _boosting as boosting
from ranking.abuse.detection import _delevelling as delevelling
from ranking.abuse.detection import _sharing as sharing
from ranking.abuse.detection import _smurfing as smurfing
from ranking.abuse.detection import _trading as trading
from ranking.abuse.detection import newcomers, unreported
from ranking.abuse.detection._features import features_of
from ranking.abuse.detection.cases import AbuseHistory, Case, strongest
from ranking.abuse.detection.columns import Columns
from ranking.abuse.detection.thresholds import Thresholds
from ranking.rules.unreported import UnreportedMatch

DETECTORS: dict[str, Callable[[AbuseHistory], Iterator[Case]]] = {
    module.KIND: module.find for module in (boosting, trading, delevelling, smurfing, newcomers, sharing, unreported)
}


class UnknownKind(ValueError):
    """There is no such kind of abuse; the message lists all kinds."""


def get_detector(kind: str) -> Callable[[AbuseHistory], Iterator[Case]]:
    """The detector of a kind; raises UnknownKind."""
    if kind not in DETECTORS:
        raise UnknownKind(f"There is no kind of abuse {kind!r}; they are {', '.join(DETECTORS)}.")
    return DETECTORS[kind]


def find_cases(history: AbuseHistory, kind: str) -> list[Case]:
    """The cases of a kind, the strongest first."""
    return strongest(get_detector(kind)(history), history.thresholds)


def history_of(
    columns: Columns,
    thresholds: Thresholds,
    *,
    since: float | None = None,
    veterans: Sequence[int] = (),
    unreported: Sequence[UnreportedMatch] = (),
) -> AbuseHistory:
    """The history of these columns; `since`: the end of the mode's first match, if that is older than the columns;
    `veterans`: players who had played before them; `unreported`: see AbuseHistory."""
    first = float(columns.ended_at.min()) if len(columns) and since is None else since or 0.0
    features = features_of(columns, thresholds)
    return AbuseHistory(columns, features, thresholds, first, np.asarray(veterans, np.int64), unreported)
