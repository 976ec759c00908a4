"""Matches and forfeits that were recorded only: while their mode was being rated anew, or after their season's end."""

import datetime as dt
import functools
from collections.abc import Sequence

from django.db import transaction

from ranking.matches import forfeits, ledger
from ranking.matches.rating_locks import Pair, attempt
from ranking.matches.records import MatchRecord, is_void, load_parts
from ranking.models import Match, Mode, Rating
from ranking.modes.parameters import rules_in_force
from ranking.modes.row_locks import lock_modes

BATCH = 100  # of each a transaction


def rate_recorded(mode: Mode, *, now: dt.datetime) -> int:
    """Rate the oldest BATCH matches and BATCH forfeits that were recorded only; returns how many there were.

    Those from after the current season's end go on waiting: they belong to the next one.
    """
    return attempt(functools.partial(_rate_recorded, mode, now, set()))


@transaction.atomic
def _rate_recorded(mode: Mode, now: dt.datetime, unrated: set[Pair]) -> int:
    rules = rules_in_force([mode.slug])[mode.slug]
    lock_modes([mode.pk])  # nobody voids a match that is being rated
    matches = Match.objects.filter(~is_void(), mode=mode, event=None).order_by("id")
    dropped = forfeits.find_waiting(mode)
    if rules.ends_at is not None:
        matches, dropped = matches.filter(ended_at__lt=rules.ends_at), dropped.filter(happened_at__lt=rules.ends_at)
    records = list(load_parts(matches.select_related("mode")[:BATCH]).values())
    unrated |= _find_unrated(mode, rules.season_id, records)
    ledger.rate_matches(records, {mode.pk: rules}, now=now, unrated=unrated)
    waiting = list(dropped[:BATCH])
    forfeits.rate_forfeits(waiting, rules, now=now, unrated=unrated)
    return len(records) + len(waiting)


def _find_unrated(mode: Mode, season_id: int, records: Sequence[MatchRecord]) -> set[Pair]:
    """The players of these matches without a rating in the season. It is young, so most batches have some."""
    players = {part.player_id for record in records for part in record.parts}
    rated = Rating.objects.filter(mode=mode, season=season_id, player__in=players).values_list("player", flat=True)
    return {(mode.pk, player) for player in players.difference(rated)}
