"""Names and scores of a match's teams. No queries."""

from __future__ import annotations

from collections.abc import Sequence

from ranking.models import Match, Participation
from ranking.systems.shared.explanations import plain_number
from ranking.wording.translation import gettext, ngettext


def roster(parts: Sequence[Participation], team: int) -> list[Participation]:
    return [part for part in parts if part.team == team]


def team_name(match: Match, parts: Sequence[Participation], team: int) -> str:
    """Return the name sent, else the name of the team's only player, else the team's number."""
    if match.teams[team]["name"]:
        return str(match.teams[team]["name"])
    players = roster(parts, team)
    return players[0].player.name if len(players) == 1 else gettext("Team %(number)s") % {"number": team + 1}


def headline_of(first: Sequence[str], teams: int) -> str:
    """Return the result in a few words; `first`: the names of those in the first place."""
    if len(first) == 1:
        return gettext("%(name)s won") % {"name": first[0]}
    if len(first) == teams:
        return gettext("A draw")
    return ngettext("%(number)s shares first place", "%(number)s share first place", len(first)) % {
        "number": len(first)
    }


def score_text(match: Match, team: int) -> str:
    """Return a team's score; empty if none was sent."""
    score = match.teams[team]["score"]
    return "" if score is None else plain_number(score)
