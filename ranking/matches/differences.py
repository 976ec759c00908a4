"""What differs between a result that is sent again and the one that is recorded.

Display names, devices, and the order of players and teams make no difference: whatever order they are sent in, the
match is the same. The answer names a field and never what is recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ranking.matches._new_matches import teams_of
from ranking.matches.records import MatchRecord
from ranking.models import Match, Mode, Participation
from ranking.rules.places import score_sent
from ranking.rules.report import PlayerReport, Report

_OF_MATCH = ("started_at", "ended_at", "rounds", "variant", "server", "region", "lobby")
_OF_PLAYER = ("seconds", "joined_at", "rounds_played", "party")
_OF_TEAM = ("score", "place")


@dataclass(frozen=True, slots=True)
class _Team:
    """A team's score and place, and its players by key, in the order of the roster."""

    result: Mapping[str, Any]
    players: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class _Facts:
    """What makes a result what it is."""

    of_match: Mapping[str, object]
    teams: Sequence[_Team]


def find_difference(report: Report, mode: Mode | None, known: MatchRecord | Report) -> str:
    """The path of the first field in which a report differs from what is known, such as teams[0].score; "" if none.

    `mode`: the report's; None if there is no such mode. `known`: a recorded match, with its mode and its players, or
    an earlier report.
    """
    of_mode = known.mode if isinstance(known, Report) else known.match.mode.slug
    if mode is None or report.mode != of_mode:
        return "mode"
    recorded = _facts_of(known, mode) if isinstance(known, Report) else _recorded_facts(known)
    return _difference(_facts_of(report, mode), recorded)


def _facts_of(report: Report, mode: Mode) -> _Facts:
    of_match = {name: getattr(report, name) for name in _OF_MATCH}
    of_match |= {"no_contest": report.no_contest, "rated": not report.unrated}
    lasted = {"duration": report.lasted}
    of_match = lasted | of_match if report.timed else of_match | lasted  # what was sent is named first
    teams = [
        _Team(_result_of(sent), {player.id: _as_sent(player, mode) for player in team.players})
        for team, sent in zip(report.teams, teams_of(report, mode), strict=True)
    ]
    return _Facts(of_match, teams)


def _recorded_facts(record: MatchRecord) -> _Facts:
    match = record.match
    of_match = {name: getattr(match, name) for name in _OF_MATCH} | {"duration": match.duration}
    of_match["no_contest"] = match.void_reason if match.uncounted == Match.NO_CONTEST else ""
    if match.uncounted not in (Match.NO_CONTEST, Match.BOTS):  # these don't tell whether it was sent as unrated
        of_match["rated"] = match.uncounted != Match.UNRATED
    players: list[dict[str, Mapping[str, object]]] = [{} for _ in match.teams]
    for part in record.parts:
        players[part.team][(part.played_as or part.player).key] = _as_recorded(part)
    return _Facts(of_match, list(map(_Team, map(_result_of, match.teams), players)))


def _result_of(team: Mapping[str, object]) -> dict[str, object]:
    return {"score": score_sent(team), "place": team["place"]}


def _as_sent(player: PlayerReport, mode: Mode) -> dict[str, object]:
    return {
        **{name: getattr(player, name) for name in _OF_PLAYER},
        "left_early": player.left_early or player.absent_seconds() > mode.reconnect_grace,
        "absences": [list(absence) for absence in player.absences],
        "stats": dict(player.stats),
    }


def _as_recorded(part: Participation) -> dict[str, object]:
    return {
        **{name: getattr(part, name) for name in _OF_PLAYER},
        "left_early": part.left_early or part.excused,
        "absences": part.absences,
        "stats": part.stats,
    }


def _difference(sent: _Facts, recorded: _Facts) -> str:
    for name, value in sent.of_match.items():
        if value != recorded.of_match.get(name, value):
            return name
    if len(sent.teams) != len(recorded.teams):
        return "teams"
    by_players = {frozenset(team.players): team for team in recorded.teams}
    own = [by_players[key] for team in sent.teams if (key := frozenset(team.players)) in by_players]
    pairs = zip(sent.teams, own if len(own) == len(sent.teams) else recorded.teams, strict=True)
    differences = (_of_team(f"teams[{index}]", *pair) for index, pair in enumerate(pairs))
    return next(filter(None, differences), "")


def _of_team(path: str, sent: _Team, recorded: _Team) -> str:
    for slot, (key, facts) in enumerate(sent.players.items()):
        if key not in recorded.players:
            return f"{path}.players[{slot}].id"
        for name, value in facts.items():
            if value != recorded.players[key][name]:
                return f"{path}.players[{slot}].{name}"
    if len(sent.players) != len(recorded.players):
        return f"{path}.players"
    return next((f"{path}.{name}" for name in _OF_TEAM if sent.result[name] != recorded.result[name]), "")
