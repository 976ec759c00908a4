"""The waiting time that players get back if their match was called off and they queue again soon: once, and as before.

It is found from their ended tickets. A party gets it back as the party that it was: with the same players.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

from matchmaking import lifecycle
from matchmaking.models import Queue, Ticket, TicketMember
from matchmaking.wording import CALLS_OFF

WITHIN = dt.timedelta(minutes=15)  # of the end of the match that was called off


def find_time_given_back(queue: Queue, players: Collection[int], now: dt.datetime) -> float:
    """Seconds that these players (ids) waited in the queue for the match that was called off; 0 if there is none.

    It must be the last thing that any of them queued for here, so that the time is given once. One query, or two.
    """
    own = TicketMember.objects.filter(player__in=players).values("ticket")
    latest = Ticket.objects.filter(pk__in=own, queue=queue, ended_at__gte=now - WITHIN).order_by("pk").last()
    if latest is None or latest.state != lifecycle.DONE or latest.ending_code not in CALLS_OFF:
        return 0.0
    members = set(latest.members.values_list("player", flat=True))
    return latest.waited_at(now) if members == set(players) else 0.0
