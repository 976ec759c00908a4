"""A player's season: where they ended, their curve, peaks, best matches, rivals and maps.

The standing and the record are those of the season's board, which never change once the season is archived. What
stands out is read from the ledger, which a void or a re-rating may correct later.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

from leaderboards.boards.boards import Board
from leaderboards.boards.published import read_consistently
from leaderboards.boards.rows import published_value
from leaderboards.display.numbers import Delta, place_text, rating_delta
from leaderboards.display.outcomes import outcome_word
from leaderboards.postgame.outcomes import roster, score_text
from leaderboards.profiles.companions import Companion, load_companions
from leaderboards.profiles.profiles import find_played_seasons
from leaderboards.profiles.rating_line import RatedPoint, RatingLine, draw_ratings
from leaderboards.rules.highlights import LEFT, Highlights, MapRecord, PlayedMatch, find_highlights, thinned
from leaderboards.summaries.ended import (
    MATCHES,
    OtherStep,
    SeasonStanding,
    find_season_standing,
    read_curve,
    read_matches,
)
from leaderboards.summaries.moments import Moment, find_moments
from ranking.models import Match, Participation, Player, ReadAccess, Season
from ranking.standings.placement import placement_of
from ranking.wording.dates import date_text
from ranking.wording.translation import gettext, ngettext, number_text

CURVE = 120  # points
MAPS = 5


@dataclass(frozen=True, slots=True)
class BestMatch:
    """A match that stands out: why, the score (own side first) and against whom, and what it brought."""

    title: str
    match: Match
    against: str
    change: Delta
    chance: int | None


@dataclass(frozen=True, slots=True)
class Peak:
    """A rating or rank at its best, right after the match with this id. `outdone`: it was better before placement."""

    text: str
    match_id: int
    when: dt.datetime
    outdone: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    """What stands out in a season. `limit`: only so many of the newest matches count, None if all do.

    `change`: what the season did to the rating, from before its first match; None if that isn't known or shown.
    `rank_after_last`: the rank right after the last match, if others have changed it since.
    """

    matches: Sequence[BestMatch]
    most_met: Companion | None
    hardest: Companion | None
    maps: Sequence[MapRecord]
    streak: int
    peak_rating: Peak | None
    peak_rank: Peak | None
    curve: RatingLine | None
    moments: Sequence[Moment]
    change: Delta | None
    limit: int | None
    rank_after_last: int | None


@dataclass(frozen=True, slots=True)
class Summary:
    """What the template shows. `story` is None if the viewer may not see it, or if nothing was rated.

    `seasons`: those of the mode that the player has played, the latest first.
    """

    place: SeasonStanding
    story: Story | None
    seasons: Sequence[Season]

    @property
    def player(self) -> Player:
        return self.place.player

    @property
    def board(self) -> Board:
        return self.place.board


def load_summary(player: Player, slug: str, number: int, *, access: ReadAccess, now: dt.datetime) -> Summary | None:
    """Return the summary; None if they didn't play in that season. Ten queries, one more for a table not cached."""
    place = read_consistently(lambda: find_season_standing(player, slug, number, access, now))
    if place is None:
        return None
    return Summary(place, _story(place, access) if place.shows_matches else None, find_played_seasons(place.rating))


def _story(place: SeasonStanding, access: ReadAccess) -> Story | None:
    played = read_matches(place)
    limit = MATCHES if len(played) == MATCHES else None
    placement = 0 if limit else placement_of(place.rating, place.board.mode)
    highlights = find_highlights(played, placement=placement, maps=MAPS)
    if highlights is None:
        return None
    board = place.board
    by_place = board.mode.team_count > 2
    companions = load_companions(place.rating, board.mode.generation, by_place=by_place, access=access)
    best_rank, peak, shows = highlights.best_rank, highlights.peak, board.mode.shows_rating
    steps = read_curve(place, played) if shows else []
    return Story(
        matches=_best_matches(place, highlights) if shows else (),
        most_met=next(iter(companions.opponents), None),
        hardest=next(iter(companions.worst), None),
        maps=highlights.maps,
        streak=highlights.streak,
        peak_rating=_peak_rating(steps, peak, board) if shows and peak is not None else None,
        peak_rank=None if best_rank is None else _peak(f"#{number_text(best_rank.rank or 0)}", best_rank),
        curve=_curve(steps, board, peak) if steps else None,
        moments=find_moments(place, played, highlights),
        change=None if limit or not shows else rating_delta(played[0].before, steps[-1].after, board.decimals),
        limit=limit,
        rank_after_last=_rank_after_last(place, played[-1]),
    )


def _rank_after_last(place: SeasonStanding, last: PlayedMatch) -> int | None:
    """The rank right after the last match, if others have changed it since."""
    if place.standing is None or last.after != published_value(place.rating):
        return None
    return last.rank if last.rank != place.standing.rank else None


def _peak(text: str, after: PlayedMatch) -> Peak:
    return Peak(text, after.match_id, after.ended_at)


def _peak_rating(steps: Sequence[PlayedMatch | OtherStep], peak: PlayedMatch, board: Board) -> Peak:
    outdone = any(step.after > peak.after for step in steps)
    return Peak(board.rating_text(peak.after), peak.match_id, peak.ended_at, outdone)


def _curve(steps: Sequence[PlayedMatch | OtherStep], board: Board, best: PlayedMatch | None) -> RatingLine | None:
    """Return the charts of these steps, oldest first, with a mark on the best."""
    drawn = thinned(steps, CURVE)
    if best is not None and best not in drawn:
        drawn = sorted([*drawn, best], key=lambda step: step.event)
    points = [
        RatedPoint(step.ended_at, _result(step), step.after, None if isinstance(step, OtherStep) else step.rank)
        for step in drawn
    ]
    line = draw_ratings(points, [date_text(board.mode.day_of(point.at), "day") for point in points], board)
    return line and replace(line, chart=line.chart.marking(None if best is None else drawn.index(best)))


def _result(match: PlayedMatch | OtherStep) -> str:
    """The result in words: “Won”, “Left”, “Forfeit”; “3rd of 8” if there were more than two teams."""
    if isinstance(match, OtherStep):
        return outcome_word(match.kind)
    if match.by_place and match.place is not None and match.outcome != LEFT:
        return place_text(match.place, match.places or 0)
    return outcome_word(match.outcome)


def _best_matches(place: SeasonStanding, highlights: Highlights) -> list[BestMatch]:
    """Return the match with the largest gain and the least likely win, once if they are the same: one query."""
    chosen = {match.match_id: (title, match) for title, match in _chosen(place.board, highlights)}
    parts: dict[int, list[Participation]] = {}
    rows = Participation.objects.filter(match__in=chosen).select_related("match", "player")
    for part in rows.order_by("match", "team", "slot"):
        parts.setdefault(part.match_id, []).append(part)
    return [_best_match(title, match, parts[number], place) for number, (title, match) in chosen.items()]


def _chosen(board: Board, highlights: Highlights) -> list[tuple[str, PlayedMatch]]:
    gain, upset = highlights.gain, highlights.upset if board.mode.team_count == 2 else None
    if gain is not None and gain == upset:
        return [(gettext("Largest gain, least likely win"), gain)]
    titles = [(gettext("Largest gain"), gain), (gettext("Least likely win"), upset)]
    return [(title, match) for title, match in titles if match is not None]


def _best_match(title: str, played: PlayedMatch, parts: Sequence[Participation], place: SeasonStanding) -> BestMatch:
    match = parts[0].match
    team = next(part.team for part in parts if part.player_id == place.player.pk)
    sides = [team, *(index for index in range(len(match.teams)) if index != team)]
    two = place.board.mode.team_count == 2
    return BestMatch(
        title=title,
        match=match,
        against=_against(match, parts, sides),
        change=rating_delta(played.before, played.after, place.board.decimals),
        chance=round(100 * played.chance) if two and played.chance is not None else None,
    )


def _against(match: Match, parts: Sequence[Participation], sides: Sequence[int]) -> str:
    """Return “3–1 against Fox”, “against Fox and 5 others”, or “against 7 others”; `sides`: teams, the own one first.

    The name is that of a player, the first of the other team.
    """
    if len(sides) != 2:
        others = len(sides) - 1
        return ngettext("against %(number)s other", "against %(number)s others", others) % {"number": others}
    first, *more = [part.player.name for part in roster(parts, sides[1])]
    words = ngettext("%(name)s and %(number)s other", "%(name)s and %(number)s others", len(more))
    name = words % {"name": first, "number": len(more)} if more else first
    scores = [score_text(match, side) for side in sides]
    if not all(scores):
        return gettext("against %(name)s") % {"name": name}
    return gettext("%(score)s against %(name)s") % {"score": "–".join(scores), "name": name}
