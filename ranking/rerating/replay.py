"""Rating a mode's history anew, from its facts, in the order of their sequence.

A replay goes through the history in blocks of steps. It reads, rates and writes one at a time, by the batch face of
rating systems: the new rows of the ledger belong to the generation that nobody reads yet, and the rows in their place
are marked as superseded by it. What it keeps is the last state of each player, and what their rating counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import QuerySet

from ranking.database.arrays import NO_TIMESTAMP, SECOND, Column, microseconds_of, write_columns
from ranking.matches.rating import rate_forfeit
from ranking.matches.records import is_void
from ranking.models import Change, Forfeit, Match, Mode, NextPlace
from ranking.rerating.blocks import Block, load_block
from ranking.rerating.counts import Counts
from ranking.rerating.order import ReplayOrder, Versions
from ranking.rerating.rated_players import RatedPlayers, Starts, find_starts
from ranking.systems.base import System
from ranking.systems.batch.history import History, history_from, latest_before, outcomes_of
from ranking.systems.batch.states import States, states_of
from ranking.systems.replay.replaying import replay as replay_batch

BLOCK = 1_000  # steps of history a transaction, so that none takes longer than about a second
SEATS = 10_000  # participations, for the same reason

_OUTCOMES = np.array([Change.WIN, Change.DRAW, Change.LOSS, Change.LEFT])
_DAY = 86_400 * SECOND


def find_history(mode: Mode, since: int) -> QuerySet[Match]:
    """The rated matches that count, from a sequence on."""
    return Match.objects.filter(~is_void(), mode=mode, event__gte=since)


@dataclass(frozen=True, slots=True)
class _Played:
    """A stretch with its `history`; by participation the owner's number, by match its sequence and parameters'."""

    stretch: Block
    history: History
    owner: Column
    sequence: Column
    version: Column


@dataclass(slots=True)
class Replay:
    """From the sequence `since` on (0 = all of it), as the generation after the mode's."""

    mode: Mode
    since: int
    course: ReplayOrder
    versions: Versions
    owners: RatedPlayers = field(init=False)
    starts: Starts = field(init=False)
    states: States = field(init=False)
    tally: Counts = field(init=False)
    _last_match: Column = field(init=False)

    def __post_init__(self) -> None:
        self.owners = RatedPlayers.of(self.mode)
        self.starts = find_starts(self.mode, self.since, self.owners, with_times=self._with_times)
        self.states, self._last_match = self.starts.states.copy(), self.starts.last_match.copy()
        self.tally = Counts.of_nobody(len(self.owners))

    @property
    def generation(self) -> int:
        return self.mode.generation + 1

    @property
    def _with_times(self) -> bool:
        """Does it matter when everybody last played?"""
        return self.versions.count_idle_days or len(self.course.moved) > 0

    def blocks(self, note: Callable[[int], None]) -> Iterator[int]:
        """Rate block after block, each in a transaction in which `note` is first told how many matches it has.

        Yields that number after each. Raises Refused where a system can't rate what was recorded.
        """
        size = max(1, min(BLOCK, SEATS // (self.mode.team_count * self.mode.team_size_max)))
        for start in range(0, len(self.course.events), size):
            events = self.course.events[start : start + size]
            with transaction.atomic():
                stretch = load_block(events, with_stats=self.versions.count_stats)
                note(len(stretch.match))
                old = Change.objects.live(self.mode.generation).filter(event__in=events.tolist(), superseded_in=None)
                old.update(superseded_in=self.generation)
                self._rate(stretch)
            yield len(stretch.match)

    def _rate(self, stretch: Block) -> None:
        """Rate a stretch and write its rows; the matches between two forfeits go together."""
        played, first = self._played(stretch), 0
        for until, event, forfeit in [*stretch.dropped, (len(stretch.match), 0, None)]:
            if first < until:
                self._rate_matches(played, first, until)
                first = until
            if forfeit is not None:
                self._rate_forfeit(forfeit, int(self.course.sequence_of(np.array([event]))[0]))

    def _played(self, stretch: Block) -> _Played:
        parts = stretch.parts
        owner = self.owners.of_them(stretch.season[parts["number"]], parts["player_id"])
        history = history_from(
            match=parts["number"],
            team=parts["team"],
            player=owner,
            stats=parts.get("stats"),
            **stretch.by_match,
            **stretch.by_team,
            **{name: parts.get(name) for name in ("seconds", "left_early", "rounds_played", "party", "has_stats")},
            idle_days=self._idle_days(stretch, owner) if self._with_times else None,
        )
        sequence = self.course.sequence_of(stretch.event)
        return _Played(stretch, history, owner, sequence, self.versions.at(sequence))

    def _idle_days(self, stretch: Block, owner: Column) -> Column:
        """Since everyone's last match. Those that are late in their new place, too, are marked so."""
        number = stretch.parts["number"]
        ended_at = stretch.ended_at[number]
        last = latest_before(owner, ended_at, self._last_match)
        np.maximum.at(self._last_match, owner, ended_at)
        late = np.unique(stretch.event[number[last > ended_at]])
        if len(self.course.moved) and len(late):
            NextPlace.objects.filter(event__in=late.tolist()).update(late=True)
        return np.where(last == NO_TIMESTAMP, 0.0, np.maximum(ended_at - last, 0) / _DAY)

    def _rate_matches(self, played: _Played, first: int, until: int) -> None:
        stretch, history = played.stretch, played.history
        seats = slice(*history.match_starts[[first, until]].tolist())
        number, owner = stretch.parts["number"][seats], played.owner[seats]
        who, player = np.unique(owner, return_inverse=True)
        part = replace(history.part(first, until), player=player)
        replayed = replay_batch(self._segments(played.version[first:until]), part, self.states.take(who))
        self.states.set(who, replayed.final)
        outcome, ended_at = outcomes_of(part), stretch.ended_at[number]
        self.tally.note_matches(owner, outcome, ended_at)
        before, after = replayed.before, replayed.after
        self.tally.note_moves(owner, before.display_hundredths != after.display_hundredths, ended_at)
        self._write(
            kind=Change.MATCH,
            event_id=played.sequence[number],
            match_id=stretch.match[number],
            player_id=stretch.parts["player_id"][seats],
            season_id=stretch.season[number],
            parameters_id=np.array([version.pk for version in self.versions.versions])[played.version[number]],
            outcome=_OUTCOMES[outcome],
            win_probability=np.repeat(replayed.chance, np.diff(part.starts)),
            **_columns("before", before),
            **_columns("after", after),
        )

    def _segments(self, version: Column) -> list[tuple[int, System[Any]]]:
        edges = [0, *(np.flatnonzero(np.diff(version)) + 1).tolist()]
        return [(edge, self.versions.systems[version[edge]]) for edge in edges]

    def _rate_forfeit(self, forfeit: Forfeit, sequence: int) -> None:
        players = np.array([pk for team in forfeit.teams for pk in team])
        owners = self.owners.of_them(np.full(len(players), forfeit.season_id or 0), players)
        version = int(self.versions.at(np.array([sequence]))[0])
        system = self.versions.systems[version]
        newcomer = system.to_state(system.newcomer())
        states = {
            int(player): self.states[owner] if self.states.known[owner] else newcomer
            for player, owner in zip(players, owners, strict=True)
        }
        after, chance = rate_forfeit(forfeit.teams, forfeit.player_id, states, system)
        own, before = owners[players == forfeit.player_id], states[forfeit.player_id]
        self.states.put(own, after)
        moved = np.array([before.display_hundredths != after.display_hundredths])
        self.tally.note_moves(own, moved, np.array([microseconds_of(forfeit.happened_at)]))
        self._write(
            kind=Change.FORFEIT,
            event_id=np.array([sequence]),
            player_id=forfeit.player_id,
            season_id=forfeit.season_id,
            parameters_id=self.versions.versions[version].pk,
            outcome="",
            win_probability=np.nan if chance is None else chance,
            **_columns("before", states_of([before])),
            **_columns("after", states_of([after])),
        )

    def _write(self, **columns: Any) -> None:
        write_columns(Change, {**columns, "mode_id": self.mode.pk, "generation": self.generation})


def _columns(when: str, states: States) -> dict[str, Column]:
    """A change's columns that hold these states."""
    hidden = {f"{name}_{when}": getattr(states, name) for name in ("mu", "sigma", "volatility")}
    return {f"display_{when}": states.display_hundredths, **hidden}
