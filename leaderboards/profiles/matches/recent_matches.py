"""A player's matches, one line each: outcome, own statistics, with and against whom, and the change of rating."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from leaderboards.boards.boards import Board
from leaderboards.display.numbers import Delta, ordinal, place_text, rating_delta
from leaderboards.display.outcomes import outcome_word
from leaderboards.postgame.outcomes import score_text
from leaderboards.postgame.scoreboard import text_of
from leaderboards.profiles.matches.history import HistoryStep, Voided, find_steps, find_voided, in_order
from leaderboards.profiles.matches.match_filters import ALL, MatchFilter
from ranking.models import Match, Participation, Player, Rating
from ranking.rules.scoreboard import columns_for

PAGE = 20
NAMED = 6  # players on each side of a line
STATISTICS = 4  # on a line


@dataclass(frozen=True, slots=True)
class Company:
    """The other players of a match: NAMED team-mates and opponents at most, and how many more there were."""

    mates: list[Player] = field(default_factory=list)
    opponents: list[Player] = field(default_factory=list)
    more_mates: int = 0
    more_opponents: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A step of a player's history; `change` and `rating` are empty if the match is void, the mode doesn't show them,
    or the viewer may not see the player's live rating.

    `places`: the number of places if `word` is a place, else None. `forfeit`: the id of the forfeit, which has a page
    of its own. `statistics`: names and numbers of the first columns of the mode's scoreboard.
    """

    outcome: str
    word: str
    match: Match | None
    when: dt.datetime
    score: str
    company: Company
    statistics: list[tuple[str, str]]
    change: Delta | None
    rating: str
    rank: int | None
    places: int | None = None
    forfeit: int | None = None


@dataclass(frozen=True, slots=True)
class Recent:
    """Lines, newest first; `more` is the event before which the next page begins.

    `reported`: the statistics that servers reported of the player in these matches.
    """

    lines: list[Line]
    more: int | None
    reported: set[str]


def load_recent(
    board: Board,
    rating: Rating,
    *,
    live: bool,
    before: int | None = None,
    wanted: MatchFilter = ALL,
    most: int = PAGE,
) -> Recent:
    """Return a page of `most` lines: four queries. `live`: True if the viewer may see the player's live rating."""
    known = find_steps(rating, board.mode.generation, wanted, most=most + 1, before=before)
    voided = find_voided(rating, wanted, most=most + 1, before=before)
    both = in_order(known, voided)
    steps = both[:most]
    matches = [step.match for step in steps if step.match is not None]
    company = _company_of(matches, rating.player_id)
    lines = [_line(board, step, company, live=live) for step in steps]
    reported = {stat for step in steps if step.part is not None for stat in step.part.stats}
    return Recent(lines, steps[-1].row.event_id if len(both) > most else None, reported)


def _company_of(matches: Sequence[Match], player_id: int) -> dict[int, Company]:
    """Return the other players of matches, by match; opponents in the order of their places: one query."""
    by_match: dict[int, list[Participation]] = defaultdict(list)
    parts = Participation.objects.filter(match__in=matches).select_related("player")
    for part in parts.order_by("match", "team", "slot"):
        by_match[part.match_id].append(part)
    return {number: _company(parts, player_id) for number, parts in by_match.items()}


def _company(parts: Sequence[Participation], player_id: int) -> Company:
    own = next(part.team for part in parts if part.player_id == player_id)
    mates = [part.player for part in parts if part.team == own and part.player_id != player_id]
    others = sorted((part for part in parts if part.team != own), key=lambda part: part.place or 0)
    opponents = [part.player for part in others]
    return Company(mates[:NAMED], opponents[:NAMED], len(mates[NAMED:]), len(opponents[NAMED:]))


def _line(board: Board, step: HistoryStep | Voided, company: Mapping[int, Company], *, live: bool) -> Line:
    if isinstance(step, Voided):
        return _void_line(board, step, company)
    change, match = step.change, step.match
    shown = board.mode.ranked and board.mode.shows_rating and live
    return Line(
        outcome=step.place.kind if step.place else change.outcome or change.kind,
        word=ordinal(step.place.place) if step.place else outcome_word(change.outcome or change.kind),
        match=match,
        when=match.ended_at if match is not None else change.event.happened_at,
        score=_score(match, step.part) if match is not None and step.part is not None else "",
        company=company.get(match.pk, Company()) if match is not None else Company(),
        statistics=_statistics(board, match, step.part) if match is not None and step.part is not None else [],
        change=rating_delta(change.display_before, change.display_after, board.decimals) if shown else None,
        rating=board.rating_text(change.display_after) if shown else "",
        rank=step.standing.rank_after if board.mode.ranked and step.standing is not None else None,
        places=step.place.of if step.place else None,
        forfeit=step.forfeit.pk if board.mode.ranked and step.forfeit is not None else None,
    )


def _void_line(board: Board, void: Voided, company: Mapping[int, Company]) -> Line:
    return Line(
        outcome="void",
        word=outcome_word("void"),
        match=void.match,
        when=void.match.ended_at,
        score=_score(void.match, void.part),
        company=company.get(void.match.pk, Company()),
        statistics=_statistics(board, void.match, void.part),
        change=None,
        rating="",
        rank=None,
    )


def _score(match: Match, part: Participation) -> str:
    """Return the score, the player's own team first; the place if there are more than two teams."""
    if len(match.teams) > 2:
        return place_text(part.place, part.places or 0) if part.place else ""
    scores = [score_text(match, part.team), score_text(match, 1 - part.team)]
    return "–".join(scores) if all(scores) else ""


def _statistics(board: Board, match: Match, part: Participation) -> list[tuple[str, str]]:
    """Return the first statistics of the player's line on the match's scoreboard."""
    rounds, seconds = part.rounds_played or match.rounds, part.seconds or match.duration
    columns = columns_for(board.mode.columns, part.stats, with_rounds=bool(rounds))
    named = [(column.text, text_of(column, column.value(part.stats, rounds, seconds))) for column in columns]
    return [(name, text) for name, text in named if text][:STATISTICS]
