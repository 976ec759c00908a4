"""Histories to replay: from files of results, and a mode's own in the order of its sequence."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ranking.evaluation.core.replay import PastMatch
from ranking.matches.forfeits import is_void as is_void_forfeit
from ranking.matches.rating import forfeit_result
from ranking.matches.records import is_void
from ranking.models import Event, Forfeit, Match, Mode, Participation
from ranking.rules.report import BadReport, PlayerReport, Report, check_places
from ranking.systems.base import Entrant, Result, Team
from ranking.validation.report_files import read_lines

GRACE: int = Mode._meta.get_field("reconnect_grace").default  # files know no modes' settings

Complain = Callable[[Path, int, str], None]  # file, line, sentence


def read_history(paths: Sequence[Path], complain: Complain) -> list[PastMatch]:
    """The sound lines of these files in time order, those that ended at once in the order of the files.

    Each mode that they name is a pool of its own. Raises OSError.
    """
    pasts = []
    for path in paths:
        for line in read_lines(path):
            try:
                if line.report is None:
                    raise BadReport("", line.error)
                pasts.append(_match_of(f"{path}, line {line.number}", line.report))
            except BadReport as bad:
                complain(path, line.number, str(bad))
    return sorted(pasts, key=lambda past: past.ended_at)


def _match_of(where: str, report: Report) -> PastMatch:
    """Raises BadReport for a result that no system could rate."""
    if len(report.teams) < 2:
        raise BadReport("teams", "A match needs at least two teams.")
    check_places(report)
    teams = tuple(
        Team(tuple(_entrant_of(said) for said in team.players), team.place, team.score) for team in report.teams
    )
    return PastMatch(where, report.mode, report.ended_at.timestamp(), Result(teams, report.duration, report.rounds))


def _entrant_of(said: PlayerReport) -> Entrant[None]:
    return Entrant(
        id=said.id,
        skill=None,
        seconds=said.seconds,
        left_early=said.left_early or said.absent_seconds() > GRACE,
        rounds_played=said.rounds_played,
        stats=said.stats,
        party=said.party or None,
    )


def count_matches(mode: Mode, until: int) -> int:
    """How many matches of a mode are rated and count, up to a sequence."""
    return Match.objects.filter(~is_void(), mode=mode, event_id__lte=until).count()


def mode_history(mode: Mode, *, until: int, size: int) -> Iterator[list[PastMatch]]:
    """A mode's rated matches and forfeits up to a sequence, in its order, in chunks of `size` matches.

    Three queries each. Void ones are left out. All seasons are one history. Players are known by their row's number.
    """
    after = 0
    while after < until:
        rows = _matches(mode, after, until, size)
        last = rows[-1][0] if len(rows) == size else until
        pasts = sorted([*_chunk(mode, rows), *_forfeits(mode, after, last)], key=lambda found: found[0])
        if pasts:
            yield [past for _, past in pasts]
        after = last


def _forfeits(mode: Mode, after: int, until: int) -> list[tuple[int, PastMatch]]:
    """With their sequence."""
    rows = Forfeit.objects.filter(~is_void_forfeit(), mode=mode, event_id__gt=after, event_id__lte=until)
    return [
        (
            row.event_id or 0,
            PastMatch(
                f"forfeit {row.pk}",
                mode.slug,
                row.happened_at.timestamp(),
                forfeit_result(row.teams, row.player_id, lambda player: None),
                dropper=str(row.player_id),
            ),
        )
        for row in rows
    ]


_Row = tuple[int, int, dt.datetime, float | None, int | None, list[dict[str, Any]]]


def _matches(mode: Mode, after: int, until: int, size: int) -> list[_Row]:
    matches = Match.objects.filter(~is_void(), mode=mode, event_id__gt=after, event_id__lte=until).order_by("event_id")
    return list(matches.values_list("event_id", "id", "ended_at", "duration", "rounds", "teams")[:size])


def _chunk(mode: Mode, rows: list[_Row]) -> list[tuple[int, PastMatch]]:
    """These matches, each with its sequence."""
    rosters: dict[int, list[list[Entrant[None]]]] = {row[1]: [[] for _ in row[5]] for row in rows}
    parts = Participation.objects.filter(match__in=rosters.keys()).order_by("match", "team", "slot")
    columns = ("match", "team", "player", "seconds", "left_early", "rounds_played", "stats", "party")
    for match, team, player, seconds, left_early, rounds_played, stats, party in parts.values_list(*columns):
        rosters[match][team].append(
            Entrant(
                id=str(player),
                skill=None,
                seconds=seconds,
                left_early=left_early,
                rounds_played=rounds_played,
                stats=stats,
                party=party or None,
            )
        )
    return [
        (
            event,
            PastMatch(
                f"match {match}",
                mode.slug,
                ended_at.timestamp(),
                Result(
                    tuple(
                        Team(tuple(roster), said["place"], said["score"])
                        for roster, said in zip(rosters[match], teams, strict=True)
                    ),
                    duration,
                    rounds,
                ),
            ),
        )
        for event, match, ended_at, duration, rounds, teams in rows
    ]


def last_sequence(mode: Mode) -> int:
    """The newest step of a mode's history."""
    return Event.objects.filter(mode=mode).order_by("-id").values_list("id", flat=True).first() or 0


def active_seconds(mode: Mode) -> float | None:
    """For how long a match keeps a player active; None: for good."""
    return None if mode.activity_window is None else mode.activity_window.total_seconds()
