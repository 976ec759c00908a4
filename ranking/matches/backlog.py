"""Matches and forfeits that were recorded only: while their mode was being rated anew, or after their season's end."""

import datetime as dt
import functools
from collections.abc import Sequence

from django.db import transaction
from django.db.models import BigIntegerField, Case, F, QuerySet, Value, When

from ranking.matches import _ledger as ledger
from ranking.matches import forfeits
from ranking.matches._ledger import Findings, Pair, attempt
from ranking.matches.records import MatchRecord, is_void, load_parts
from ranking.matches.replacing import first_of_chains, replaced_by
from ranking.models import Match, Mode, Rating
from ranking.modes.parameters import rules_in_force
from ranking.modes.row_locks import lock_modes
from ranking.operations.garbage_collection import garbage_collection_paused

SEATS = 2_000  # of the matches that one transaction rates, so that none takes longer than about a second
FORFEITS = 100  # a transaction
FEW = 100  # facts that the caller may as well rate while it holds the mode


def rate_recorded(mode: Mode, *, now: dt.datetime) -> int:
    """Rate the oldest matches and forfeits that were recorded only, a batch of each; returns how many there were.

    Those from after the current season's end go on waiting: they belong to the next one.
    """
    with garbage_collection_paused():
        return attempt(functools.partial(_rate_recorded, mode, now))


@transaction.atomic
def _rate_recorded(mode: Mode, now: dt.datetime, findings: Findings) -> int:
    rules = rules_in_force([mode.slug])[mode.slug]
    lock_modes([mode.pk])  # nobody voids a match that is being rated
    matches = _in_order(Match.objects.filter(~is_void(), mode=mode, event=None))
    dropped = forfeits.find_waiting(mode)
    if rules.ends_at is not None:
        matches, dropped = matches.filter(ended_at__lt=rules.ends_at), dropped.filter(happened_at__lt=rules.ends_at)
    oldest = list(matches[: max(FEW, SEATS // (rules.mode.team_count * rules.mode.team_size_max))])
    for match in oldest:
        match.mode = rules.mode
    records = list(load_parts(oldest).values())
    unrated = findings.unrated | _find_unrated(mode, rules.season_id, records)
    ledger.rate_matches(records, rules, now=now, unrated=unrated)
    waiting = list(dropped[:FORFEITS])
    forfeits.rate_forfeits(waiting, rules, now=now, unrated=unrated)
    return len(records) + len(waiting)


def _in_order(matches: QuerySet[Match]) -> QuerySet[Match]:
    """These matches in the order of recording; a correction has the place of the result that it corrects."""
    places = [When(pk=pk, then=Value(first)) for pk, first in first_of_chains(replaced_by(matches)).items()]
    return matches.order_by(Case(*places, default=F("id"), output_field=BigIntegerField()) if places else "id")


def _find_unrated(mode: Mode, season_id: int, records: Sequence[MatchRecord]) -> set[Pair]:
    """The players of these matches without a rating in the season. It is young, so most batches have some."""
    players = {part.player_id for record in records for part in record.parts}
    rated = Rating.objects.filter(mode=mode, season=season_id, player__in=players).values_list("player", flat=True)
    return {(mode.pk, player) for player in players.difference(rated)}
