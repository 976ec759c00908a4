"""Writes ratings that players bring along: each is a fact, a row of the ledger of kind `seed`, and a rating.

A batch is one transaction that holds the mode, so no result comes between the check and the write. Stopped at any
point, the next run finds what is written and goes on. A player of an earlier season gets their reset first.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from ranking.database import locks
from ranking.database.bulk_writes import insert_rows, update_rows
from ranking.database.retries import retried
from ranking.models import Change, Event, Player, Rating, Seed
from ranking.models.change import states_of
from ranking.modes.parameters import Rules, rules_in_force
from ranking.modes.season_entries import find_entries, reset_row
from ranking.operations.audit import record_act
from ranking.players.players import ensure_named
from ranking.seeds.planning import Plan, PlannedSeed, find_hindrance, sort_out
from ranking.standings.activity import active_until
from ranking.systems.base import Refused
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
    known, faults = sort_out(seeds, plan.season, placed=plan.placed)
    left_out = {fault.number for fault in faults}
    new = [seed for seed in seeds if seed.key not in known and seed.line not in left_out]
    if new:
        players = ensure_named({seed.key: seed.name for seed in new}, now)
        _write_new({players[seed.key].owner: seed for seed in new}, rules, plan.placed, now)
        lines = f"lines {new[0].line} to {new[-1].line}"
        record_act("seed", f"{plan.mode.slug}: {len(new):,} ratings, {lines}", by=by, reason=reason, now=now)
    return BatchOutcome(len(new), len(known), faults)


def _write_new(seeds: dict[Player, PlannedSeed], rules: Rules, placed: bool, now: dt.datetime) -> None:
    """Write the seeds of these players, in their order."""
    mode, season = rules.mode, rules.season_id
    ratings = {row.player_id: row for row in Rating.objects.filter(season=season, player__in=seeds)}
    known = list(ratings.values())
    entries = find_entries([player.pk for player in seeds if player.pk not in ratings], rules)
    newcomer = rules.system.to_state(rules.system.newcomer())
    events = [Event(mode_id=mode.pk, kind=Event.SEED, happened_at=now) for _ in seeds]
    insert_rows(events, returning=True)
    facts, changes, new = [], [], []
    for (player, seed), event in zip(seeds.items(), events, strict=True):
        rating = ratings.get(player.pk)
        if rating is None:
            rating = Rating(player_id=player.pk, mode_id=mode.pk, season_id=season, reached_at=now)
            entry = entries.get(player.pk)
            rating.state = newcomer if entry is None else entry.after
            if entry is not None:
                rating.carried = entry.carried
                changes.append(reset_row(player.pk, entry, rules))
            new.append(rating)
        facts.append(_fact(player, seed, event, rules, placed))
        changes.append(
            Change(
                kind=Change.SEED, event_id=event.pk, player_id=player.pk, mode_id=mode.pk, season_id=season,
                generation=mode.generation, parameters_id=rules.parameters.pk,
                **states_of(rating.state, seed.state),
            )
        )  # fmt: skip
        rating.state, rating.reached_at, rating.to_publish = seed.state, now, True
        rating.seeded_matches, rating.placed_at = seed.matches, now if placed else None
        rating.active_until = active_until(rating.recent_completions, mode, rating.placed_at)
    insert_rows(facts)
    insert_rows(changes)
    insert_rows(new)
    update_rows(known, WRITTEN)


def _fact(player: Player, seed: PlannedSeed, event: Event, rules: Rules, placed: bool) -> Seed:
    return Seed(
        event_id=event.pk, mode_id=rules.mode.pk, season_id=rules.season_id, player_id=player.pk,
        parameters_id=rules.parameters.pk, display_hundredths=seed.state.display_hundredths, mu=seed.state.mu,
        sigma=seed.state.sigma, volatility=seed.state.volatility, skill_matches=seed.state.skill_matches,
        matches=seed.matches, placed=placed,
    )  # fmt: skip
