"""New matches: a report is checked against its mode and its players, and rows are made of it. Saves nothing."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ranking.matches.attendance import attendance_of
from ranking.matches.records import MatchRecord
from ranking.models import Incident, Match, Mode, Participation, Player, Source
from ranking.modes.parameters import Rules
from ranking.rules.report import BadReport, Report, TeamReport, check_places, most_at_once

FUTURE = dt.timedelta(minutes=5)  # by how much a sender's clock may be ahead


def new_match(report: Report, rules: Rules | None, source: Source, now: dt.datetime) -> Match:
    """The match that a report describes; raises BadReport if it doesn't fit its mode. `rules`: the mode's; None if
    there is no such mode.
    """
    if rules is None:
        raise BadReport("mode", f"There is no mode {report.mode!r}.", "unknown")
    mode = rules.mode
    if report.ended_at > now + FUTURE:
        raise BadReport("ended_at", "The match ends more than 5 minutes in the future.", "range")
    if not mode.fewest_teams <= len(report.teams) <= mode.team_count:
        raise BadReport("teams", f"{mode.slug} has {mode.teams} teams; this result has {len(report.teams)}.")
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


def teams_of(report: Report, mode: Mode) -> list[dict[str, Any]]:
    """The teams of a report as a match of this mode keeps them."""
    return _teams_by_time(report) if mode.least_is_best else _teams(report)


def _teams(report: Report) -> list[dict[str, Any]]:
    return [{"name": team.name, "score": team.score, "place": team.place} for team in report.teams]


def _teams_by_time(report: Report) -> list[dict[str, Any]]:
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
        return sentence
    if duration and most_at_once(team, duration) <= mode.team_size_max:
        return ""
    return (
        f"{sentence} A substitute counts if they and whom they replaced have `seconds`, or the substitute `joined_at`,"
        f" so that no more than {mode.team_size_max} were there at the same time."
    )


def parts_of(report: Report, rules: Rules, players: Mapping[str, Player]) -> list[Participation]:
    """The participations of a report's players, in roster order. `players` by the key that the report uses.

    Raises BadReport if two keys of one player, merged by a moderator, played.
    """
    attendance = attendance_of(report, rules)
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
