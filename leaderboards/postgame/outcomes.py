"""Places, names and scores of a match's teams, from its report and from who left. No queries."""

from __future__ import annotations

from collections.abc import Sequence

from ranking.models import Match, Participation
from ranking.rules.places import team_places
from ranking.systems.shared.explanations import plain_number


def places_of(match: Match, parts: Sequence[Participation]) -> list[int]:
    """Return each team's place, 1 = best: by scores if no places were sent; a team that left as a whole comes last."""
    gone = [bool(parts) and all(part.left_early for part in roster(parts, team)) for team in range(len(match.teams))]
    return team_places(match.teams, gone)


def roster(parts: Sequence[Participation], team: int) -> list[Participation]:
    return [part for part in parts if part.team == team]


def team_name(match: Match, parts: Sequence[Participation], team: int) -> str:
    """Return the name sent, else the name of the team's only player, else the team's number."""
    if match.teams[team]["name"]:
        return str(match.teams[team]["name"])
    players = roster(parts, team)
    return players[0].player.name if len(players) == 1 else f"Team {team + 1}"


def score_text(match: Match, team: int) -> str:
    """Return a team's score; empty if none was sent."""
    score = match.teams[team]["score"]
    return "" if score is None else plain_number(score)
