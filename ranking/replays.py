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
from django.db.models import Exists, Max, OuterRef, QuerySet, Subquery

from ranking.inserts import copy_rows
from ranking.models import Change, Match, Mode, ParameterVersion, Rating, Void
from ranking.modes import system_of
from ranking.plays import Play, load_parts, rate_play
from ranking.systems.base import State

BLOCK = 500  # matches a transaction, so that none takes longer than about a second

Owner = tuple[int, int]  # season and player

_COLUMNS = (
    "kind", "event_id", "match_id", "player_id", "mode_id", "season_id", "generation", "parameters_id", "outcome",
    "win_probability", "display_before", "mu_before", "sigma_before", "volatility_before",
    "display_after", "mu_after", "sigma_after", "volatility_after",
)  # fmt: skip


def is_void() -> Exists:
    """A condition on matches: taken out of the history."""
    return Exists(Void.objects.filter(match=OuterRef("pk"), lifted_at=None))


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
                self._meet(matches)
                plays = load_parts(matches).values()
                copy_rows(Change, _COLUMNS, [row for play in plays for row in self._rows(play)])
            start = end
            yield len(matches)

    def _supersede(self, start: int, end: int | None) -> None:
        """Mark what the block takes the place of, rows of voided matches included."""
        old = Change.objects.live(self.mode.generation).filter(mode=self.mode, event__gte=start, superseded_in=None)
        if end is not None:
            old = old.filter(event__lt=end)
        old.update(superseded_in=self.generation)

    def _meet(self, matches: Sequence[Match]) -> None:
        """Take up the states from before the replay of those whom this block meets first."""
        if not self.since or not matches:
            return  # everybody begins as a newcomer
        ratings = Rating.objects.filter(mode=self.mode, player__participations__match__in=matches).distinct()
        live = Change.objects.live(self.mode.generation).filter(
            player=OuterRef("player"), mode=OuterRef("mode"), season=OuterRef("season")
        )
        played = live.filter(event__lt=self.since, match__isnull=False).order_by().values("player")
        found = list(
            ratings.annotate(
                first=Subquery(live.filter(event__gte=self.since).order_by("event").values("pk")[:1]),
                played=Subquery(played.annotate(last=Max("match__ended_at")).values("last")),
            )
        )
        changes = Change.objects.in_bulk([rating.first for rating in found if rating.first is not None])
        for rating in found:
            owner = (rating.season_id, rating.player_id)
            if owner not in self._states:
                self._states[owner] = rating.state if rating.first is None else changes[rating.first].before
                self._last_played[owner] = rating.played

    def _rows(self, play: Play) -> Iterator[tuple[Any, ...]]:
        """A match's new rows of the ledger, as _COLUMNS has them."""
        match = play.match
        assert match.event_id is not None  # noqa: S101 - only rated matches are history
        assert match.season_id is not None  # noqa: S101
        version = self.versions.at(match.event_id)
        system = system_of(version)
        owners = [(match.season_id, part.player_id) for part in play.parts]
        newcomer = system.to_state(system.newcomer())
        befores = [self._states.get(owner, newcomer) for owner in owners]
        rated = rate_play(play, befores, system, [self._last_played.get(owner) for owner in owners])
        for index, (part, owner) in enumerate(zip(play.parts, owners, strict=True)):
            before, after = befores[index], rated.states[index]
            self._states[owner] = after
            self._last_played[owner] = max(filter(None, (self._last_played.get(owner), match.ended_at)))
            yield (
                Change.MATCH, match.event_id, match.pk, part.player_id, self.mode.pk, match.season_id, self.generation,
                version.pk, rated.outcomes[index], rated.chances[part.team],
                before.display_hundredths, before.mu, before.sigma, before.volatility,
                after.display_hundredths, after.mu, after.sigma, after.volatility,
            )  # fmt: skip
