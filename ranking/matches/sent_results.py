"""A recorded match in the format of results: what a correction of it begins with."""

from typing import Any

from ranking.matches.records import MatchRecord
from ranking.models import Match, Participation
from ranking.rules.places import score_sent

TIMES = ("started_at", "ended_at", "duration")
_TEXTS = ("variant", "server", "region", "lobby")
_OF_PLAYER = ("seconds", "joined_at", "rounds_played", "absences", "party", "stats")


def match_fields(match: Match) -> dict[str, Any]:
    """The fields of a match, all but its id and its teams; those at their default are left out."""
    fields: dict[str, Any] = {"mode": match.mode.slug, "ended_at": match.ended_at.isoformat()}
    if match.started_at is not None:
        fields["started_at"] = match.started_at.isoformat()
    if match.duration is not None and match.measured:
        fields["duration"] = match.duration
    if match.rounds is not None:
        fields["rounds"] = match.rounds
    return fields | {name: value for name in _TEXTS if (value := getattr(match, name))}


def team_fields(record: MatchRecord) -> list[dict[str, Any]]:
    """The teams of a match with their players."""
    teams = [_team(team) for team in record.match.teams]
    for part in record.parts:
        teams[part.team]["players"].append(_player(part))
    return teams


def _team(team: dict[str, Any]) -> dict[str, Any]:
    """A team as it was sent. Where the lowest score is the best, its place follows from that."""
    place = None if "time" in team and team["time"] is not None else team["place"]
    sent = {"name": team.get("name"), "score": score_sent(team), "place": place}
    return {**{name: value for name, value in sent.items() if value not in (None, "")}, "players": []}


def _player(part: Participation) -> dict[str, Any]:
    fields = {name: getattr(part, name) for name in _OF_PLAYER}
    left = part.left_early or part.excused
    kept = {name: value for name, value in fields.items() if value not in (None, "", [], {})}
    return {"id": (part.played_as or part.player).key, **kept, **({"left_early": True} if left else {})}
