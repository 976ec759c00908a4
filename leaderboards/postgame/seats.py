"""A player's line on a post-game page: rating, rank and top share before and after, and place against rank."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from leaderboards.display.numbers import Delta, clock, delta, rating_delta, rating_text, top_text
from leaderboards.people.following import Relation, relations_of
from leaderboards.postgame.outcomes import roster, score_text
from leaderboards.postgame.passing import Passing, load_passings
from ranking.matches.records import MatchRecord
from ranking.models import Change, Forfeit, Match, Mode, Participation, Player
from ranking.modes.parameters import system_of
from ranking.rules.rank_table import top_percent
from ranking.rules.tiers import Tier
from ranking.systems.shared.explanations import Explanation, signed_number
from ranking.wording.translation import number_text

_WHOLE = 0.95  # of a match, from which on nobody says how much of it a player missed


@dataclass(frozen=True, slots=True)
class Move:
    """A value before and after the match, as texts; empty if there was none."""

    before: str
    after: str
    change: Delta | None


@dataclass(frozen=True, slots=True)
class Finish:
    """A player's rank among the match's players by the ratings before it, and the place in which they came.

    `teams`: how many teams there were.
    """

    ranked: int
    came: int
    of: int
    teams: int


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """A player's line. `rating`, `rank`, `top` ("Top 38 %"), `finish` and `why` are None if not shown or not rated.

    `left`: the clock when the player left, `excused` if they were free to; `played`: how long a part-time player was
    there. `passing`: None if it wasn't kept, as for players who weren't ranked before and after. `as_then`: rank and
    share are as published then, and belong to other ratings than those shown, after a re-rating. `rounded`: the change
    shown is that of rounded ratings, and isn't what `why` comes to. `promotion`: the tier or division that this match
    led up to. `first_tier`: the one that it gave a player who wasn't ranked before. `in_placement`: there is a
    rating, which the viewer may not see, as the player isn't placed yet.
    """

    player: Player
    outcome: str
    rating: Move | None
    rank: Move | None
    top: Move | None
    finish: Finish | None
    left_early: bool
    left: str
    excused: bool
    played: str
    own: bool
    why: Explanation | None
    place: int | None = None  # of the player's team, if it has one
    relation: Relation | None = None
    passing: Passing | None = None
    as_then: bool = False
    rounded: bool = False
    in_placement: bool = False
    promotion: Tier | None = None
    first_tier: Tier | None = None
    decided: str = ""  # the time in a race; the score that decided the place where each player is a team of many

    @property
    def enters_board(self) -> bool:
        """True if this match brought the player onto the board."""
        return self.rank is not None and not self.rank.before

    @property
    def field_finish(self) -> Finish | None:
        """The finish in a match of more than two teams; of two, the result says it all."""
        return self.finish if self.finish is not None and self.finish.teams > 2 else None

    @property
    def explained(self) -> bool:
        """True if there is more to tell than the line in the table has."""
        passed = self.passing is not None and (self.passing.passed.count or self.passing.passed_by.count)
        return bool(self.why or self.top or self.field_finish or passed)


def make_seats(
    play: MatchRecord,
    places: Sequence[int | None],
    reasons: dict[int, Explanation],
    viewer: Player | None,
    now: dt.datetime,
) -> list[PlayerLine]:
    """Return the seats of a match in roster order, with what each player is to the viewer.

    Two queries at most for who passed whom, none for a match without ranks; one if there is a viewer.
    """
    mode = play.match.mode
    changes = {change.player_id: change for change in play.changes} if mode.ranked and not play.match.is_void else {}
    finishes = _finishes(play, places, changes)
    seats = [
        _seat(part, changes.get(part.player_id), mode, play.match, finishes, reasons, viewer) for part in play.parts
    ]
    seats = [replace(seat, place=places[part.team]) for seat, part in zip(seats, play.parts, strict=True)]
    relations = relations_of(viewer, (part.player_id for part in play.parts), now)
    passings = load_passings(play.match, viewer, now) if changes else {}
    if play.unseen:
        seats = [_guarded(seat, play.unseen) for seat in seats]
    return [
        replace(seat, relation=relations.get(seat.player.pk), passing=passings.get(seat.player.pk)) for seat in seats
    ]


def _guarded(seat: PlayerLine, unseen: frozenset[int]) -> PlayerLine:
    """The line as it is shown beside players in placement: others' reasons and the ranking would tell their ratings."""
    if not seat.own:
        seat = replace(seat, why=None, rounded=False)
    hidden = seat.player.pk in unseen
    in_placement = hidden and seat.rating is not None
    return replace(seat, finish=None, in_placement=in_placement, rating=None if hidden else seat.rating)


def _seat(
    part: Participation,
    change: Change | None,
    mode: Mode,
    match: Match,
    finishes: dict[int, Finish],
    reasons: dict[int, Explanation],
    viewer: Player | None,
) -> PlayerLine:
    decides = match.teams[part.team].get("time") is not None or (
        len(match.teams) > 2 and mode.team_size_max == 1 and match.teams[part.team]["score"] is not None
    )
    why = reasons.get(part.player_id) if mode.ranked and mode.shows_rating else None
    return PlayerLine(
        player=part.player,
        outcome=change.outcome if change else "",
        rating=rating_move(change) if change and mode.shows_rating else None,
        rank=rank_move(part) if change else None,
        top=top_move(part) if change and mode.shows_percentile else None,
        finish=finishes.get(part.player_id),
        left_early=part.left_early,
        left=clock(part.seconds) if (part.left_early or part.excused) and part.seconds is not None else "",
        excused=part.excused,
        played=_played(part, match.duration),
        own=viewer is not None and part.player_id == viewer.pk,
        as_then=change is not None and differs(part, change),
        why=why,
        rounded=why is not None and change is not None and is_rounded(change, why),
        promotion=promotion_of(part, mode) if change else None,
        first_tier=first_tier_of(part, mode) if change else None,
        decided=score_text(match, part.team) if decides else "",
    )


def _played(part: Participation, duration: float | None) -> str:
    """How long a part-time player was in the match; "" for everybody else, and for who missed a moment of it."""
    if part.left_early or part.excused or not duration:
        return ""
    seconds = part.seconds if part.seconds is not None else duration - (part.joined_at or 0.0)
    return clock(seconds) if seconds < _WHOLE * duration else ""


def promotion_of(part: Participation, mode: Mode) -> Tier | None:
    """Return the tier that the stored percentile after a match has, if it is higher than the one before it."""
    before, after = part.percentile_before, part.percentile_after
    if before is None or after is None or not part.listed_before or not part.listed_after:
        return None
    if not mode.gives_tiers(min(part.listed_before, part.listed_after)):
        return None
    tier = mode.ladder[after - 1]
    return tier if tier.index > mode.ladder[before - 1].index else None


def first_tier_of(part: Participation, mode: Mode) -> Tier | None:
    """Return the tier that the stored percentile after a match has, if the player wasn't ranked before it."""
    if part.percentile_before is not None or part.percentile_after is None or not part.listed_after:
        return None
    return mode.ladder[part.percentile_after - 1] if mode.gives_tiers(part.listed_after) else None


def differs(part: Participation | Forfeit, change: Change) -> bool:
    """True if a stored standing belongs to another rating than the live change has, or to one that isn't known."""
    before = part.rank_before is not None and part.display_before != change.display_before
    return before or (part.rank_after is not None and part.display_after != change.display_after)


def rating_move(change: Change) -> Move:
    """Return the move of the display rating."""
    decimals = system_of(change.parameters).decimals
    before, after = change.display_before, change.display_after
    return Move(rating_text(before, decimals), rating_text(after, decimals), rating_delta(before, after, decimals))


def is_rounded(change: Change, why: Explanation) -> bool:
    """True if a change between rounded ratings isn't the rounded result of its explanation. A floor says so itself."""
    decimals = system_of(change.parameters).decimals
    moved = (change.display_after - change.display_before) / 100
    floored = any(reason.kind == "floor" for reason in why.reasons)
    return not floored and signed_number(moved, decimals) != signed_number(why.moved, decimals)


def rank_move(part: Participation | Forfeit) -> Move | None:
    """Return the move of the rank; None if the player wasn't ranked."""
    return _move(part.rank_before, part.rank_after)


def _move(before: int | None, after: int | None, word: Callable[[int], str] = number_text) -> Move | None:
    """Return the move of a number of which smaller ones are better; `word`: what makes its text."""
    if before is None and after is None:
        return None
    change = None
    if before is not None and after is not None:
        change = delta(before - after, number_text(abs(before - after)))
    texts = ["" if value is None else word(value) for value in (before, after)]
    return Move(texts[0], texts[1], change)


def top_move(part: Participation | Forfeit) -> Move | None:
    """Return the move of "Top 38 %"; None if the player wasn't ranked."""

    def top(rank: int | None, listed: int | None) -> int | None:
        return top_percent(rank, listed) if rank and listed else None

    before, after = top(part.rank_before, part.listed_before), top(part.rank_after, part.listed_after)
    return _move(before, after, top_text)


def _finishes(play: MatchRecord, places: Sequence[int | None], changes: dict[int, Change]) -> dict[int, Finish]:
    """Return finishes by player. Teams that tie share a place, and only team-mates are told apart by their scores."""
    if len(changes) != len(play.parts) or 1 not in places:  # nobody is first if everybody left
        return {}
    ranks = [place or 0 for place in places]  # a match with changes has places
    teams = [roster(play.parts, team) for team in range(len(places))]
    orders = [order_in_team(parts) for parts in teams]
    ahead = [sum(len(parts) for parts, place in zip(teams, ranks, strict=True) if place < own) for own in ranks]
    before = {player: change.display_before for player, change in changes.items()}
    finishes = {}
    for part in play.parts:
        mates, own = orders[part.team], part.player_id
        finishes[own] = Finish(
            ranked=1 + sum(other > before[own] for other in before.values()),
            came=1 + ahead[part.team] + sum(other < mates[own] for other in mates.values()),
            of=len(play.parts),
            teams=len(places),
        )
    return finishes


def order_in_team(parts: Sequence[Participation]) -> dict[int, float]:
    """Return sort keys of a team's players by id: the stat `score`, best first, if each of them has one."""
    scored = all("score" in part.stats for part in parts)
    return {part.player_id: -part.stats["score"] if scored else 0.0 for part in parts}
