"""Meetings: matches of two players on different teams, latest first, and how each of the two fared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from leaderboards.display.numbers import ordinal
from leaderboards.postgame.outcomes import score_text
from ranking.models import Change, Match, Mode, Participation, Player

MOST = 200  # meetings counted


@dataclass(frozen=True, slots=True)
class Meeting:
    """A match against each other. `ahead`: 0 = the first player, 1 = the second, None = neither.

    With two teams, whoever won is ahead: a player whose opponent left and whose team lost didn't win. With more teams,
    whoever came before the other is. `left`: who left, if it says more than who is ahead. `winner`: that player.
    `scores`: the scores of the two players' teams; if there are more than two teams, their places.
    """

    match: Match
    ahead: int | None
    scores: tuple[str, str]
    winner: Player | None
    left: tuple[Player, ...]

    @property
    def even(self) -> bool:
        """True for a draw, and for a place that both share."""
        return self.ahead is None and not self.left


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


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a player won, drew and lost against another; with more than two teams, came ahead, level and behind."""

    won: int
    drawn: int
    lost: int


def tally_meetings(player: Player, others: Collection[int], mode: Mode) -> dict[int, Tally]:
    """How a player fared against each of these others in a mode, by the other's id; those whom they never met are
    missing. Of the MOST latest matches against any of them: two queries, however many others.

    A match that one of the two left counts for whoever's team won it, as on the page that compares them.
    """
    met = Participation.objects.filter(match=OuterRef("match"), player__in=others).exclude(team=OuterRef("team"))
    rated = Change.objects.live(mode.generation).filter(match=OuterRef("match"), player=player)
    parts = Participation.objects.filter(Exists(met), Exists(rated), player=player, match__mode=mode)
    own = {part.match_id: part for part in parts.order_by("-match_id")[:MOST]}
    counts: dict[int, Counter[int | None]] = {}
    for part in Participation.objects.filter(player__in=others, match__in=own):
        mine = own[part.match_id]
        if part.team != mine.team:
            ahead = _ahead((mine, part), mine.places or 0)
            if ahead is not None or not (mine.left_early or part.left_early):
                counts.setdefault(part.player_id, Counter())[ahead] += 1
    return {pk: Tally(count[0], count[None], count[1]) for pk, count in counts.items()}


def _meeting(first: Participation, second: Participation, players: tuple[Player, Player]) -> Meeting:
    match, parts = first.match, (first, second)
    ahead = _ahead(parts, len(match.teams))
    winner = None if ahead is None else players[ahead]
    left = tuple(player for player, part in zip(players, parts, strict=True) if part.left_early and winner is None)
    return Meeting(match, ahead, (_score(first, match), _score(second, match)), winner, left)


def _ahead(parts: Sequence[Participation], teams: int) -> int | None:
    """The index of the player who came ahead."""
    keys = [(part.left_early, part.place or 0) for part in parts]  # leavers come last, then places decide
    if keys[0] == keys[1]:
        return None
    index = keys.index(min(keys))
    won = not parts[index].left_early and parts[index].place == 1 and parts[1 - index].place != 1
    return index if won or teams > 2 else None


def _score(part: Participation, match: Match) -> str:
    if len(match.teams) > 2:
        return ordinal(part.place) if part.place else ""
    return score_text(match, part.team)
