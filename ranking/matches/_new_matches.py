"""New matches: a report is checked against its mode and its players, and rows are made of it. Saves nothing.

Whoever leaves strictly after the last player of every other team has gone hasn't abandoned the match, nor has who left
when it ended. In a mode with `leave_after_abandon`, team-mates of somebody who abandoned it may leave, too.

A match with a code (Match.UNCOUNTED) never counts: its report, its mode and who of its players is a bot decide.
One that is void without a code may be restored.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from ranking.database.bulk_writes import changed_row
from ranking.matches.records import MatchRecord
from ranking.models import Incident, Match, Mode, Participation, Player, Source
from ranking.modes.parameters import Rules
from ranking.rules.places import team_places
from ranking.rules.report import BadReport, PlayerReport, Report, TeamReport, check_places, most_at_once, size_of
from ranking.systems.base import Entrant, Result, Team
from ranking.systems.shared.presence import attended, gone_at
from ranking.systems.shared.rules import QUARTER, left_whole

FUTURE = dt.timedelta(minutes=5)  # by how much a sender's clock may be ahead

_Players = tuple[Entrant[None], ...]


@dataclass(frozen=True, slots=True)
class _Attendance:
    """By team and slot: who `left`, who is `excused`, who stayed for less than a quarter of the match (`brief`).

    `places`: of the teams, as they are rated.
    """

    left: Sequence[Sequence[bool]]
    excused: Sequence[Sequence[bool]]
    brief: Sequence[Sequence[bool]]
    places: Sequence[int]


@dataclass(frozen=True, slots=True)
class _Uncounted:
    """Why a match counts for nothing. `code`: of Match.UNCOUNTED; "" if a moderator may restore the match."""

    code: str
    reason: str


_BOTS = _Uncounted(Match.BOTS, "Bots alone were on a side.")
_UNRATED = _Uncounted(Match.UNRATED, "It was sent as unrated.")
_NOBODY = _Uncounted(Match.NOBODY, "Nobody ever played.")
_WALKOVER = _Uncounted(Match.WALKOVER, "A walkover: only one side ever played.")


def new_match(report: Report, rules: Rules, source: Source, now: dt.datetime) -> Match:
    """The match that a report describes; raises BadReport if it doesn't fit its mode, whose `rules` these are."""
    mode = rules.mode
    if report.ended_at > now + FUTURE:
        sentence = "The match ends more than 5 minutes in the future."
        raise BadReport("ended_at", f"{sentence} See the clock, and the offset of local times.", "range")
    if not mode.fewest_teams <= len(report.teams) <= mode.team_count:
        sentence = f"{mode.slug} has {mode.teams} teams; this result has {len(report.teams)}."
        advice = "Send it to another mode, or have an operator change this mode's number of teams."
        raise BadReport("teams", f"{sentence} {advice}")
    for index, team in enumerate(report.teams):
        if objection := _roster_objection(team, report.lasted, mode):
            raise BadReport(f"teams[{index}].players", objection)
    check_places(report)
    return Match(
        source=source,
        external_id=report.id,
        digest=report.digest(),
        mode=mode,
        started_at=report.started_at,
        ended_at=report.ended_at,
        duration=report.lasted,
        measured=report.measured,
        rounds=report.rounds,
        variant=report.variant,
        server=report.server,
        region=report.region,
        lobby=report.lobby,
        teams=teams_of(report, mode),
        received_at=now,
    )


def teams_of(report: Report, mode: Mode) -> list[dict[str, object]]:
    """The teams of a report as a match of this mode keeps them."""
    return _teams_by_time(report) if mode.least_is_best else _teams(report)


def _teams(report: Report) -> list[dict[str, object]]:
    return [{"name": team.name, "score": team.score, "place": team.place} for team in report.teams]


def _teams_by_time(report: Report) -> list[dict[str, object]]:
    """The teams of a mode in which the lowest score is the best: a `time` that no system takes for a score.

    If the match was called off, times tell nobody's place.
    """
    scores = [None if report.no_contest else team.score for team in report.teams]
    times = [score for score in scores if score is not None]
    places = [
        1 + sum(other < score for other in times) if team.place is None and score is not None else team.place
        for team, score in zip(report.teams, scores, strict=True)
    ]
    return [
        {**team, "score": None, "place": place, "time": team["score"]}
        for team, place in zip(_teams(report), places, strict=True)
    ]


def _roster_objection(team: TeamReport, duration: float | None, mode: Mode) -> str:
    """Why the mode has no such team; "" if it has. Of a larger one, no more may have been there at the same time."""
    count = len(team.players)
    if mode.team_size_min <= count <= mode.team_size_max:
        return ""
    sentence = f"Teams of {mode.slug} have {mode.team_size_min} to {mode.team_size_max} players; this one has {count}."
    if count < mode.team_size_min:
        return f"{sentence} Name all who played, or have an operator change this mode's smallest team."
    if duration and most_at_once(team, duration) <= mode.team_size_max:
        return ""
    return (
        f"{sentence} A substitute counts if they and whom they replaced have `seconds`, or the substitute `joined_at`,"
        f" so that no more than {mode.team_size_max} were there at the same time."
    )


def new_record(
    match: Match, report: Report, rules: Rules, players: Mapping[str, Player], *, over: str = ""
) -> MatchRecord:
    """A new match with its participations in roster order; as void, with the reason, if it counts for nothing.

    `players` by the key that the report uses. `over`: why its lobby makes it void; "" if it doesn't. Once somebody is
    excused, the match's duration is certain. Raises BadReport if two keys of one player, merged by a moderator, played.
    """
    parts = _parts_of(report, rules, players)
    found: dict[str, object] = {}
    bots_alone = any(all(players[player.id].owner.is_bot for player in team.players) for team in report.teams)
    if why := _find_uncounted(report, rules.mode, bots_alone=bots_alone, over=over):
        found = {"is_void": True, "void_reason": why.reason, "uncounted": why.code}
    if not match.measured and any([part.excused for part in parts]):  # noqa: C419 - half the time of a generator
        found["measured"] = True
    return MatchRecord(changed_row(match, **found) if found else match, parts)


def _parts_of(report: Report, rules: Rules, players: Mapping[str, Player]) -> list[Participation]:
    attendance = _attendance_of(report, rules)
    places: Sequence[int | None] = attendance.places if report.placed else [None] * len(report.teams)
    parts: list[Participation] = []
    keys: dict[int, str] = {}
    for team, slot, player in report.players():
        own = players[player.id]
        other = keys.setdefault(own.owner.pk, player.id)
        if other != player.id:
            sentence = f"{player.id!r} and {other!r} are one player: a moderator merged them."
            raise BadReport(f"teams[{team}].players[{slot}].id", sentence)
        part = Participation(
            player=own.owner,
            played_as=None if own.merged_into_id is None else own,
            team=team,
            slot=slot,
            seconds=player.seconds,
            joined_at=player.joined_at,
            left_early=attendance.left[team][slot],
            excused=attendance.excused[team][slot],
            brief=attendance.brief[team][slot],
            rounds_played=player.rounds_played,
            absences=[list(absence) for absence in player.absences],
            party=player.party,
            stats=dict(player.stats),
            place=places[team],
            places=len(places) if report.placed else None,
        )
        parts.append(part)
    return parts


def _attendance_of(report: Report, rules: Rules) -> _Attendance:
    """Absences that are longer in all than the mode's grace count as leaving early."""
    lasted = report.lasted
    # A list takes half the time of a generator.
    if all([_was_there(player, lasted) for team in report.teams for player in team.players]):  # noqa: C419
        nobody = [[False] * len(team.players) for team in report.teams]
        return _Attendance(nobody, nobody, nobody, _places(report, [False] * len(report.teams), rules))
    grace = rules.mode.reconnect_grace
    said = [
        tuple(
            [
                Entrant(
                    player.id, None, player.seconds, player.left_early or player.absent_seconds() > grace,
                    player.rounds_played, joined_at=player.joined_at,
                )
                for player in team.players
            ]
        )
        for team in report.teams
    ]  # fmt: skip
    result = Result(tuple(map(Team, said)), lasted if report.measured else None, report.rounds)
    teams = [team.players for team in attended(result).teams]
    if rules.mode.leave_after_abandon:
        teams = [_released(players, lasted) for players in teams]
    shares = rules.system.counts_shares
    return _Attendance(
        left=[[player.left_early for player in players] for players in teams],
        excused=[
            [was.left_early and not now.left_early for was, now in zip(before, after, strict=True)]
            for before, after in zip(said, teams, strict=True)
        ],
        brief=[[shares and not p.left_early and p.presence < QUARTER for p in players] for players in teams],
        places=_places(report, _gone(teams, shares=shares), rules),
    )


def _released(players: _Players, duration: float | None) -> _Players:
    """The team, of which those who left after somebody had abandoned the match have stayed."""
    gone = [gone_at(player, duration) if player.left_early else inf for player in players]
    first = min(gone)
    return tuple(
        replace(player, left_early=False, presence=1.0) if player.left_early and at > first else player
        for player, at in zip(players, gone, strict=True)
    )


def _was_there(player: PlayerReport, duration: float | None) -> bool:
    """True if it is plain that a player missed nothing of the match."""
    if player.left_early or player.absences or player.joined_at is not None or player.rounds_played is not None:
        return False
    return player.seconds is None or duration is None or player.seconds >= duration


def _gone(teams: Sequence[_Players], *, shares: bool) -> list[bool]:
    """By team: True if it left whole. If all did and somebody of them stayed, the places of the report hold."""
    everybody = [all(player.left_early for player in players) for players in teams]
    gone = [left_whole(Team(players)) for players in teams] if shares else everybody
    return [False] * len(gone) if all(gone) and not all(everybody) else gone


def _places(report: Report, gone: Sequence[bool], rules: Rules) -> list[int]:
    """A team that left whole comes last."""
    sign = -1 if rules.mode.least_is_best else 1
    return team_places([{"place": team.place, "score": sign * (team.score or 0.0)} for team in report.teams], gone)


def _find_uncounted(report: Report, mode: Mode, *, bots_alone: bool, over: str) -> _Uncounted | None:
    """Why a match counts for nothing; None if it counts. `over`: why its lobby makes it void."""
    if report.no_contest:
        return _Uncounted(Match.NO_CONTEST, report.no_contest)
    if bots_alone:
        return _BOTS
    if report.unrated:
        return _UNRATED
    present = sum([not team.absent for team in report.teams])
    if present < 2:
        return _WALKOVER if present else _NOBODY
    reason = over or _why_unrated(report, mode)
    return _Uncounted("", reason) if reason else None


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


def leaves_of(record: MatchRecord) -> Iterator[Incident]:
    """The incidents of a saved match: one for each player who left it early. One that never counts has none."""
    for part in record.parts:
        if part.left_early and not record.match.uncounted:
            yield Incident(
                player_id=part.player_id,
                kind=Incident.LEAVE,
                occasion=f"match:{record.match.pk}",
                happened_at=_left_at(record.match, part),
                mode_id=record.match.mode_id,
                match_id=record.match.pk,
            )


def _left_at(match: Match, part: Participation) -> dt.datetime:
    if match.started_at is None or part.seconds is None:
        return match.ended_at
    return match.started_at + dt.timedelta(seconds=(part.joined_at or 0.0) + part.seconds)
