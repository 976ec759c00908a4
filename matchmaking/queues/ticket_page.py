"""A ticket as its players see it while it waits: window, who is within it, and how long it may take.

Where a mode doesn't show percentiles, neither does the window say where in them it lies.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field

from matchmaking import lifecycle
from matchmaking.models import Queue, Ticket, TicketMember
from matchmaking.queues.queueing import find_warning
from matchmaking.queues.rank_window import RankFilter, RankWindow, window_of
from matchmaking.queues.waits import Estimate, estimate_wait, find_crowd
from ranking.models import Player
from ranking.players.visibility import shown


@dataclass(frozen=True, slots=True)
class TicketPage:
    """`since`: when the ticket would have begun to wait, had it never done anything else. `reach` None: no filter.

    `within`: players in the window beside those of the ticket, of `others` in the queue. `shown`: whether the mode
    shows percentiles. `warning`: a sentence about a filter that can't be met.
    """

    ticket: Ticket
    players: tuple[Player, ...]
    percentiles: tuple[int, ...]
    width: int
    strict: bool
    waited: float = field(repr=False)
    since: dt.datetime
    reach: RankWindow | None
    widens_at: dt.datetime | None
    shown: bool
    within: int
    others: int
    estimate: Estimate | None
    warning: str = ""

    @property
    def wider(self) -> RankWindow | None:
        return self.reach.wider if self.reach else None


def members_of(ticket: Ticket) -> list[TicketMember]:
    """The players of a ticket, as they were when it was made: one query."""
    return list(ticket.members.select_related("player").order_by("id"))


def load_ticket_page(ticket: Ticket, members: Sequence[TicketMember], now: dt.datetime) -> TicketPage:
    """How a ticket of a queue with its mode stands.

    Two queries at most, shared with others' for seconds; more only for strict filters.
    """
    queue: Queue = ticket.queue
    waited = ticket.waited_at(now)
    since = ticket.waiting_since - dt.timedelta(seconds=ticket.waited)
    crowd = find_crowd(queue.pk, now)
    reach = None
    if queue.strategy == Queue.SKILL:
        filters = [RankFilter(member.percentile, member.width, member.strict) for member in members]
        reach = window_of(filters, waited, queue.widen_every)
    own = [member.percentile for member in members] if ticket.state == lifecycle.WAITING else []
    inside = crowd.within(reach.low, reach.high) if reach else crowd.total
    return TicketPage(
        ticket=ticket,
        players=tuple(member.player for member in members),
        percentiles=tuple(member.percentile for member in members),
        width=members[0].width,
        strict=all(member.strict for member in members),
        waited=waited,
        since=since,
        reach=reach,
        widens_at=_widens_at(queue, since, reach, waited),
        shown=shown(queue.mode).percentile,
        within=max(0, inside - len(own)),
        others=max(0, crowd.total - len(own)),
        estimate=estimate_wait(queue.pk, sum(own) / len(own) if own else 50, ticket.size, now),
        warning=find_warning(ticket) if own and any(member.strict for member in members) else "",
    )


def _widens_at(queue: Queue, since: dt.datetime, reach: RankWindow | None, waited: float) -> dt.datetime | None:
    """When the window takes its next step, the same moment at each look."""
    if reach is None or reach.widens_in is None:
        return None
    return since + dt.timedelta(seconds=round((waited + reach.widens_in) / queue.widen_every) * queue.widen_every)
