"""Meetings: matches of two players on different teams, latest first, and how each of the two fared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet, Window
from django.db.models.functions import RowNumber

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
    theirs = list(_met(first, [second], mode).select_related("match").order_by("-match_id")[:MOST])
    own = _parts_of(first, theirs)
    return [_meeting(part.match, (own[part.match_id], part), (first, second)) for part in theirs]


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a player won, drew and lost against another; with more than two teams, came ahead, level and behind."""

    won: int
    drawn: int
    lost: int


def tally_meetings(player: Player, others: Collection[int], mode: Mode, *, most: int = MOST) -> dict[int, Tally]:
    """How a player fared against each of these others in a mode, by the other's id; those whom they never met are
    missing. Of the `most` latest meetings with each of them: two queries, however many others.

    A match that one of the two left counts for whoever's team won it, as on the page that compares them.
    """
    latest_first = Window(RowNumber(), partition_by="player", order_by="-match_id")
    theirs = list(_met(player, others, mode).annotate(number=latest_first).filter(number__lte=most))
    own = _parts_of(player, theirs)
    counts: dict[int, Counter[int | None]] = {}
    for part in theirs:
        mine = own[part.match_id]
        ahead = _ahead((mine, part), mine.places or 0)
        if ahead is not None or not (mine.left_early or part.left_early):
            counts.setdefault(part.player_id, Counter())[ahead] += 1
    return {pk: Tally(count[0], count[None], count[1]) for pk, count in counts.items()}


def _met(player: Player, others: Collection[Player | int], mode: Mode) -> QuerySet[Participation]:
    """The parts that these others have in rated matches of a mode against a player, without void ones."""
    own = Participation.objects.filter(match=OuterRef("match"), player=player).exclude(team=OuterRef("team"))
    rated = Change.objects.live(mode.generation).filter(match=OuterRef("match"), player=player)
    return Participation.objects.filter(Exists(own), Exists(rated), player__in=others, match__mode=mode)


def _parts_of(player: Player, theirs: Sequence[Participation]) -> dict[int, Participation]:
    """The player's own parts in the matches of these parts, by the match's id."""
    own = Participation.objects.filter(player=player, match__in={part.match_id for part in theirs})
    return {part.match_id: part for part in own}


def _meeting(match: Match, parts: tuple[Participation, Participation], players: tuple[Player, Player]) -> Meeting:
    ahead = _ahead(parts, len(match.teams))
    winner = None if ahead is None else players[ahead]
    left = tuple(player for player, part in zip(players, parts, strict=True) if part.left_early and winner is None)
    first, second = parts
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
