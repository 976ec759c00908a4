"""Gaussian Elo: Elo's update with a normal curve, and the duelling heuristic for teams.

Source: "Ranking and Matchmaking". K = alpha·beta·√π, and C = Phi((s1 − s2)/(√2·beta)) is the chance that one player
beats another. A match of two players moves each by K·(S − C) with the score S: the winner by K·(1 − C), the loser by
−K·C, and in a draw each by K·(0.5 − C).

Teams and free-for-all: a player's change is the mean of such duels against every player of every other team, decided
by the two teams' places, all from the skills before the match; duels count by the opponent's share of the match, and
the change by the player's own (see shared/presence.py). `scale_by_time` is the source's alternative to locking
leavers in: a leaver's change counts for the part of the match that they played. The source wishes alpha to fall with
the number of games: with n rated matches before, alpha + (alpha_first − alpha)·max(0, 1 − n/alpha_matches).

Departures from the source: newcomers start at 25; Phi is exact (`math.erfc`), not an approximation; teams win
with probability Phi((ΣA − ΣB)/(beta·√(nA + nB))). The arithmetic is in formulas.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import fsum, isfinite
from typing import Any, ClassVar

from ranking.systems.base import Entrant, Factor, Refused, Result, State, Strength, Team
from ranking.systems.elo import formulas
from ranking.systems.shared import fields as read
from ranking.systems.shared.display import hundredths, rounded
from ranking.systems.shared.explanations import part_time
from ranking.systems.shared.fit_scales import FitScale, Searched
from ranking.systems.shared.formulas import outcome_of, score_of
from ranking.systems.shared.logits import NORMAL, SETTLED
from ranking.systems.shared.maths import FLOATS
from ranking.systems.shared.params import param, read_params
from ranking.systems.shared.resets import SeasonReset, toward
from ranking.systems.shared.rules import (
    check_result,
    duration_of,
    effective_places,
    played,
    rate_with_leavers,
    unratable,
)
from ranking.systems.shared.scores import why_score
from ranking.systems.shared.seeds import check_no_deviation, check_seed
from ranking.systems.shared.staying import Seat, StayingRule
from ranking.wording.translation import gettext, ngettext, number_text, pgettext

HIGHEST = 1e12  # rating that is read; hundredths of it are still exact floats

Opponent = tuple[float, float, float]  # a player's score S (1, 0.5, 0) against an opponent; their rating and share


@dataclass(frozen=True, slots=True)
class EloSkill:
    rating: float


@dataclass(frozen=True, slots=True)
class Elo(SeasonReset[EloSkill], StayingRule[EloSkill]):
    key: ClassVar[str] = "elo"
    title: ClassVar[str] = "Gaussian Elo"
    decimals: ClassVar[int] = 2
    team_counts: ClassVar[tuple[int, int | None]] = (2, None)
    max_team_size: ClassVar[int | None] = None
    counts_idle_days: ClassVar[bool] = False
    counts_stats: ClassVar[bool] = False
    fits: ClassVar[Mapping[str, FitScale]] = {"alpha": Searched(2.0)}

    alpha: float = param(
        0.07,
        "How much one match weighs against all before it.",
        above=0,
        most=10,
        proposed=0.1,
        why="In fits to real and made-up histories it predicted better.",
    )
    beta: float = param(
        25 / 6, "How much a player's form varies from match to match, in rating points.", above=0, most=1e6
    )
    start: float = param(25.0, "The rating of a newcomer.", least=-1e6, most=1e6)
    scale_by_time: bool = param(False, "Leavers lose only for the part of the match that they played.")
    alpha_first: float = param(
        0.14,
        "Alpha of a player's first match, from where it moves to alpha; see alpha_matches.",
        above=0,
        most=10,
        proposed=0.3,
        why="Its source wants alpha to fall with the number of matches.",
    )
    alpha_matches: int = param(
        0,
        "After so many matches a player's alpha has moved from alpha_first to alpha; 0 is off.",
        least=0,
        most=10**6,
        proposed=30,
        why="Its source wants alpha to fall with the number of matches.",
    )

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Elo:
        return cls(**read_params(cls, params))

    def k(self, matches: int) -> float:
        """K: the most that one match can move the rating of a player with so many matches before it."""
        alpha = self.alpha
        if self.alpha_matches:
            alpha = formulas.alpha_after(matches, self.alpha_first, self.alpha, self.alpha_matches, FLOATS)
        stake: float = formulas.stake(alpha, self.beta)
        return stake

    @property
    def counts_matches(self) -> bool:
        return self.alpha_matches > 0

    @property
    def keeps_leavers(self) -> bool:
        # With `scale_by_time` a mode allows leaving: who leaves late loses most, and who leaves at once, nothing.
        return self.staying_is_better and not self.scale_by_time

    def newcomer(self) -> EloSkill:
        return EloSkill(self.start)

    def softened(self, skill: EloSkill, factor: float) -> EloSkill:
        return EloSkill(toward(self.start, skill.rating, factor))

    def seed(self, display: Decimal, deviation: float | None = None, matches: int = 0) -> EloSkill:
        check_seed(self, display, matches, least=-HIGHEST, most=HIGHEST)
        check_no_deviation(self, deviation)
        return EloSkill(float(display))

    def strength(self, skill: EloSkill) -> Strength:
        return Strength(NORMAL * (skill.rating - self.start) / self.beta, SETTLED)

    def skill_of(self, strength: Strength) -> EloSkill:
        return EloSkill(self.start + strength.level * self.beta / NORMAL)

    def rate_reported(self, result: Result[EloSkill]) -> tuple[tuple[EloSkill, ...], ...]:
        places = check_result(self, result)
        for team in result.teams:
            for player in team.players:
                if not isfinite(player.skill.rating):
                    raise unratable(self.key, player)
        rated = rate_with_leavers(result, places, self._rate_by_places)
        return self._scaled_by_time(result, rated) if self.scale_by_time else rated

    def _rate_by_places(self, result: Result[EloSkill]) -> tuple[tuple[EloSkill, ...], ...]:
        return tuple(
            tuple([self._rate_player(player, opponents) for player in team.players])
            for team, opponents in zip(result.teams, _opponents(result.teams), strict=True)
        )

    def rate_stayer(self, result: Result[EloSkill], seat: Seat) -> EloSkill:
        places = effective_places(result, check_result(self, result))
        teams = tuple(Team(t.players, place=place) for t, place in zip(result.teams, places, strict=True))
        return self._rate_player(teams[seat.team].players[seat.slot], _opponents_of(teams, seat.team))

    def _rate_player(self, player: Entrant[EloSkill], opponents: Sequence[Opponent]) -> EloSkill:
        own, beta, chance = player.skill.rating, self.beta, formulas.chance
        # fsum: the same change in whatever order the players are listed.
        surprise = fsum([share * (score - chance(own, rating, beta, FLOATS)) for score, rating, share in opponents])
        duels = fsum([share for _, _, share in opponents])
        return EloSkill(formulas.after(own, self.k(player.matches), duels, player.share * surprise))

    def _scaled_by_time(
        self, result: Result[EloSkill], rated: tuple[tuple[EloSkill, ...], ...]
    ) -> tuple[tuple[EloSkill, ...], ...]:
        duration = duration_of(result)
        return tuple(
            tuple(
                _between(player.skill, new, played(player, duration)) if player.left_early else new
                for player, new in zip(team.players, skills, strict=True)
            )
            for team, skills in zip(result.teams, rated, strict=True)
        )

    def win_probability(self, teams: Sequence[Sequence[Entrant[EloSkill]]]) -> tuple[float | None, ...]:
        if len(teams) != 2:
            return (None,) * len(teams)
        first, second = (fsum([player.share * player.skill.rating for player in team]) for team in teams)
        players = fsum([player.share for team in teams for player in team])
        lead = formulas.team_lead(first - second, players, self.beta, FLOATS)
        return FLOATS.Phi(lead), FLOATS.Phi(-lead)

    def explain_reported(self, result: Result[EloSkill]) -> tuple[tuple[tuple[Factor, ...], ...], ...]:
        places = effective_places(result, check_result(self, result))
        teams = tuple(Team(t.players, place=place) for t, place in zip(result.teams, places, strict=True))
        return tuple(
            tuple(self._factors(player, opponents, result) for player in team.players)
            for team, opponents in zip(teams, _opponents(teams), strict=True)
        )

    def _factors(
        self, player: Entrant[EloSkill], opponents: Sequence[Opponent], result: Result[EloSkill]
    ) -> tuple[Factor, ...]:
        teams, own, count = len(result.teams), player.skill.rating, len(opponents)
        duels = fsum([share for _, _, share in opponents])
        chances = [share * formulas.chance(own, rating, self.beta, FLOATS) for _, rating, share in opponents]
        chance = fsum(chances) / duels
        score = 0.0 if player.left_early else fsum([share * score for score, _, share in opponents]) / duels
        factors: tuple[Factor, ...] = (
            Factor(pgettext("factor", "Stake (K)"), self.k(player.matches), "stake", self._why_stake(player.matches)),
            Factor(pgettext("factor", "Result"), score, "share", _why_score(player.left_early, score, count, teams)),
            Factor(pgettext("factor", "Win expectation"), chance, "share", _why_chance(count)),
        )
        share = played(player, duration_of(result))
        if player.left_early and self.scale_by_time and share != 1:
            why = gettext("Leavers lose only for the part of the match that they played.")
            factors += (Factor(pgettext("factor", "Time played"), share, "times", why),)
        return factors + part_time(player, result, "times")

    def _why_stake(self, matches: int) -> str:
        if matches < self.alpha_matches and self.alpha_first > self.alpha:
            why = ngettext(
                "The most that one match can move a rating; it is more in a player’s first match.",
                "The most that one match can move a rating; it is more in a player’s first %(number)s matches.",
                self.alpha_matches,
            )
            return why % {"number": number_text(self.alpha_matches)}
        return gettext("The most that one match can move a rating.")

    def display(self, skill: EloSkill) -> Decimal:
        return rounded(skill.rating, self.decimals)

    def to_state(self, skill: EloSkill) -> State:
        return State(display_hundredths=hundredths(self.display(skill)), mu=skill.rating)

    def from_state(self, state: State) -> EloSkill:
        if state.mu is None:
            raise Refused("elo needs a state with mu, its rating, and this one has none.")
        return EloSkill(state.mu)

    def read_skill(self, fields: Mapping[str, Any]) -> EloSkill:
        path = f"{self.key} skill"
        read.only_known(fields, ("rating",), path)
        return EloSkill(float(read.number(fields.get("rating"), f"{path}: rating", least=-HIGHEST, most=HIGHEST)))

    def write_skill(self, skill: EloSkill) -> dict[str, Any]:
        return {"rating": skill.rating}


def _opponents(teams: Sequence[Team[EloSkill]]) -> list[list[Opponent]]:
    """By team: the opponents of each of its players."""
    return [_opponents_of(teams, index) for index in range(len(teams))]


def _opponents_of(teams: Sequence[Team[EloSkill]], index: int) -> list[Opponent]:
    """The opponents of each player of a team: everyone on every other team, scored by the teams' places."""
    own = teams[index].place
    return [
        (score, player.skill.rating, player.share)
        for other, team in enumerate(teams)
        if other != index
        for score in (score_of(outcome_of(own, team.place)),)
        for player in team.players
    ]


def _between(old: EloSkill, new: EloSkill, share: float) -> EloSkill:
    return EloSkill(formulas.for_part(old.rating, new.rating, share))


def _why_score(left_early: bool, score: float, opponents: int, teams: int) -> str:
    if left_early or teams == 2:
        return why_score(score, left_early=left_early)
    why = ngettext(
        "The share won of %(number)s duel with the players of all other teams; a tie counts half.",
        "The share won of %(number)s duels, one with each player of all other teams; a tie counts half.",
        opponents,
    )
    return why % {"number": number_text(opponents)}


def _why_chance(opponents: int) -> str:
    if opponents == 1:
        return gettext("The chance to win by the ratings before the match.")
    why = ngettext(
        "The mean chance in %(number)s duel, by the ratings before the match.",
        "The mean chance in %(number)s duels, one with every opponent, by the ratings before the match.",
        opponents,
    )
    return why % {"number": number_text(opponents)}
