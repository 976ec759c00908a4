"""Matches and forfeits that were recorded while their mode was being rated anew: they are rated when that ends."""

import datetime as dt
import functools

from django.db import transaction

from ranking.matches import forfeits, ledger
from ranking.matches.rating_locks import Pair, attempt
from ranking.matches.records import is_void, load_parts
from ranking.models import Match, Mode
from ranking.modes.parameters import rules_in_force
from ranking.modes.row_locks import lock_modes

BATCH = 100  # of each a transaction


def rate_recorded(mode: Mode, *, now: dt.datetime) -> int:
    """Rate the oldest BATCH matches and BATCH forfeits that were recorded only; returns how many there were."""
    return attempt(functools.partial(_rate_recorded, mode, now, set()))


@transaction.atomic
def _rate_recorded(mode: Mode, now: dt.datetime, unrated: set[Pair]) -> int:
    rules = rules_in_force([mode.slug])[mode.slug]
    lock_modes([mode.pk])  # nobody voids a match that is being rated
    matches = Match.objects.filter(~is_void(), mode=mode, event=None).order_by("id")
    records = list(load_parts(matches.select_related("mode")[:BATCH]).values())
    ledger.rate_matches(records, {mode.pk: rules}, now=now, unrated=unrated)
    waiting = list(forfeits.find_waiting(mode)[:BATCH])
    forfeits.rate_forfeits(waiting, rules, now=now, unrated=unrated)
    return len(records) + len(waiting)
