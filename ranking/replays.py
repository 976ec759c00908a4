"""Rating a mode's history anew, from its facts, in the order of their sequence.

A replay goes through the history in blocks of matches. It reads and writes one at a time: the new rows of the ledger
belong to the generation that nobody reads yet, and the rows in their place are marked as superseded by it. Nothing is
kept but the last state of each player.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Max, OuterRef, QuerySet, Subquery

from ranking import forfeits
from ranking.inserts import copy_rows
from ranking.models import Change, Forfeit, Match, Mode, ParameterVersion, Participation, Rating
from ranking.modes import system_of
from ranking.plays import Play, is_void, load_parts, rate_forfeit, rate_play
from ranking.systems.base import State, System

BLOCK = 500  # matches a transaction, so that none takes longer than about a second

Owner = tuple[int, int]  # season and player
Fact = Play | Forfeit

_COLUMNS = (
    "kind", "event_id", "match_id", "player_id", "mode_id", "season_id", "generation", "parameters_id", "outcome",
    "win_probability", "display_before", "mu_before", "sigma_before", "volatility_before",
    "display_after", "mu_after", "sigma_after", "volatility_after",
)  # fmt: skip


def find_history(mode: Mode, since: int) -> QuerySet[Match]:
    """The rated matches that count, from a sequence on, in its order."""
    return Match.objects.filter(~is_void(), mode=mode, event__gte=since).order_by("event")


@dataclass(frozen=True, slots=True)
class Versions:
    """The parameters of a mode's history, oldest first, each with the sequence that it is in force from."""

    versions: tuple[ParameterVersion, ...]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, mode: Mode, generation: int) -> Versions:
        """As a generation of the mode knows them: nothing is older than one for the whole history."""
        found: list[ParameterVersion] = []
        for version in ParameterVersion.objects.filter(mode=mode, generation__lte=generation).order_by("number"):
            if version.retroactive:
                found.clear()
            found.append(version)
        return cls(tuple(found), (0, *(version.event_id for version in found[1:])))

    def at(self, sequence: int) -> ParameterVersion:
        return self.versions[bisect(self.starts, sequence) - 1]


@dataclass(slots=True)
class Replay:
    """From the sequence `since` on (0 = all of it), as the generation after the mode's."""

    mode: Mode
    since: int
    versions: Versions
    _states: dict[Owner, State] = field(default_factory=dict)
    _last_played: dict[Owner, dt.datetime | None] = field(default_factory=dict)

    @property
    def generation(self) -> int:
        return self.mode.generation + 1

    def blocks(self, note: Callable[[int], None]) -> Iterator[int]:
        """Rate block after block, each in a transaction in which `note` is first told how many matches it has.

        Yields that number after each. Raises Refused where a system can't rate what was recorded.
        """
        start: int | None = self.since
        while start is not None:
            with transaction.atomic():
                matches = list(find_history(self.mode, start)[:BLOCK])
                note(len(matches))
                end = (matches[-1].event_id or 0) + 1 if len(matches) == BLOCK else None
                self._supersede(start, end)
                facts: list[Fact] = [
                    *load_parts(matches, Participation.objects.all()).values(),
                    *_forfeits(self.mode, start, end),
                ]
                self._meet(facts)
                rows = [row for fact in sorted(facts, key=_sequence) for row in self._rows(fact)]
                copy_rows(Change, _COLUMNS, rows)
            start = end
            yield len(matches)

    def _supersede(self, start: int, end: int | None) -> None:
        """Mark what the block takes the place of, rows of voided matches included."""
        old = Change.objects.live(self.mode.generation).filter(mode=self.mode, event__gte=start, superseded_in=None)
        if end is not None:
            old = old.filter(event__lt=end)
        old.update(superseded_in=self.generation)

    def _meet(self, facts: Sequence[Fact]) -> None:
        """Take up the states from before the replay of those whom this block meets first."""
        if not self.since:
            return  # everybody begins as a newcomer
        known = {player_id for _, player_id in self._states}
        live = Change.objects.live(self.mode.generation).filter(
            player=OuterRef("player"), mode=OuterRef("mode"), season=OuterRef("season")
        )
        played = live.filter(event__lt=self.since, match__isnull=False).order_by().values("player")
        found = list(
            Rating.objects.filter(mode=self.mode, player__in=_players(facts) - known).annotate(
                first=Subquery(live.filter(event__gte=self.since).order_by("event").values("pk")[:1]),
                played=Subquery(played.annotate(last=Max("match__ended_at")).values("last")),
            )
        )
        changes = Change.objects.in_bulk([rating.first for rating in found if rating.first is not None])
        for rating in found:
            owner = (rating.season_id, rating.player_id)
            self._states[owner] = rating.state if rating.first is None else changes[rating.first].before
            self._last_played[owner] = rating.played

    def _rows(self, fact: Fact) -> Iterator[tuple[Any, ...]]:
        """The new rows of the ledger of a match or a forfeit, as _COLUMNS has them."""
        return self._rows_of_match(fact) if isinstance(fact, Play) else self._rows_of_forfeit(fact)

    def _rows_of_match(self, play: Play) -> Iterator[tuple[Any, ...]]:
        match, season_id = play.match, play.match.season_id or 0  # rated matches have one
        version, system, newcomer = self._in_force(_sequence(play))
        owners = [(season_id, part.player_id) for part in play.parts]
        befores = [self._states.get(owner, newcomer) for owner in owners]
        rated = rate_play(play, befores, system, [self._last_played.get(owner) for owner in owners])
        for index, (part, owner) in enumerate(zip(play.parts, owners, strict=True)):
            self._states[owner] = after = rated.states[index]
            self._last_played[owner] = max(filter(None, (self._last_played.get(owner), match.ended_at)))
            about = (Change.MATCH, match.event_id, match.pk, part.player_id, self.mode.pk, season_id, self.generation)
            chance = rated.chances[part.team]
            yield (*about, version.pk, rated.outcomes[index], chance, *_flat(befores[index]), *_flat(after))

    def _rows_of_forfeit(self, forfeit: Forfeit) -> Iterator[tuple[Any, ...]]:
        season_id, player_id = forfeit.season_id or 0, forfeit.player_id
        version, system, newcomer = self._in_force(_sequence(forfeit))
        states = {pk: self._states.get((season_id, pk), newcomer) for team in forfeit.teams for pk in team}
        after, chance = rate_forfeit(forfeit.teams, player_id, states, system)
        self._states[season_id, player_id] = after
        about = (Change.FORFEIT, forfeit.event_id, None, player_id, self.mode.pk, season_id, self.generation)
        yield (*about, version.pk, "", chance, *_flat(states[player_id]), *_flat(after))

    def _in_force(self, sequence: int) -> tuple[ParameterVersion, System[Any], State]:
        """The parameters at a sequence, the system that they make, and its newcomer."""
        version = self.versions.at(sequence)
        system = system_of(version)
        return version, system, system.to_state(system.newcomer())


def _forfeits(mode: Mode, start: int, end: int | None) -> QuerySet[Forfeit]:
    found = Forfeit.objects.filter(~forfeits.is_void(), mode=mode, event__gte=start)
    return found if end is None else found.filter(event__lt=end)


def _sequence(fact: Fact) -> int:
    sequence = fact.match.event_id if isinstance(fact, Play) else fact.event_id
    return sequence or 0  # only rated ones are history


def _players(facts: Sequence[Fact]) -> set[int]:
    plays = {part.player_id for fact in facts if isinstance(fact, Play) for part in fact.parts}
    return plays | {pk for fact in facts if isinstance(fact, Forfeit) for team in fact.teams for pk in team}


def _flat(state: State) -> tuple[int, float | None, float | None, float | None]:
    return state.display_hundredths, state.mu, state.sigma, state.volatility
