"""Meetings: matches of two players on different teams, latest first, and who came ahead."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from leaderboards.display.numbers import ordinal
from leaderboards.postgame.outcomes import score_text
from ranking.models import Change, Match, Mode, Participation, Player

MOST = 200  # meetings counted


@dataclass(frozen=True, slots=True)
class Meeting:
    """A match against each other. `ahead`: 0 = the first player, 1 = the second, None = neither.

    `winner`: that player. `scores`: the scores of the two players' teams; if there are more than two teams, their
    places.
    """

    match: Match
    ahead: int | None
    scores: tuple[str, str]
    winner: Player | None


def find_meetings(first: Player, second: Player, mode: Mode) -> list[Meeting]:
    """Return at most MOST rated matches of two players against each other in a mode, without void ones: two queries."""
    others = Participation.objects.filter(match=OuterRef("match"), player=second).exclude(team=OuterRef("team"))
    rated = Change.objects.live(mode.generation).filter(match=OuterRef("match"), player=first)
    met = Participation.objects.filter(Exists(others), Exists(rated), player=first, match__mode=mode)
    own = list(met.select_related("match").order_by("-match_id")[:MOST])
    theirs = {
        part.match_id: part
        for part in Participation.objects.filter(player=second, match__in=[part.match_id for part in own])
    }
    return [_meeting(part, theirs[part.match_id], (first, second)) for part in own]


def _meeting(first: Participation, second: Participation, players: tuple[Player, Player]) -> Meeting:
    match = first.match
    keys = [(part.left_early, part.place or 0) for part in (first, second)]  # leavers come last, then places decide
    ahead = None if keys[0] == keys[1] else keys.index(min(keys))
    winner = None if ahead is None else players[ahead]
    return Meeting(match, ahead, (_score(first, match), _score(second, match)), winner)


def _score(part: Participation, match: Match) -> str:
    if len(match.teams) > 2:
        return ordinal(part.place) if part.place else ""
    return score_text(match, part.team)
