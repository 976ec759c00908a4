"""Starts that failed: how long their server rests afterwards, and which servers are named to operators.

From the rules of played matches. A start fails if it never comes, or if nobody is there. Then the server gets no match
for 1 minute, after the next failure for 2, 4 … 30 minutes, until a start succeeds.
"""

from __future__ import annotations

import datetime as dt

from django.db import transaction
from django.db.models import Q, QuerySet

from matchmaking.models import Server

RESTS = [dt.timedelta(minutes=minutes) for minutes in (1, 2, 4, 8, 16, 30)]
LATELY = dt.timedelta(minutes=30)  # for so long after its rest, a server is claimed only if no other one is free
FAILING = 5  # a server is named to operators when so many starts in a row have failed
FORGOTTEN = dt.timedelta(hours=1)  # a server that has been silent for so long is no longer missed


def rest_after(failures: int) -> dt.timedelta:
    """How long a server rests after so many failures in a row (1 or more)."""
    return RESTS[min(failures, len(RESTS)) - 1]


@transaction.atomic
def note_failed_start(server_id: int | None, now: dt.datetime) -> None:
    """Count a failed start against a server, which then rests. None: the match needed no server.

    While it rests, starts of matches that it was given before may fail, too. They don't count: one breakdown of a
    server with many places is one failure.
    """
    if server_id is None:
        return
    server = Server.objects.select_for_update().get(pk=server_id)
    if rests(server, now):
        return
    server.failed_starts += 1
    server.rests_until = now + rest_after(server.failed_starts)
    server.save(update_fields=["failed_starts", "rests_until"])


def note_start(server_id: int | None) -> bool:
    """Note that a match has begun on a server: its failures are over. False if there are none."""
    if server_id is None:
        return False
    failed = Server.objects.filter(pk=server_id, failed_starts__gt=0)
    return bool(failed.update(failed_starts=0, rests_until=None))


def end_rest(server: Server) -> bool:
    """Forget a server's failures, since it was mended: it may get a match at once. False if there are none."""
    return note_start(server.pk)


def rests(server: Server, now: dt.datetime) -> bool:
    """True if the server gets no match now."""
    return server.rests_until is not None and server.rests_until > now


def is_rested(now: dt.datetime) -> Q:
    """A condition on servers: they may get a match, since they don't rest."""
    return Q(rests_until=None) | Q(rests_until__lte=now)


def has_failed_lately(now: dt.datetime) -> Q:
    """A condition on servers: the last start failed, and they rest or have rested LATELY."""
    return Q(rests_until__gt=now - LATELY)


def find_failing(now: dt.datetime, failures: int = FAILING) -> QuerySet[Server]:
    """Servers, heard of within the hour, whose last starts failed, so many or more; the worst first."""
    heard = Server.objects.filter(heard_at__gt=now - FORGOTTEN, signed_off_at=None)
    return heard.filter(failed_starts__gte=failures).select_related("source").order_by("-failed_starts", "pk")
