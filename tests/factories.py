"""Makers of test data: through the domain functions, each with as little to say as possible."""

import datetime as dt
import itertools
from collections.abc import Sequence
from typing import Any

from ranking.models import Mode, Source
from ranking.modes import create_mode
from ranking.report import PlayerReport, Report, TeamReport
from ranking.results import Recorded, record_result

NOW = dt.datetime(2026, 5, 20, 12, tzinfo=dt.UTC)
_numbers = itertools.count(1)


def make_mode(slug: str = "duel", system: str = "elo", **settings: Any) -> Mode:
    """A mode of two teams of one to six, placed after one match unless said otherwise."""
    given = {"name": slug.title(), "team_size_max": 6, "placement_matches": 1, "now": NOW, **settings}
    return create_mode(slug=slug, system=system, **given)


def make_source(slug: str = "test") -> Source:
    return Source.objects.get_or_create(slug=slug, defaults={"created_at": NOW})[0]


def make_report(
    *teams: Sequence[str | PlayerReport],
    mode: str = "duel",
    id: str | None = None,
    ended_at: dt.datetime = NOW,
    places: Sequence[int] | None = None,
    **more: Any,
) -> Report:
    """A result of these rosters (player ids, or PlayerReports); the first team won unless `places` say otherwise."""
    places = places or range(1, len(teams) + 1)
    return Report(
        id=id or f"match-{next(_numbers)}",
        mode=mode,
        ended_at=ended_at,
        teams=tuple(
            TeamReport(
                players=tuple(said if isinstance(said, PlayerReport) else PlayerReport(id=said) for said in roster),
                place=place,
            )
            for roster, place in zip(teams, places, strict=True)
        ),
        **more,
    )


def record(*teams: Sequence[str | PlayerReport], now: dt.datetime = NOW, **more: Any) -> Recorded:
    """Record a result of these rosters; see make_report."""
    return record_result(make_report(*teams, **more), source=make_source(), now=now)
