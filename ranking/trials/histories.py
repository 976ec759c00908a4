"""Reads histories for trials: from files of reports, or a mode's own in the order of its sequence."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ranking.matches.forfeits import is_void as is_void_forfeit
from ranking.matches.rating import forfeit_result
from ranking.matches.records import is_void
from ranking.models import Event, Forfeit, Match, Mode, Participation, Season, Seed
from ranking.modes.parameters import changed_params, current_parameters, system_of
from ranking.result_files.options import FileOptions
from ranking.rules.report import BadReport, PlayerReport, Report, check_places
from ranking.systems.base import Entrant, Refused, ResetRule, Result, Team
from ranking.trials.core.building import HistoryBuilder
from ranking.trials.core.fit_history import FitHistory
from ranking.trials.core.timeline import PastMatch, PastSeed, PastStep
from ranking.trials.core.trials import ACTIVE
from ranking.validation.report_files import read_lines

GRACE: int = Mode._meta.get_field("reconnect_grace").default  # files don't have a mode's settings

CHUNK = 1_000  # matches of a history to fit to

Resets = Mapping[int, tuple[ResetRule, ...]]  # by the number of a season: those before it
Complain = Callable[[Path, int, str], None]  # file, line, sentence


def read_history(paths: Sequence[Path], complain: Complain) -> list[PastMatch]:
    """The valid lines of these files in the order of time; matches that ended at the same time in the files' order.

    Each mode in them is a pool of its own, and so are results that name none. An id counts once. `complain` is called
    for each invalid line. Raises OSError, BadFile.
    """
    matches = []
    digests: dict[str, str] = {}  # by id
    for path in paths:
        for line in read_lines(path, FileOptions(mode="results")):
            try:
                if line.report is None:
                    raise BadReport("", line.error)
                if not line.has_made_id:
                    digest = line.report.digest()
                    if (first := digests.get(line.report.id)) == digest:
                        continue
                    if first is not None:
                        raise BadReport("id", f"Another result before this one has the id {line.report.id!r}.")
                    digests[line.report.id] = digest
                matches.append(_match_of(f"{path}, line {line.number}", line.report))
            except BadReport as bad:
                complain(path, line.number, str(bad))
    return sorted(matches, key=lambda match: match.ended_at)


@dataclass(frozen=True, slots=True)
class HistorySource:
    """A history that can be read again and again: its number of matches, and its chunks of so many matches.

    `params`: the parameters of the system in force, by its key. `window`: seconds for which a match keeps a player
    active; None = no limit. `until`: a mode's last sequence.
    """

    total: int
    chunks: Callable[[int], Iterable[Sequence[PastStep]]]
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    window: float | None = ACTIVE
    until: int = 0


def files_source(pasts: Sequence[PastMatch]) -> HistorySource:
    return HistorySource(len(pasts), lambda size: (pasts[start : start + size] for start in range(0, len(pasts), size)))


def mode_source(mode: Mode) -> HistorySource:
    until, in_force = last_sequence(mode), current_parameters(mode)
    return HistorySource(
        count_matches(mode, until),
        lambda size: mode_history(mode, until=until, size=size),
        {in_force.system: changed_params(in_force)},
        active_seconds(mode),
        until,
    )


def _match_of(where: str, report: Report) -> PastMatch:
    """The match of a report; raises BadReport if no system could rate it."""
    if len(report.teams) < 2:
        raise BadReport("teams", "A match needs at least two teams.")
    check_places(report)
    teams = tuple(
        Team(tuple(_entrant_of(player) for player in team.players), team.place, team.score) for team in report.teams
    )
    result = Result(teams, report.lasted if report.measured else None, report.rounds, variant=report.variant)
    return PastMatch(where, report.mode, report.ended_at.timestamp(), result)


def _entrant_of(player: PlayerReport) -> Entrant[None]:
    return Entrant(
        id=player.id,
        skill=None,
        seconds=player.seconds,
        left_early=player.left_early or player.absent_seconds() > GRACE,
        rounds_played=player.rounds_played,
        stats=player.stats,
        party=player.party or None,
        joined_at=player.joined_at,
    )


def count_matches(mode: Mode, until: int) -> int:
    """The number of a mode's rated matches that aren't void, up to a sequence."""
    return Match.objects.filter(~is_void(), mode=mode, event_id__lte=until).count()


def mode_history(mode: Mode, *, until: int, size: int) -> Iterator[list[PastStep]]:
    """Yield a mode's rated matches, forfeits and ratings brought along up to a sequence, in its order, in chunks of
    `size` matches.

    A chunk takes four queries, and the seasons take one more. Void matches are left out. A player's id is their
    row's. Each match has the resets of the seasons that had ended before its own.
    """
    rules = [season.rule for season in Season.objects.filter(mode=mode).order_by("number")]
    resets = {number: tuple(rules[: number - 1]) for number in range(1, len(rules) + 1)}
    after = 0
    while after < until:
        rows = _matches(mode, after, until, size)
        last = rows[-1][0] if len(rows) == size else until
        steps: list[tuple[int, PastStep]] = [*_chunk(mode, rows, resets)]
        steps += _forfeits(mode, after, last, resets)
        steps += _seeds(mode, after, last, resets)
        if steps:
            yield [step for _, step in sorted(steps, key=lambda step: step[0])]
        after = last


def _forfeits(mode: Mode, after: int, until: int, resets: Resets) -> list[tuple[int, PastMatch]]:
    """The forfeits after one sequence and up to another, each with its sequence."""
    rows = Forfeit.objects.filter(~is_void_forfeit(), mode=mode, event_id__gt=after, event_id__lte=until)
    rows = rows.select_related("season")
    return [
        (
            row.event_id or 0,
            PastMatch(
                f"forfeit {row.pk}",
                mode.slug,
                row.happened_at.timestamp(),
                forfeit_result(row.teams, row.player_id, lambda player: None),
                dropper=str(row.player_id),
                resets=resets[row.season.number] if row.season else (),
            ),
        )
        for row in rows
    ]


def _seeds(mode: Mode, after: int, until: int, resets: Resets) -> list[tuple[int, PastSeed]]:
    """The ratings brought along after one sequence and up to another, each with its sequence."""
    rows = Seed.objects.filter(mode=mode, event_id__gt=after, event_id__lte=until)
    rows = rows.select_related("season", "parameters", "event")
    systems = {pk: system_of(version) for pk, version in {row.parameters_id: row.parameters for row in rows}.items()}
    return [
        (
            row.event_id,
            PastSeed(
                mode.slug, row.event.happened_at.timestamp(), str(row.player_id), row.state, systems[row.parameters_id],
                row.matches, resets[row.season.number],
            ),
        )
        for row in rows
    ]  # fmt: skip


_Row = tuple[int, int, dt.datetime, float | None, bool, int | None, list[dict[str, Any]], str, int]


def _matches(mode: Mode, after: int, until: int, size: int) -> list[_Row]:
    matches = Match.objects.filter(~is_void(), mode=mode, event_id__gt=after, event_id__lte=until).order_by("event_id")
    columns = ("event_id", "id", "ended_at", "duration", "measured", "rounds", "teams", "variant", "season__number")
    return list(matches.values_list(*columns)[:size])


def _chunk(mode: Mode, rows: list[_Row], resets: Resets) -> list[tuple[int, PastMatch]]:
    """These matches, each with its sequence."""
    rosters = _rosters_of(rows)
    return [
        (
            event,
            PastMatch(
                f"match {match}",
                mode.slug,
                ended_at.timestamp(),
                Result(
                    tuple(
                        Team(tuple(roster), team["place"], team["score"])
                        for roster, team in zip(rosters[match], teams, strict=True)
                    ),
                    duration if measured else None,
                    rounds,
                    variant=variant,
                ),
                resets=resets[season],
            ),
        )
        for event, match, ended_at, duration, measured, rounds, teams, variant, season in rows
    ]


def _rosters_of(rows: list[_Row]) -> dict[int, list[list[Entrant[None]]]]:
    """The players of these matches, by match and team."""
    rosters: dict[int, list[list[Entrant[None]]]] = {row[1]: [[] for _ in row[6]] for row in rows}
    parts = Participation.objects.filter(match__in=rosters.keys()).order_by("match", "team", "slot")
    columns = (
        "match", "team", "player", "seconds", "joined_at", "left_early", "excused", "rounds_played", "stats", "party",
    )  # fmt: skip
    for match, team, player, seconds, joined, left, excused, rounds_played, stats, party in parts.values_list(*columns):
        rosters[match][team].append(
            Entrant(
                id=str(player),
                skill=None,
                seconds=None if excused else seconds,
                joined_at=None if excused else joined,
                left_early=left,
                rounds_played=None if excused else rounds_played,
                stats=stats,
                party=party or None,
            )
        )
    return rosters


def last_sequence(mode: Mode) -> int:
    """The sequence of the newest step in a mode's history."""
    return Event.objects.filter(mode=mode).order_by("-id").values_list("id", flat=True).first() or 0


def active_seconds(mode: Mode) -> float | None:
    """The time in seconds for which a match keeps a player active; None if there is no limit."""
    return None if mode.activity_window is None else mode.activity_window.total_seconds()


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
