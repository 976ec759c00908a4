"""Whom a player has just played with and against: everybody of the matches recorded last, ten matches a page."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from leaderboards.models import Avoidance
from leaderboards.models.friends import MOST_AVOIDED
from leaderboards.people.following import Relation, avoidances_of, relations_of
from ranking.models import Match, Participation, Player

MATCHES = 10  # a page
MOST_SHOWN = 100  # people of a page


@dataclass(frozen=True, slots=True)
class MetPlayer:
    """A player whom the viewer has met, last in `match`, as a team-mate if `together`."""

    player: Player
    relation: Relation
    match: Match
    together: bool

    @property
    def when(self) -> dt.datetime:
        return self.match.ended_at


@dataclass(frozen=True, slots=True)
class RecentPeople:
    """A page of people, the match recorded last first, each once; `next`: the match before which the next page begins.

    `avoided`: whom the viewer avoids now, on every page.
    """

    people: list[MetPlayer]
    avoided: list[Avoidance]
    next: int | None
    most_avoided: int = MOST_AVOIDED


def load_recent_people(viewer: Player, before: int | None = None, *, now: dt.datetime) -> RecentPeople:
    """Return a page of the people in the viewer's matches, without bots and who left for good: five queries."""
    own = Participation.objects.filter(player=viewer)
    if before is not None:
        own = own.filter(match__lt=before)
    rows = list(own.select_related("match__mode").order_by("-match_id")[: MATCHES + 1])
    mine = {part.match_id: part for part in rows[:MATCHES]}
    people = Participation.objects.filter(player__is_bot=False, player__anonymised_at=None)
    others = people.filter(match__in=[*mine]).exclude(player=viewer)
    met: dict[int, Participation] = {}
    for part in others.select_related("player").order_by("-match_id", "team", "slot"):
        met.setdefault(part.player_id, part)
    shown = list(met.values())[:MOST_SHOWN]
    relations = relations_of(viewer, (part.player_id for part in shown), now)
    shown_players = [
        MetPlayer(
            part.player, relations[part.player_id], mine[part.match_id].match, part.team == mine[part.match_id].team
        )
        for part in shown
    ]
    return RecentPeople(shown_players, list(avoidances_of(viewer, now)), min(mine) if len(rows) > MATCHES else None)
