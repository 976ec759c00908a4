"""Which results count for nothing, and why: the report, its mode and who of its players is a bot decide.

A match with a code (Match.UNCOUNTED) never counts. One without a code is void as it comes, and may be restored.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ranking.models import Match, Mode
from ranking.rules.report import Report, size_of


@dataclass(frozen=True, slots=True)
class Uncounted:
    """Why a match counts for nothing. `code`: of Match.UNCOUNTED; "" if a moderator may restore the match."""

    code: str
    reason: str


_BOTS = Uncounted(Match.BOTS, "Bots alone were on a side.")
_UNRATED = Uncounted(Match.UNRATED, "It was sent as unrated.")
_NOBODY = Uncounted(Match.NOBODY, "Nobody ever played.")
_WALKOVER = Uncounted(Match.WALKOVER, "A walkover: only one side ever played.")


def find_uncounted(report: Report, mode: Mode, bots: Collection[str] = ()) -> Uncounted | None:
    """Why a match counts for nothing; None if it counts. `bots`: the ids of those players who are bots."""
    if report.no_contest:
        return Uncounted(Match.NO_CONTEST, report.no_contest)
    if bots and any(all(player.id in bots for player in team.players) for team in report.teams):
        return _BOTS
    if report.unrated:
        return _UNRATED
    present = sum([not team.absent for team in report.teams])
    if present < 2:
        return _WALKOVER if present else _NOBODY
    reason = _why_unrated(report, mode)
    return Uncounted("", reason) if reason else None


def _why_unrated(report: Report, mode: Mode) -> str:
    """Why the mode doesn't rate such a match: it is too short, or its teams are of different sizes.

    "" if it counts. Whose length isn't known isn't too short.
    """
    lengths = (("seconds", report.lasted, mode.least_seconds), ("rounds", report.rounds, mode.least_rounds))
    for unit, length, least in lengths:
        if length is not None and length < least:
            return f"Too short: {length:g} of at least {least} {unit}."
    if mode.equal_teams and len(sizes := {size_of(team, report.lasted) for team in report.teams}) > 1:
        return f"Uneven: teams of {min(sizes)} and of {max(sizes)}."
    return ""
