"""Modes rated anew: what a test asks for, looks at, and how a worker is killed."""

import datetime as dt

import pytest

from ranking.models import (
    Change,
    Forfeit,
    Match,
    Rating,
    Rerating,
)
from ranking.rerating.lease import LEASE_TIME
from ranking.rerating.reratings import request_rerating, rerate
from tests.support.factories import NOW

COUNTS = (
    "wins",
    "draws",
    "losses",
    "leaves",
    "recent_completions",
    "last_completed_at",
    "last_match_at",
    "active_until",
)


class Killed(BaseException):
    """What a test ends a worker with."""


def states(mode):
    return {rating.player_id: rating.state for rating in Rating.objects.filter(mode=mode)}


def told(mode):
    """Everything that rating writes to the ratings of a mode."""
    return list(
        Rating.objects.filter(mode=mode)
        .order_by("player", "season")
        .values_list("player", "display_hundredths", "mu", "sigma", "volatility", "reached_at", *COUNTS)
    )


def ledger(mode):
    """The live rows, but for who wrote them."""
    return list(
        Change.objects.live()
        .filter(mode=mode)
        .order_by("event", "player")
        .values_list("event", "player", "outcome", "display_before", "mu_before", "display_after", "mu_after")
    )


def rate_anew(mode, **asked):
    request_rerating(mode, reason="test", now=NOW, **asked)
    return rerate(mode)


def number(external_id):
    return Match.objects.get(external_id=external_id)


def facts(mode):
    """Everything that was rated: its sequence, its time, what it is."""
    matches = Match.objects.filter(mode=mode, event__isnull=False)
    dropped = Forfeit.objects.filter(mode=mode, event__isnull=False)
    return [
        *((match.event_id, match.ended_at, str(match)) for match in matches),
        *((forfeit.event_id, forfeit.happened_at, str(forfeit)) for forfeit in dropped),
    ]


def in_order(mode):
    return [what for _, _, what in sorted(facts(mode))]


def in_time(mode):
    return [what for _, _, what in sorted(facts(mode), key=lambda fact: (fact[1], fact[0]))]


def lease(mode):
    """A mode as it is while a worker rates it anew: that one never comes back."""
    request_rerating(mode, reason="test", now=NOW)

    def stop(done, total):
        raise Killed

    with pytest.raises(Killed):
        rerate(mode, progress=stop)
    Rerating.objects.filter(state=Rerating.RUNNING).update(claimed_until=NOW + dt.timedelta(days=10_000))


def free(mode):
    """That worker is found dead."""
    Rerating.objects.filter(state=Rerating.RUNNING).update(claimed_until=NOW - LEASE_TIME)
