"""Loads histories to fit to: a mode's own, with its seasons and the ratings that players brought, or files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from ranking.models import Mode
from ranking.systems.base import Refused
from ranking.trials.core.building import HistoryBuilder
from ranking.trials.core.fit_history import FitHistory
from ranking.trials.histories import Complain, mode_history, read_history

CHUNK = 1_000  # matches


def load_mode(mode: Mode, until: int, builder: HistoryBuilder) -> Iterator[int]:
    """Read a mode's history up to a sequence into `builder`; yields the number of steps read so far."""
    steps = 0
    for chunk in mode_history(mode, until=until, size=CHUNK):
        builder.add(chunk)
        steps += len(chunk)
        yield steps


def load_files(paths: Sequence[Path], slug: str, complain: Complain) -> FitHistory:
    """The matches of a mode in these files; raises OSError, and Refused if there are none."""
    matches = read_history(paths, complain)
    own = [match for match in matches if match.pool == slug]
    if not own:
        others = Counter(match.pool for match in matches)
        modes = ", ".join(f"{name} ({count:,})" for name, count in others.most_common(5))
        raise Refused(
            f"There is no match of {slug} in the files." + (f" They have matches of {modes}." if modes else "")
        )
    builder = HistoryBuilder()
    builder.add(own)
    return builder.finish()
