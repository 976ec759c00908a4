"""Rates a mode's history anew from its facts, in the order of a `ReplayOrder`.

The facts are matches, forfeits, ratings that players brought along, and ends of seasons.

A replay reads, rates and writes one block of steps at a time, through the kernels of rating systems. Its new rows of
the ledger belong to a generation that nobody reads yet; the rows that they replace are marked as superseded by it. It
keeps the last state of each player and the counts of each rating.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from django.db import transaction

from ranking.database.arrays import Column, write_columns
from ranking.database.microseconds import microseconds_of
from ranking.matches.rating import rate_forfeit
from ranking.models import Change, Forfeit, Mode, Seed
from ranking.models.change import ledger_columns
from ranking.rerating._blocks import Block, load_block
from ranking.rerating._counts import Counts
from ranking.rerating._order import ReplayOrder, Versions
from ranking.rerating._rated_players import RatedPlayers, Starts, find_starts
from ranking.rerating.earlier_matches import EarlierMatches
from ranking.rerating.mode_states import Facts, Learning
from ranking.rerating.season_ends import Seasons
from ranking.rerating.seeds import seed_columns, seeded_matches
from ranking.systems.batch.history import History, history_from, outcomes_of
from ranking.systems.batch.states import States, states_of

# Of a transaction. A long job has the least priority, and results wait while it has the database's locks, so a
# transaction takes at most 0.2 s of processor time.
BLOCK = 200  # steps of history
SEATS = 2_000  # participations
_IN_HISTORY = ("seconds", "joined_at", "left_early", "rounds_played", "party", "has_stats")  # of a block's parts
_OUTCOMES = np.array([Change.WIN, Change.DRAW, Change.LOSS, Change.LEFT])


@dataclass(frozen=True, slots=True)
class _RatableBlock:
    """A block of matches that is ready to be rated, with its `history`."""

    block: Block
    history: History
    rated: Column  # by participation: the index of the rated player
    facts: Facts


@dataclass(slots=True)
class Replay:
    """A replay from the sequence `since` on (0 = the whole history), into the generation after the mode's."""

    mode: Mode
    since: int
    order: ReplayOrder
    versions: Versions
    learning: Learning
    rated_players: RatedPlayers = field(init=False)
    starts: Starts = field(init=False)
    states: States = field(init=False)
    counts: Counts = field(init=False)
    carried: Column = field(init=False)
    seasons: Seasons = field(init=False)
    _earlier: EarlierMatches = field(init=False)

    def __post_init__(self) -> None:
        self.rated_players = RatedPlayers.of(self.mode)
        matches = self.versions.count_matches
        self.starts = find_starts(
            self.mode, self.since, self.rated_players, with_times=self._with_times, with_matches=matches
        )
        if matches:
            self.starts.matches[:] += seeded_matches(self.mode, self.rated_players)
        self.states = self.starts.states.copy()
        self.counts = Counts.of_nobody(len(self.rated_players))
        self.carried = self.starts.carried.copy()
        self.seasons = Seasons.of(self.mode, self.versions)
        self._earlier = EarlierMatches(self.starts, self.counts, self.seasons, len(self.order.moved) > 0)

    @property
    def generation(self) -> int:
        return self.mode.generation + 1

    @property
    def _with_times(self) -> bool:
        """True if it matters when players last played."""
        return self.versions.count_idle_days or len(self.order.moved) > 0

    def blocks(self, note: Callable[[int], None], block_size: int = BLOCK) -> Iterator[int]:
        """Rate one block after another, each in a transaction of its own; yield each block's number of matches.

        `note` is called with that number first in each transaction. Raises Refused if a system can't rate a match.
        """
        size = max(1, min(block_size, SEATS // (self.mode.team_count * self.mode.team_size_max)))
        is_end = np.isin(self.order.events, self.seasons.events)
        begin = 0
        for stop in [*np.flatnonzero(is_end).tolist(), len(self.order.events)]:
            for start in range(begin, stop, size):
                yield self._replay(self.order.events[start : min(start + size, stop)], note)
            if stop < len(self.order.events):
                yield from self._end_season(int(self.order.events[stop]), note, size)
            begin = stop + 1

    def _replay(self, events: Column, note: Callable[[int], None]) -> int:
        with transaction.atomic():
            block = load_block(events, with_stats=self.versions.count_stats)
            note(len(block.match))
            self.supersede(events.tolist())
            self._rate(block)
        return len(block.match)

    def supersede(self, events: list[int], **more: object) -> None:
        """Mark the present rows of these events as superseded; `more`: filters of rows."""
        old = Change.objects.live(self.mode.generation).filter(event__in=events, superseded_in=None, **more)
        old.update(superseded_in=self.generation)

    def _end_season(self, event: int, note: Callable[[int], None], size: int) -> Iterator[int]:
        """Reset the players of the season after this end, a block in a transaction; yield 0 for each block."""
        numbers = self.rated_players.numbers_in(self.seasons.following(event))
        in_ledger = self.starts.in_ledger | self.counts.in_ledger
        for start in range(0, len(numbers), size):
            with transaction.atomic():
                note(0)
                self._reset(event, numbers[start : start + size], in_ledger)
            yield 0

    def _reset(self, event: int, numbers: Column, in_ledger: Column) -> None:
        """Reset those of these players who have a row in an earlier season."""
        self.supersede([event], player__in=self.rated_players.players_of(numbers).tolist())
        numbers = numbers[self.rated_players.enter[numbers]]
        players = self.rated_players.players_of(numbers)
        resets = self.seasons.resets(event, players, self.rated_players, in_ledger, self.states)
        end = self.seasons.end_of(event)
        own = numbers[resets.entering]
        self.states.set(own, resets.after)
        self.carried[own] = resets.carried
        self.counts.note_moves(own, np.ones(len(own), bool), np.full(len(own), microseconds_of(end.at)))
        self._write(
            kind=Change.RESET,
            event_id=np.repeat(self.order.sequence_of(np.array([event])), len(own)),
            player_id=players[resets.entering],
            season_id=self.seasons.following(event),
            parameters_id=end.parameters.pk,
            before=resets.before,
            after=resets.after,
        )

    def _rate(self, block: Block) -> None:
        """Rate a block and write its rows; the matches between two forfeits are rated at once."""
        ready, first = self._make_ready(block), 0
        for until, fact in [*block.others, (len(block.match), [])]:
            if first < until:
                self._rate_matches(ready, first, until)
                first = until
            if isinstance(fact, Forfeit):
                self._rate_forfeit(fact)
            elif fact:
                self._seed(fact)

    def _make_ready(self, block: Block) -> _RatableBlock:
        parts = block.parts
        rated = self.rated_players.numbers_of(block.season[parts["number"]], parts["player_id"])
        history = history_from(
            match=parts["number"],
            team=parts["team"],
            player=rated,
            stats=parts.get("stats"),
            **block.by_match,
            **block.by_team,
            **{name: parts.get(name) for name in _IN_HISTORY},
            idle_days=self._earlier.idle_days(block, rated) if self._with_times else None,
            matches_before=self._earlier.matches_before(rated) if self.versions.count_matches else None,
        )
        sequence = self.order.sequence_of(block.event)
        facts = Facts(self.versions.at(sequence), sequence, block.named)
        return _RatableBlock(block, replace(history, variants=block.variants), rated, facts)

    def _rate_matches(self, ready: _RatableBlock, first: int, until: int) -> None:
        block, history = ready.block, ready.history
        seats = slice(*history.match_starts[[first, until]].tolist())
        number, rated = block.parts["number"][seats], ready.rated[seats]
        present, player = np.unique(rated, return_inverse=True)
        part = replace(history.part(first, until), player=player)
        replayed = self.learning.rate(ready.facts.part(first, until), part, self.states.take(present))
        self.states.set(present, replayed.final)
        outcome = outcomes_of(part, block.parts["place"][seats])
        ended_at = block.ended_at[number]
        placed = [block.parts[name][seats] for name in ("place", "places", "brief")]
        self.counts.note_matches(rated, outcome, ended_at, *placed)
        before, after = replayed.before, replayed.after
        self.counts.note_moves(rated, before.display_hundredths != after.display_hundredths, ended_at)
        self._write(
            kind=Change.MATCH,
            event_id=ready.facts.sequence[number],
            match_id=block.match[number],
            player_id=block.parts["player_id"][seats],
            season_id=block.season[number],
            parameters_id=np.array([version.pk for version in self.versions.versions])[ready.facts.version[number]],
            outcome=_OUTCOMES[outcome],
            win_probability=np.repeat(replayed.chance, np.diff(part.starts)),
            before=before,
            after=after,
        )

    def _seed(self, seeds: list[Seed]) -> None:
        """Set ratings that players brought along, one after another."""
        rated, at, columns = seed_columns(seeds, self.rated_players, self.states, self.versions)
        self.states.set(rated, columns["after"])
        self.counts.note_moves(rated, np.ones(len(rated), bool), at)
        self._write(kind=Change.SEED, **columns)

    def _rate_forfeit(self, forfeit: Forfeit) -> None:
        sequence = int(self.order.sequence_of(np.array([forfeit.event_id]))[0])
        players = np.array([pk for team in forfeit.teams for pk in team])
        rated = self.rated_players.numbers_of(np.full(len(players), forfeit.season_id or 0), players)
        named = np.array([forfeit.mode_state_id or -1])
        facts = Facts(self.versions.at(np.array([sequence])), np.array([sequence]), named)
        version, system = int(facts.version[0]), self.learning.system_of(facts)
        newcomer = system.to_state(system.newcomer())
        states = {
            int(player): self.states[index] if self.states.known[index] else newcomer
            for player, index in zip(players, rated, strict=True)
        }
        own, before = rated[players == forfeit.player_id], states[forfeit.player_id]
        matches = int(self._earlier.matches_of(own)[0])
        after, chance = rate_forfeit(forfeit.teams, forfeit.player_id, states, system, matches)
        self.states.put(own, after)
        moved = np.array([before.display_hundredths != after.display_hundredths])
        self.counts.note_moves(own, moved, np.array([microseconds_of(forfeit.happened_at)]))
        self._write(
            kind=Change.FORFEIT,
            event_id=np.array([sequence]),
            player_id=forfeit.player_id,
            season_id=forfeit.season_id,
            parameters_id=self.versions.versions[version].pk,
            win_probability=np.nan if chance is None else chance,
            before=states_of([before]),
            after=states_of([after]),
        )

    def _write(self, *, before: States, after: States, **columns: Any) -> None:
        """Write rows of the ledger; `outcome` and `win_probability` are those of matches and forfeits."""
        common = {"mode_id": self.mode.pk, "generation": self.generation, "outcome": "", "win_probability": np.nan}
        write_columns(
            Change, {**common, **columns, **ledger_columns("before", before), **ledger_columns("after", after)}
        )
