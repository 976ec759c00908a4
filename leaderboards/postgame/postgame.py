"""The post-game page: who won, how everybody's rating changed, and why."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from django.db.models import BigIntegerField

from leaderboards.display.numbers import ordinal
from leaderboards.display.outcomes import outcome_word
from leaderboards.postgame.outcomes import headline_of, places_shown, roster, score_text, team_name, void_notice
from leaderboards.postgame.scoreboard import Scoreboard, TeamHead, make_scoreboard
from leaderboards.postgame.seats import PlayerLine, make_seats, order_in_team
from ranking.database.cursors import INT64
from ranking.database.prepared_queries import Placeholder, PreparedModels, prepare_models
from ranking.matches.explanations import explain
from ranking.matches.records import MatchRecord, load_records, seen_by, with_void_reasons
from ranking.models import Match, Player, ReadAccess
from ranking.wording.translation import gettext


@dataclass(frozen=True, slots=True)
class MatchSide:
    """A team. `chance` of winning before the match, in per cent; None if the mode doesn't show it.

    `result`: win, draw, loss, or left by everybody, and `word` says it; with more than two teams it is empty, and
    `word` is the place. `place`: None, and these two empty, if the match was called off without places.
    """

    name: str
    score: str
    place: int | None
    result: str
    word: str
    chance: int | None
    seats: list[PlayerLine]


@dataclass(frozen=True, slots=True)
class PostGame:
    """What the template shows. `hero`: the viewer's own seat. `rated` False: not rated yet, or void. `ranked`: it has
    ratings and ranks, or may get them.

    `notice`: that a void match counts for nothing. `void_reason`: what those who played read about a void, or everybody
    if the match was called off. `corrected_by`: the number of the match that corrects a void one.
    """

    match: Match
    play: MatchRecord
    headline: str
    sides: list[MatchSide]
    hero: PlayerLine | None
    rated: bool
    ranked: bool
    notice: str
    void_reason: str
    corrected_by: int | None
    scoreboard: Scoreboard

    @property
    def hero_result(self) -> str:
        """Win, draw, loss or left, rated or not; "" with more than two teams, or without places."""
        if self.hero is None or self.hero.left_early:
            return "" if self.hero is None else "left"
        return next((side.result for side in self.sides if self.hero in side.seats), "")

    @property
    def teamless(self) -> bool:
        """True if each player is a team of their own."""
        return all(len(side.seats) == 1 for side in self.sides)

    @property
    def seats(self) -> list[PlayerLine]:
        """Everybody's seats, in the order of places."""
        return [seat for side in self.by_place for seat in side.seats]

    @property
    def by_place(self) -> list[MatchSide]:
        """The teams in the order of places; those that share a place stay in the order of the report."""
        return sorted(self.sides, key=lambda side: side.place or 0)

    @property
    def ordered(self) -> list[MatchSide]:
        """The teams as the page shows them: two stay in the order of the report."""
        return self.sides if len(self.sides) == 2 else self.by_place

    @property
    def shows_changes(self) -> bool:
        """True if the page has columns for ratings; those of players in placement are empty."""
        return any(seat.rating is not None or seat.in_placement for seat in self.seats)

    @property
    def shows_ranks(self) -> bool:
        """True if the page has a column for ranks: somebody has one, or had."""
        return any(seat.rank is not None for seat in self.seats)

    @property
    def shows_decided(self) -> bool:
        """True if the page has a column for the scores or times that decided the places."""
        return any(seat.decided for seat in self.seats)

    @property
    def columns(self) -> int:
        """How many columns the table of players has, the ones of names and of buttons among them."""
        ratings = 2 * self.shows_changes + self.shows_ranks + self.shows_decided
        return max(1, len(self.scoreboard.headings)) + ratings + 1

    @property
    def as_then(self) -> bool:
        """True if ranks are as published then, for other ratings than those shown."""
        return any(seat.as_then for seat in self.seats)

    @property
    def chances(self) -> list[MatchSide]:
        return [side for side in self.ordered if side.chance is not None]


def load_postgame(
    pk: int, *, viewer: Player | None, access: ReadAccess, now: dt.datetime, sort: str = "", direction: str = ""
) -> PostGame:
    """Return the page of a match; raise Match.DoesNotExist. Four queries, five if idle days count.

    Two more for who passed whom, one for a void match. `sort`, `direction`: of the scoreboard.
    """
    match = _matches().first(match=pk) if pk in INT64 else None
    if match is None:
        raise Match.DoesNotExist
    play = seen_by(load_records([match]), access)[pk]
    return make_postgame(play, viewer=viewer, now=now, sort=sort, direction=direction)


@cache
def _matches() -> PreparedModels[Match]:
    match = Placeholder("match", BigIntegerField())
    return prepare_models(with_void_reasons(Match.objects.select_related("mode", "season")).filter(pk=match))


def make_postgame(
    play: MatchRecord, *, viewer: Player | None, now: dt.datetime, sort: str = "", direction: str = ""
) -> PostGame:
    """Return the page of a match, as far as its mode shows it. Queries for who passed whom, and if idle days count."""
    match = play.match
    places = places_shown(match, play.parts)
    seats = make_seats(play, places, explain(play) if match.mode.ranked else {}, viewer, now)
    sides = [_side(play, places, index, seats) for index in range(len(match.teams))]
    teams = [TeamHead(index, side.name, side.score, side.word, side.result) for index, side in enumerate(sides)]
    if len(sides) > 2:
        teams.sort(key=lambda team: sides[team.index].place or 0)
    hero = next((seat for seat in seats if seat.own), None)
    return PostGame(
        match=match,
        play=play,
        headline=_headline(sides) if match.is_placed else gettext("No contest"),
        sides=sides,
        hero=hero,
        rated=match.event_id is not None and not match.is_void,
        ranked=match.mode.ranked and not match.is_void,
        notice=void_notice(match) if match.is_void else "",
        void_reason=_void_reason(match, hero),
        corrected_by=_correction_of(match) if match.is_void else None,
        scoreboard=make_scoreboard(play, seats, teams, sort=sort, direction=direction),
    )


def _void_reason(match: Match, hero: PlayerLine | None) -> str:
    """Why a match is void, as far as the reader may know; "" if the notice says it."""
    told = match.uncounted == Match.NO_CONTEST or (hero is not None and not match.uncounted)
    return match.void_reason if told else ""


def _correction_of(match: Match) -> int | None:
    return Match.objects.filter(replaces=match).values_list("pk", flat=True).first()


def _side(play: MatchRecord, places: Sequence[int | None], index: int, seats: Sequence[PlayerLine]) -> MatchSide:
    match, place = play.match, places[index]
    order = order_in_team(roster(play.parts, index))
    own = [seat for seat, part in zip(seats, play.parts, strict=True) if part.team == index]
    own.sort(key=lambda seat: order[seat.player.pk])
    chances = {part.player_id: change.win_probability for part, change in zip(play.parts, play.changes, strict=False)}
    shown = match.mode.ranked and match.mode.shows_rating and not match.is_void
    chance = next((chances.get(part.player_id) for part in roster(play.parts, index)), None) if shown else None
    result = _result(places, index)
    return MatchSide(
        name=team_name(match, play.parts, index),
        score=score_text(match, index),
        place=place,
        result=result,
        word=_word(result) if result else "" if place is None else ordinal(place),
        chance=None if chance is None else round(100 * chance),
        seats=own,
    )


def _result(places: Sequence[int | None], index: int) -> str:
    place = places[index]
    if len(places) > 2 or place is None:
        return ""
    if 1 not in places:
        return "left"  # everybody did
    if place > 1:
        return "loss"
    return "draw" if places[0] == places[1] else "win"


def _word(result: str) -> str:
    return gettext("Draw") if result == "draw" else outcome_word(result)


def _headline(sides: Sequence[MatchSide]) -> str:
    return headline_of([side.name for side in sides if side.place == 1], len(sides))
