"""Staying is always better: the last step of rating a match, the same in every system.

Source: *Ranking in Team-Based Competitive Games*, "in all scenarios … a player's best interest is to stay". A leaver
gets the lower display rating of (a) what the system's own rule for leavers gives, and (b) what the same match would
have given this one player, had they stayed and come last. Nobody else's skill changes by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from ranking.systems.base import Entrant, Factor, Result, System, Team
from ranking.systems.shared.explanations import Explanation, explanation_of
from ranking.systems.shared.learning import LearnsNothing
from ranking.systems.shared.params import param
from ranking.systems.shared.presence import attended
from ranking.systems.shared.rules import Places, Skills, check_result, duration_of, effective_places
from ranking.wording.translation import gettext, number_text

S = TypeVar("S")
Factors = tuple[Factor, ...]


class Seat(NamedTuple):
    """A player's place in a result: the indices of the team, and of the player in it."""

    team: int
    slot: int


@dataclass(frozen=True, slots=True)
class StayingRule(LearnsNothing, Generic[S]):
    """Base class of all systems: `rate` and `explain` apply the rule to what the system makes of the report.

    A system defines `rate_reported` and `explain_reported`. One that counts stats overrides `rate_last` and
    `explain_last`, too, because who had stayed might have had the worst of them.
    """

    key: ClassVar[str]

    staying_is_better: bool = param(
        True, "No leaver ends better than by staying to the end and coming last.", common=True, rule=True
    )

    counts_shares: bool = param(
        True,
        "Players who were there for a part of a match count, and are rated, by their share of it.",
        common=True,
        rule=True,
    )

    least_idle_days: ClassVar[float] = 0.0  # that a line may give

    @property
    def counts_matches(self) -> bool:
        """True if it matters how many rated matches a player had before."""
        return False

    def contribution(self, stats: Mapping[str, float], rounds: int | None) -> float | None:
        """What a player did for their team, by which the system tells team-mates apart; None if it doesn't."""
        return None

    def rate_reported(self, result: Result[S]) -> Skills[S]:
        """New skills by the system's formula and its own rule for leavers; raises Refused."""
        raise NotImplementedError

    def explain_reported(self, result: Result[S]) -> tuple[tuple[Factors, ...], ...]:
        """The factors of `rate_reported`."""
        raise NotImplementedError

    def rate_stayer(self, result: Result[S], seat: Seat) -> S:
        """The skill of one player who stayed. A system that can rate one player at less cost overrides it."""
        return self.rate_reported(result)[seat.team][seat.slot]

    def rate_last(self, result: Result[S], seat: Seat) -> S:
        """The lowest skill that the player of this seat could have got; `result` is one of `stayed_and_last`."""
        return self.rate_stayer(result, seat)

    def explain_last(self, result: Result[S], seat: Seat) -> Factors:
        """The factors of `rate_last`."""
        return self.explain_reported(result)[seat.team][seat.slot]

    @property
    def keeps_leavers(self) -> bool:
        """True if the rule holds; False, too, for a system whose parameters allow leaving."""
        return self.staying_is_better

    def attended(self, result: Result[S]) -> Result[S]:
        """The result with the players' shares, if they count."""
        return attended(result) if self.counts_shares else result

    def rate(self: Any, result: Result[S]) -> Skills[S]:
        result = self.attended(result)
        rated: Skills[S] = self.rate_reported(result)
        if True not in [player.left_early for team in result.teams for player in team.players]:
            return rated
        lower = {seat: skill for seat, _, skill in lowered(self, result, rated)}
        if not lower:
            return rated
        return tuple(
            tuple([lower.get(Seat(index, slot), skill) for slot, skill in enumerate(skills)])
            for index, skills in enumerate(rated)
        )

    def explain(self: Any, result: Result[S]) -> tuple[tuple[Factors, ...], ...]:
        result = self.attended(result)
        factors: tuple[tuple[Factors, ...], ...] = self.explain_reported(result)
        if not (self.keeps_leavers and any(leavers_of(result))):
            return factors
        cases = lowered(self, result, self.rate_reported(result))
        lower = {seat: self.explain_last(case, seat) for seat, case, _ in cases}
        return tuple(
            tuple([lower.get(Seat(index, slot), own) for slot, own in enumerate(team)])
            for index, team in enumerate(factors)
        )


def lowered(system: Any, result: Result[S], rated: Skills[S]) -> Iterator[tuple[Seat, Result[S], S]]:
    """The leavers who would have ended lower by staying and coming last: seat, that match, and the skill after it.

    `rated`: what the system's own rule gives.
    """
    leavers = list(leavers_of(result)) if system.keeps_leavers else []
    if not leavers:
        return
    places = effective_places(result, check_result(system, result))
    for seat in leavers:
        case = stayed_and_last(result, places, seat)
        skill = system.rate_last(case, seat)
        if system.display(skill) < system.display(rated[seat.team][seat.slot]):
            yield seat, case, skill


def leavers_of(result: Result[S]) -> Iterator[Seat]:
    for index, team in enumerate(result.teams):
        for slot, player in enumerate(team.players):
            if player.left_early:
                yield Seat(index, slot)


def stayed_and_last(result: Result[S], places: Places, seat: Seat) -> Result[S]:
    """The same match if this player had stayed and their team had come last alone; `places`: the effective ones."""
    last = max(places) + 1
    own = [last if index == seat.team else place for index, place in enumerate(places)]
    return _with_stayer(result, seat, own, places_stand=True)


def explanations_of(system: System[S], result: Result[S]) -> tuple[tuple[Explanation, ...], ...]:
    """The explanation of each player's change, in the shape of `result.teams`; raises Refused."""
    result = system.attended(result)
    leaving = dict(_why_leaving(system, result))
    return tuple(
        tuple(
            [
                explanation_of(factors, system.decimals, leaving.get(Seat(index, slot), ""))
                for slot, factors in enumerate(team)
            ]
        )
        for index, team in enumerate(system.explain(result))
    )


def explain_dropout(system: Any, result: Result[S]) -> tuple[S, Explanation]:
    """The skill of the one leaver in a result after it, and why: a player who dropped out before the match began.

    Nobody knows how that match would have gone, so the explanation doesn't say what staying would have brought.
    """
    result = system.attended(result)
    (seat,) = leavers_of(result)
    skill: S = system.rate(result)[seat.team][seat.slot]
    why = gettext(
        "Dropping out before the match begins is rated like leaving it at once. Nobody else’s rating changes."
    )
    if any(lowered(system, result, system.rate_reported(result))):
        why = gettext(
            "Dropping out before the match begins is rated like staying and coming last, which costs more than leaving"
            " at once. Nobody else’s rating changes."
        )
    return skill, explanation_of(system.explain(result)[seat.team][seat.slot], system.decimals, why)


def _why_leaving(system: Any, result: Result[S]) -> Iterator[tuple[Seat, str]]:
    """What each leaver missed, had their team come as it really did."""
    leavers = list(leavers_of(result))
    if not leavers:
        return
    places, rated = check_result(system, result), system.rate_reported(result)
    lower = {seat: skill for seat, _, skill in lowered(system, result, rated)}
    for seat in leavers:
        after = system.display(lower.get(seat, rated[seat.team][seat.slot]))
        instead = system.display(system.rate_stayer(_stayed(result, places, seat), seat))
        sentence = _missed_by_leaving(instead - after, as_last=seat in lower)
        yield seat, sentence % {"points": number_text(abs(instead - after), system.decimals)}


def _missed_by_leaving(missed: Decimal, *, as_last: bool) -> str:
    """The pattern of the sentence; `as_last`: the player is rated as if they had stayed and come last."""
    if as_last:
        if missed > 0:
            return gettext(
                "This is rated like staying and coming last, because leaving would have cost less. With this result,"
                " staying would have brought %(points)s more."
            )
        if missed < 0:
            return gettext(
                "This is rated like staying and coming last, because leaving would have cost less. With this result,"
                " leaving saved %(points)s."
            )
        return gettext(
            "This is rated like staying and coming last, because leaving would have cost less. With this result,"
            " leaving saved nothing."
        )
    if missed > 0:
        return gettext("Staying would have brought %(points)s more.")
    return gettext("Leaving saved %(points)s.") if missed < 0 else gettext("Leaving saved nothing.")


def _stayed(result: Result[S], places: Places, seat: Seat) -> Result[S]:
    """The same match if this player had stayed; `places`: as reported."""
    stayed = _with_stayer(result, seat, places)
    return replace(stayed, teams=_placed(stayed.teams, effective_places(stayed, places)), places_stand=True)


def _with_stayer(result: Result[S], seat: Seat, places: Sequence[int], *, places_stand: bool = False) -> Result[S]:
    """The match as if this player had stayed; nobody knows which stats they would have had."""
    teams = list(_placed(result.teams, places))
    players = list(teams[seat.team].players)
    players[seat.slot] = _stayer(players[seat.slot])
    teams[seat.team] = Team(tuple(players), teams[seat.team].place, teams[seat.team].score)
    return replace(result, teams=tuple(teams), duration=duration_of(result), places_stand=places_stand)


def _placed(teams: Sequence[Team[S]], places: Sequence[int]) -> tuple[Team[S], ...]:
    """The teams with these places."""
    return tuple([Team(team.players, place, team.score) for team, place in zip(teams, places, strict=True)])


def _stayer(player: Entrant[S]) -> Entrant[S]:
    return replace(
        player, seconds=None, joined_at=None, left_early=False, rounds_played=None, weight=None, stats={},
    )  # fmt: skip
