"""Takes back ratings that players brought along, as long as nobody of them has played and no forfeit rests on them.

A batch is one transaction that holds the mode; stopped at any point, the next run goes on.
"""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterator, Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from ranking.database import locks
from ranking.database.bulk_writes import update_rows
from ranking.database.retries import retried
from ranking.models import Change, Event, Forfeit, Mode, Rating, Season, Seed
from ranking.modes.parameters import rules_in_force
from ranking.operations.audit import record_act
from ranking.seeds.seeding import BATCH, WRITTEN
from ranking.standings.activity import active_until
from ranking.systems.base import Refused


def withdraw_seeds(
    mode: Mode, keys: Sequence[str], *, by: User | None, reason: str, now: dt.datetime, batch: int = BATCH
) -> Iterator[int]:
    """Take back what these players, by their keys, brought along into the running season; yields the number of each
    batch. Raises Refused, before anything is taken back if one of them has played.
    """
    season = Season.objects.get(mode=mode, current=True)
    for start in range(0, len(keys), batch):
        _check_nobody_played(_seeds_of(season, keys[start : start + batch]))
    turns = locks.Turns()
    for start in range(0, len(keys), batch):
        yield _withdraw(mode, season, keys[start : start + batch], by, reason, now)
        turns.pause()


def _seeds_of(season: Season, keys: Sequence[str]) -> list[Seed]:
    owned = Q(player__key__in=keys) | Q(player__aliases__key__in=keys)
    return list(Seed.objects.filter(owned, season=season).select_related("player", "event").distinct().order_by("pk"))


def _check_nobody_played(seeds: Sequence[Seed]) -> None:
    """Raise Refused if a rating rests on one of these: its player's own, or that of who dropped out of their lobby."""
    names = {seed.player_id: seed.player.key for seed in seeds}
    played = Change.objects.live().filter(player__in=names, kind__in=[Change.MATCH, Change.FORFEIT])
    first = played.filter(season__in={seed.season_id for seed in seeds}).order_by("event").first()
    if first is not None:
        raise Refused(f"{names[first.player_id]!r} has played since, so nothing is taken back.")
    begun = {seed.player_id: seed.event_id for seed in seeds}
    for event, lobby, teams in _forfeits_since(seeds):
        for player in itertools.chain(*teams):
            if begun.get(player, event) < event:
                raise Refused(
                    f"{names[player]!r} has been in lobby {lobby} since, which ended with a forfeit,"
                    " so nothing is taken back."
                )


def _forfeits_since(seeds: Sequence[Seed]) -> list[tuple[int, str, list[list[int]]]]:
    """The rated forfeits since the first of these, all of one mode: sequence, lobby and teams."""
    if not seeds:
        return []
    rated = Exists(Change.objects.live().filter(event=OuterRef("event")))
    begun = min(seed.event_id for seed in seeds)
    forfeits = Forfeit.objects.filter(rated, mode=seeds[0].mode_id, event__gt=begun).order_by("event")
    return [(event or 0, lobby, teams) for event, lobby, teams in forfeits.values_list("event", "lobby", "teams")]


@retried
@transaction.atomic
def _withdraw(
    mode: Mode, season: Season, keys: Sequence[str], by: User | None, reason: str, now: dt.datetime
) -> int:  # fmt: skip
    locks.hold_mode(mode.slug)
    rules = rules_in_force([mode.slug])[mode.slug]
    if rules.lease or rules.waits(now) or rules.season_id != season.pk:
        raise Refused(f"{mode.slug} is being rated anew, or its season ends: do it again when that is done.")
    seeds = _seeds_of(season, keys)
    if not seeds:
        return 0
    _check_nobody_played(seeds)
    events, players = [seed.event_id for seed in seeds], [seed.player_id for seed in seeds]
    live = Change.objects.live(rules.mode.generation).filter(season=season, player__in=players)
    before = {row.player_id: row.before for row in live.filter(event__in=events)}
    entered = set(live.filter(kind=Change.RESET).values_list("player", flat=True))
    ratings = list(Rating.objects.filter(season=season, player__in=players))
    for rating in ratings:
        rating.state = before[rating.player_id]
        if rating.player_id in entered:
            rating.reached_at = season.starts_at
        rating.seeded_matches, rating.placed_at, rating.to_publish = 0, None, True
        rating.active_until = active_until(rating.recent_completions, rules.mode, None)
    update_rows(ratings, WRITTEN)
    Change.objects.filter(event__in=events).delete()
    Seed.objects.filter(pk__in=[seed.pk for seed in seeds]).delete()
    Event.objects.filter(pk__in=events).delete()
    subject = f"{mode.slug}: {len(seeds):,} ratings"
    record_act("take back seeds", subject, by=by, reason=reason, now=now)
    return len(seeds)
