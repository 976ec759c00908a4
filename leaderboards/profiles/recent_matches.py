"""A player's recent matches, one line each: the outcome, the opponent, and the change of rating."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboards.boards.boards import Board
from leaderboards.display.numbers import Delta, ordinal, rating_delta
from leaderboards.postgame.outcomes import score_text
from leaderboards.profiles.history import Step, Voided, find_steps, find_voided, in_order, opponents_of
from ranking.models import Change, Match, Participation, Player, Rating

PAGE = 20
_WORDS = {Change.WIN: "Won", Change.DRAW: "Drew", Change.LOSS: "Lost", Change.LEFT: "Left"}
_OTHERS = {Change.FORFEIT: "Forfeit", Change.RESET: "Reset", Change.SEED: "Brought along"}


@dataclass(frozen=True, slots=True)
class Line:
    """A step of a player's history; `change` and `rating` are empty if the match is void or the mode doesn't show them.

    `places`: the number of places if `word` is a place, else None. `rating`, the one after it, is empty, too, if the
    viewer may not see the player's live rating. `forfeit`: the id of the forfeit, which has a page of its own.
    """

    outcome: str
    word: str
    match: Match | None
    when: dt.datetime
    score: str
    opponent: Player | None
    change: Delta | None
    rating: str
    rank: int | None
    places: int | None = None
    forfeit: int | None = None


@dataclass(frozen=True, slots=True)
class Recent:
    """Lines, newest first; `more` is the event before which the next page begins."""

    lines: list[Line]
    more: int | None


def load_recent(
    board: Board, rating: Rating, *, before: int | None, known: Sequence[Step], voided: Sequence[Voided], live: bool
) -> Recent:
    """Return a page of lines; `known` are the newest steps, `voided` the newest void matches.

    `live`: True if the viewer may see the player's live rating.
    """
    if before is not None:
        known = find_steps(rating, board.mode.generation, most=PAGE + 1, before=before)
        voided = find_voided(rating, most=PAGE + 1, before=before)
    both = in_order(known, voided)
    steps = both[:PAGE]
    duels = board.mode.team_size_max == 1 and board.mode.team_count == 2
    matches = [step.match for step in steps if step.match is not None]
    opponents = opponents_of(matches, rating.player_id) if duels else {}
    lines = [_line(board, step, opponents, live=live) for step in steps]
    return Recent(lines, steps[-1].row.event_id if len(both) > PAGE else None)


def _line(board: Board, step: Step | Voided, opponents: dict[int, Participation], *, live: bool) -> Line:
    if isinstance(step, Voided):
        return _void_line(step, opponents)
    change, match = step.change, step.match
    shown = board.mode.ranked and board.mode.shows_rating
    against = opponents.get(match.pk) if match is not None else None
    return Line(
        outcome=step.place.kind if step.place else change.outcome or change.kind,
        word=ordinal(step.place.place) if step.place else _WORDS.get(change.outcome) or _OTHERS[change.kind],
        match=match,
        when=match.ended_at if match is not None else change.event.happened_at,
        score=_score(match, step.part) if match is not None and step.part is not None else "",
        opponent=None if against is None else against.player,
        change=rating_delta(change.display_before, change.display_after, board.decimals) if shown else None,
        rating=board.rating_text(change.display_after) if shown and live else "",
        rank=step.standing.rank_after if board.mode.ranked and step.standing is not None else None,
        places=step.place.of if step.place else None,
        forfeit=step.forfeit.pk if board.mode.ranked and step.forfeit is not None else None,
    )


def _void_line(void: Voided, opponents: dict[int, Participation]) -> Line:
    against = opponents.get(void.match.pk)
    return Line(
        outcome="void",
        word="Void",
        match=void.match,
        when=void.match.ended_at,
        score=_score(void.match, void.part),
        opponent=None if against is None else against.player,
        change=None,
        rating="",
        rank=None,
    )


def _score(match: Match, part: Participation) -> str:
    """Return the score, the player's own team first; the place if there are more than two teams."""
    if len(match.teams) > 2:
        return f"{ordinal(part.place)} of {part.places}" if part.place else ""
    scores = [score_text(match, part.team), score_text(match, 1 - part.team)]
    return "–".join(scores) if all(scores) else ""
