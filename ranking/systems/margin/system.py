"""Margin: Rungs's own rating system. It learns a Gaussian skill from how high a match was won, in one exact step.

Skills are in typical margins of the mode: 1.0 is the root mean square of them, which the mode learns (learnt.py). A
match tells by what margin each pair of teams differed (observation.py); a linear-Gaussian (Kalman) step moves every
player by their share of the uncertainty. Within a team a statistic may tell who contributed more. A part-time player
counts by their share of the match (see shared/presence.py): a weight in their team, for practice and in their party.

The learnt values are part of the system: `rate` uses those that it has, and `after` gives the system that has learnt
from a match. If `win_never_costs`, who wins never falls, and who comes last never rises but by `practice_in_defeat`.
The arithmetic is in formulas.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, sqrt
from typing import Any, ClassVar

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.margin import formulas
from ranking.systems.margin.explanation import explain
from ranking.systems.margin.impact import by_impact, lowest_of
from ranking.systems.margin.learnt import LearningSystem, Learnt
from ranking.systems.margin.observation import Outcome, Pull, Side, lead_of, lesson_of, pulls_of, tells_of
from ranking.systems.margin.skill import Form, MarginSkill, Moved, ShownMargin, check_skills
from ranking.systems.shared.fit_scales import PARTIES, STATISTIC, UNEVEN, FitScale, Searched
from ranking.systems.shared.formulas import FIELD
from ranking.systems.shared.learning import Lesson
from ranking.systems.shared.maths import FLOATS, Maths, Numbers
from ranking.systems.shared.params import param, read_params
from ranking.systems.shared.rules import (
    Skills,
    check_result,
    duration_of,
    effective_places,
    left_whole,
    played,
    stayed_a_quarter,
)
from ranking.systems.shared.staying import Factors, Seat, StayingRule

LONGEST_IDLE = 1e12  # days


@dataclass(frozen=True, slots=True)
class Margin(LearningSystem, ShownMargin, StayingRule[MarginSkill]):
    key: ClassVar[str] = "margin"
    title: ClassVar[str] = "Margin (skill from scores)"
    team_counts: ClassVar[tuple[int, int | None]] = (2, None)
    max_team_size: ClassVar[int | None] = None
    counts_idle_days: ClassVar[bool] = True
    counts_stats: ClassVar[bool] = True
    least_idle_days: ClassVar[float] = -LONGEST_IDLE  # a clock that went back counts as no time
    fits: ClassVar[Mapping[str, FitScale]] = {
        "sigma": Searched(0.25),
        "tau": Searched(0.25, along=("tau_day",)),
        "practice": Searched(0.25),
        "half": Searched(0.25),
        "slope": Searched(0.25),
        "squash": Searched(0.25),
        "worth": Searched(0.25, UNEVEN),
        "impact": Searched(0.25, STATISTIC),
        "impact_noise": Searched(0.25, STATISTIC),
        "party": Searched(0.25, PARTIES, step=0.4),
    }

    sigma: float = param(
        0.5, "How uncertain a newcomer's skill is, and the most that idle time makes it.", above=0, most=1e3
    )
    beta: float = param(0.75, "How much a player's form varies from match to match.", least=1e-6, most=1e3)
    tau: float = param(0.035, "How much skill may drift between two matches.", least=0, most=1e3)
    tau_day: float = param(0.003, "How much skill may drift in the square root of an idle day.", least=0, most=1e3)
    worth: float = param(0.5, "What a newcomer adds to a team: the worth of one more player.", least=-1e3, most=1e3)
    practice: float = param(0.4, "What a player gains in all by experience.", least=0, most=1e3)
    half: float = param(15.0, "After how many matches half of that is gained.", above=0, most=1e6)
    squash: float = param(0.4, "A margin counts at most 1/squash typical margins.", least=0.01, most=100)
    scale: float = param(1.5, "First guess of a typical margin, in square roots of points.", above=0, most=1e6)
    slope: float = param(1.85, "First guess of how surely a lead in skill wins.", least=0.5, most=6)
    impact: float = param(0.8, "How much a player's own statistic says about them within the team.", least=0, most=1e3)
    impact_noise: float = param(1.5, "How noisy that statistic is.", least=1e-6, most=1e3)
    impact_stat: str = param("", "The statistic that tells team-mates apart. Beware: players pad what can be padded.")
    party: float = param(0.0, "What each mate of a party beyond the first adds to a team.", least=-1e3, most=1e3)
    luck: bool = param(
        False,
        "In matches of more than four sides without scores, the mode learns how much of the last place is bad luck.",
    )
    adapt: bool = param(True, "The mode learns its noise, slope and typical margins; else the first guesses stay.")
    practice_in_defeat: bool = param(
        False, "Players who come last gain practice, too. If all tie, all gain it.", rule=True
    )
    win_never_costs: bool = param(
        True, "Players who come first never fall; players who come last rise by practice_in_defeat only."
    )
    points: float = param(400.0, "Display points of a typical margin.", above=0, most=1e6)
    caution: float = param(2.0, "How many deviations the display rating stays below the mean.", above=0, most=100)
    learnt: Learnt | None = field(default=None, kw_only=True)  # None: a new mode

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Margin:
        return cls(**read_params(cls, params))

    def newcomer(self) -> MarginSkill:
        return MarginSkill(0.0, self.sigma, 0)

    def lesson(self, result: Result[MarginSkill]) -> Lesson:
        result = self.attended(result)
        places = self._places(result)
        whole = [self._side(team) for team in result.teams]
        return lesson_of(self._sides(result), whole, self._outcome(result, places), result.variant)

    def contribution(self, stats: Mapping[str, float], rounds: int | None) -> float | None:
        return stats.get(self.impact_stat) if self.impact_stat else None

    def rate_reported(self, result: Result[MarginSkill]) -> Skills[MarginSkill]:
        return tuple(
            tuple([self.skill_after(player, moved) for player, moved in zip(team.players, moves, strict=True)])
            for team, moves in zip(result.teams, self.moves(result), strict=True)
        )

    def rate_last(self, result: Result[MarginSkill], seat: Seat) -> MarginSkill:
        (moves,) = self._moves(result, [seat.team], worst=seat)
        return self.skill_after(result.teams[seat.team].players[seat.slot], moves[seat.slot])

    def skill_after(self, player: Entrant[MarginSkill], moved: Moved) -> MarginSkill:
        """The skill after all stages."""
        mu, variance = moved.bounded
        return MarginSkill(mu + moved.practised, formulas.deviation(variance, FLOATS), player.skill.matches + 1)

    def moves(self, result: Result[MarginSkill], *, worst: Seat | None = None) -> list[list[Moved]]:
        """The stages of each player's change, in the shape of `result.teams`; raises Refused.

        `worst`: this player had the worst statistic that counts.
        """
        return self._moves(result, range(len(result.teams)), worst)

    def _moves(self, result: Result[MarginSkill], teams: Iterable[int], worst: Seat | None) -> list[list[Moved]]:
        """The stages of the players of these teams."""
        places = self._places(result)
        check_skills(self.key, result)
        pulls = pulls_of(self._sides(result), self._outcome(result, places))
        return [self._moves_of(result, index, places, pulls[index], worst) for index in teams]

    def _moves_of(
        self, result: Result[MarginSkill], index: int, places: Sequence[int], pull: Pull, worst: Seat | None
    ) -> list[Moved]:
        team = result.teams[index]
        duration = duration_of(result)
        forms = [self._pulled(player, pull, _weight(player, duration)) for player in team.players]
        if any(player.left_early for player in team.players):
            as_last = self._pull_of_last(result, index, places)
            forms = [
                _no_higher(player, self._pulled(player, as_last, 1.0)) if player.left_early else form
                for player, form in zip(team.players, forms, strict=True)
            ]
        judged = self._by_impact(team, forms, worst.slot if worst is not None and worst.team == index else None)
        ends = places[index], min(places), max(places)
        return [self._moved(*stages, ends) for stages in zip(team.players, forms, judged, strict=True)]

    def _pulled(self, player: Entrant[MarginSkill], pull: Pull, weight: float) -> Form:
        """The Kalman step of one player."""
        s2 = self._variance(player)
        return Form(*formulas.pulled(player.skill.mu, s2, weight * s2, pull, FLOATS))

    def _pull_of_last(self, result: Result[MarginSkill], index: int, places: Sequence[int]) -> Pull:
        """What the match would have said to a team, had nobody left and it come last alone; scores don't count."""
        own = [max(places) + 1 if i == index else place for i, place in enumerate(places)]
        whole = [self._side(team) for team in result.teams]
        return pulls_of(whole, replace(self._outcome(result, own), scores=None, tells=None))[index]

    def _by_impact(self, team: Team[MarginSkill], forms: list[Form], worst: int | None) -> list[Form]:
        """The stayers' forms once their own impact is known; unchanged if it isn't.

        Who was there for less than a quarter of the match isn't judged.
        """
        stayers = [slot for slot, p in enumerate(team.players) if stayed_a_quarter(p)]
        if not self.impact_stat or len(stayers) < 2:
            return forms
        values = [team.players[slot].stats.get(self.impact_stat) for slot in stayers]
        if worst is not None:
            values = lowest_of(values, stayers.index(worst))
        if any(value is None for value in values):
            return forms
        noise = formulas.stat_noise(self.impact_noise, exp(-self.learning.noise))
        judged = by_impact([forms[slot] for slot in stayers], values, self.impact, noise)  # type: ignore[arg-type]
        forms = list(forms)
        for slot, form in zip(stayers, judged, strict=True):
            forms[slot] = form
        return forms

    def _moved(self, player: Entrant[MarginSkill], by_margin: Form, own: Form, ends: tuple[int, int, int]) -> Moved:
        """A win never costs, and coming last never pays; then practice. `ends`: own place, the first and the last."""
        if player.left_early:
            return Moved(by_margin, own, own, 0.0)
        (mu, sigma, matches), bounded = player.skill, own
        won, lost = formulas.comes_first(*ends), formulas.comes_last(*ends)
        if self.win_never_costs and won:
            bounded = Form(*formulas.kept(mu, sigma, *own, FLOATS))
        elif self.win_never_costs and lost:
            bounded = Form(*formulas.bounded(mu, sigma, *own, self.caution, FLOATS))
        return Moved(by_margin, own, bounded, player.share * self.practised(matches, lost, FLOATS))

    def practised(self, matches: Numbers, lost: Any, m: Maths) -> Numbers:
        """What stayers gain by practice; see formulas.py."""
        return formulas.practised(matches, lost, self.practice, self.half, self.practice_in_defeat, m)

    def explain_reported(self, result: Result[MarginSkill]) -> tuple[tuple[Factors, ...], ...]:
        return explain(self, result, self.moves(result))

    def explain_last(self, result: Result[MarginSkill], seat: Seat) -> Factors:
        return explain(self, result, self.moves(result, worst=seat))[seat.team][seat.slot]

    def win_probability(self, teams: Sequence[Sequence[Entrant[MarginSkill]]]) -> tuple[float | None, ...]:
        if len(teams) != 2:
            return (None,) * len(teams)
        lead = self.learning.slope * lead_of(*(self._side(Team(tuple(players))) for players in teams))
        return FLOATS.Phi(lead), FLOATS.Phi(-lead)

    def _places(self, result: Result[MarginSkill]) -> Sequence[int]:
        """The effective places; the reported ones if everybody left, so that the mode learns from them."""
        places = check_result(self, result)
        return places if all(map(left_whole, result.teams)) else effective_places(result, places)

    def entered(self, result: Result[MarginSkill]) -> tuple[list[Side], Outcome]:
        """The sides as they played, and how the match ended."""
        return self._sides(result), self._outcome(result, self._places(result))

    def _outcome(self, result: Result[MarginSkill], places: Sequence[int]) -> Outcome:
        scores = [team.score for team in result.teams if team.score is not None]
        scored = len(scores) == len(result.teams)
        luck = None if scored or len(places) < FIELD else self.learning.luck
        return Outcome(
            places=places,
            scores=scores if scored else None,
            typical=sqrt(self.learning.typical_square(result.variant, self.scale)),
            squash=self.squash,
            slope=self.learning.slope,
            win_never_costs=self.win_never_costs,
            luck=None if luck is None else luck.share,
            tells=tells_of(places, luck.share, luck.of_pairs) if luck is not None and luck.share else None,
        )

    def _sides(self, result: Result[MarginSkill]) -> list[Side]:
        duration = duration_of(result)
        return [self._side(team, [_weight(player, duration) for player in team.players]) for team in result.teams]

    def _side(self, team: Team[MarginSkill], weights: Sequence[float] | None = None) -> Side:
        """A team before the match; `weights` None: as if nobody had left, by shares."""
        own = weights or [player.share for player in team.players]
        parties: dict[str, float] = {}
        for player in team.players:
            if player.party is not None:
                parties[player.party] = parties.get(player.party, 0.0) + player.share
        mean = sum(a * (player.skill.mu + self.worth) for a, player in zip(own, team.players, strict=True))
        return Side(
            mean=mean + self.party * sum(formulas.mates(count, FLOATS) for count in parties.values()),
            variance=sum(a * a * self._variance(player) for a, player in zip(own, team.players, strict=True)),
            size=sum(own),
            noise=formulas.noise(sum(own), self.beta, exp(-self.learning.noise)),
        )

    def _variance(self, player: Entrant[MarginSkill]) -> float:
        """s²: the variance of a player's skill before the match, after what time has added."""
        _, sigma, matches = player.skill
        aged = formulas.aged(player.idle_days, self.tau_day, FLOATS)
        return float(formulas.aged_variance(sigma * sigma, matches, aged, self.tau, self.sigma, FLOATS))


def _no_higher(player: Entrant[MarginSkill], form: Form) -> Form:
    return Form(*formulas.left_as_last(player.skill.mu, player.skill.sigma, form.mu, form.variance, FLOATS))


def _weight(player: Entrant[MarginSkill], duration: float | None) -> float:
    return float(formulas.weight(played(player, duration), FLOATS)) if player.left_early else player.share
