"""The moments of a player's season in the order of time: first match, achievements, peaks, the end."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboards.achievements.showing import EarnedAchievement, find_earned
from leaderboards.display.numbers import place_text, ranked_words
from leaderboards.rules.highlights import Highlights, PlayedMatch
from leaderboards.summaries.ended import MATCHES, SeasonStanding
from ranking.wording.translation import gettext, number_text


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened in the season: a title, and what was reached, empty if the title says it all.

    `sign`: the icon's name; `emblem`, `colour`: of the tier that it tells of, else empty. `match_id`: the match right
    after which it was so; None if none was.
    """

    at: dt.datetime
    title: str
    text: str
    sign: str
    match_id: int | None = None
    emblem: str = ""
    colour: str = ""


def find_moments(place: SeasonStanding, played: Sequence[PlayedMatch], highlights: Highlights) -> list[Moment]:
    """Return the moments of the season, oldest first; `played`: its matches, at least one. Two queries."""
    season, board = place.board.season, place.board
    moments = []
    if len(played) < MATCHES:
        moments.append(Moment(played[0].ended_at, gettext("First match"), "", "up", played[0].match_id))
    matches = {match.match_id for match in played}
    moments += [
        _of_achievement(each)
        for each in find_earned(place.player, [board.mode])
        if each.row.match_id in matches or (each.row.season_id == season.pk and not each.colour)
    ]
    best, peak = highlights.best_rank, highlights.peak
    if best is not None:
        rank = f"#{number_text(best.rank or 0)}"
        moments.append(Moment(best.ended_at, gettext("Best rank"), rank, "top", best.match_id))
    if peak is not None and board.mode.shows_rating:
        rating = board.rating_text(peak.after)
        moments.append(Moment(peak.ended_at, gettext("Peak rating"), rating, "top", peak.match_id))
    moments.sort(key=lambda moment: moment.at)
    return [*moments, *_end(place)]


def _of_achievement(earned: EarnedAchievement) -> Moment:
    title, text = (earned.words, "") if earned.emblem else (earned.name, earned.words)
    row = earned.row
    return Moment(row.earned_at, title, text, earned.kind.series, row.match_id, earned.emblem, earned.colour)


def _end(place: SeasonStanding) -> list[Moment]:
    """The end of a season on whose board the player was."""
    season, standing = place.board.season, place.standing
    if standing is None or season.ends_at is None or not place.board.over:
        return []
    tier = standing.tier
    if tier is None:
        return [
            Moment(season.ends_at, gettext("End of the season"), place_text(standing.rank, standing.listed), "season")
        ]
    words = ranked_words(standing.rank, standing.listed, tier.text)
    return [Moment(season.ends_at, gettext("End of the season"), words, "season", None, tier.emblem, tier.colour)]
