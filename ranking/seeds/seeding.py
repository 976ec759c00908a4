"""Writes ratings that players bring along: each is a fact, a row of the ledger of kind `seed`, and a rating.

A batch is one transaction that holds the mode, so no result comes between the check and the write. Stopped at any
point, the next run finds what is written and goes on. A player of an earlier season gets their reset first.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction

from ranking.database import locks
from ranking.database.arrays import Column, write_columns
from ranking.database.bulk_writes import insert_copies, insert_rows, update_rows, values_of
from ranking.database.retries import retried
from ranking.models import Change, Event, Mode, Rating, Seed
from ranking.models.change import ledger_columns, state_columns
from ranking.modes.parameters import Rules, rules_in_force
from ranking.modes.season_entries import find_entries, reset_row
from ranking.operations.audit import record_act
from ranking.players.players import ensure_named
from ranking.seeds.planning import Plan, PlannedSeed, find_hindrance, sort_out
from ranking.standings.activity import active_until
from ranking.systems.base import Refused
from ranking.systems.batch.states import states_of
from ranking.validation.rating_files import LineFault

BATCH = 1_000  # lines a transaction
WRITTEN = (
    "display_hundredths", "mu", "sigma", "volatility", "skill_matches", "reached_at", "seeded_matches", "placed_at",
    "active_until", "to_publish",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """How many of a batch's lines were written now, how many before, and which were left out: somebody has played
    since the plan was made.
    """

    written: int
    known: int
    faults: Sequence[LineFault]


def seed_players(
    plan: Plan, *, by: User | None, reason: str, now: dt.datetime, batch: int = BATCH
) -> Iterator[BatchOutcome]:
    """Carry out a plan without faults, a batch in a transaction; yields what became of each batch.

    Raises Refused if the mode is being rated anew, or its season has ended.
    """
    if plan.faults:
        raise ValueError("A plan with faults isn't carried out.")
    turns = locks.Turns()
    for start in range(0, len(plan.seeds), batch):
        yield _write(plan, plan.seeds[start : start + batch], by, reason, now)
        turns.pause()


@retried
@transaction.atomic
def _write(plan: Plan, seeds: Sequence[PlannedSeed], by: User | None, reason: str, now: dt.datetime) -> BatchOutcome:
    locks.hold_mode(plan.mode.slug)
    rules = rules_in_force([plan.mode.slug])[plan.mode.slug]
    if hindrance := find_hindrance(rules, plan, now):
        raise Refused(hindrance)
    sorted_seeds = sort_out(seeds, plan.season, placed=plan.placed)
    left_out = {fault.number for fault in sorted_seeds.faults}
    new = [seed for seed in seeds if seed.key not in sorted_seeds.written and seed.line not in left_out]
    if new:
        newcomers = {seed.key: seed.name for seed in new if seed.key not in sorted_seeds.owners}
        owners = {**sorted_seeds.owners, **ensure_named(newcomers, now)}
        _write_new({owners[seed.key]: seed for seed in new}, rules, plan.placed, now)
        lines = f"lines {new[0].line} to {new[-1].line}"
        record_act("seed", f"{plan.mode.slug}: {len(new):,} ratings, {lines}", by=by, reason=reason, now=now)
    return BatchOutcome(len(new), len(sorted_seeds.written), sorted_seeds.faults)


def _write_new(seeds: dict[int, PlannedSeed], rules: Rules, placed: bool, now: dt.datetime) -> None:
    """Write the seeds of these players, by id, in their order."""
    mode, season, players = rules.mode, rules.season_id, list(seeds)
    ratings = {row.player_id: row for row in Rating.objects.filter(season=season, player__in=players)}
    entries = find_entries([player for player in players if player not in ratings], rules)
    insert_rows([reset_row(player, entry, rules) for player, entry in entries.items()])
    newcomer = rules.system.to_state(rules.system.newcomer())
    known = {player: row.state for player, row in ratings.items()}
    known |= {player: entry.after for player, entry in entries.items()}
    before = states_of(known.get(player, newcomer) for player in players)
    after = states_of(seed.state for seed in seeds.values())
    matches = np.array([seed.matches for seed in seeds.values()])
    who = {"player_id": np.array(players), "mode_id": mode.pk, "season_id": season}
    event = Event(mode_id=mode.pk, kind=Event.SEED, happened_at=now)
    what = {**who, "event_id": np.array(insert_copies(event, len(seeds))), "parameters_id": rules.parameters.pk}
    write_columns(Seed, {**what, **state_columns(after), "matches": matches, "placed": placed})
    both = {**ledger_columns("before", before), **ledger_columns("after", after)}
    write_columns(Change, {**what, **both, "kind": Change.SEED, "generation": mode.generation, "outcome": ""})
    carried = np.array([player in entries and entries[player].carried for player in players])
    own = {**who, **state_columns(after), "carried": carried, "seeded_matches": matches}
    _insert_ratings(own, np.array([player not in ratings for player in players]), mode, placed, now)
    for player, rating in ratings.items():
        rating.state, rating.seeded_matches = seeds[player].state, seeds[player].matches
        _begin(rating, mode, placed, now)
    update_rows(list(ratings.values()), WRITTEN)


def _insert_ratings(columns: dict[str, object], entering: Column, mode: Mode, placed: bool, now: dt.datetime) -> None:
    """Insert the ratings of those players who have none in the season yet: where `entering` is true."""
    new = {
        name: column[entering] if isinstance(column, np.ndarray) else column for name, column in columns.items()
    }  # fmt: skip
    rating = Rating()
    _begin(rating, mode, placed, now)
    write_columns(Rating, {**values_of(rating), **new})


def _begin(rating: Rating, mode: Mode, placed: bool, now: dt.datetime) -> None:
    """Set what a rating that was brought along begins with, beside its state and its matches."""
    rating.reached_at, rating.to_publish, rating.placed_at = now, True, now if placed else None
    rating.active_until = active_until(rating.recent_completions, mode, rating.placed_at)
