"""A waiting ticket as its players see it: its window, how many players are within it, and how long it may wait.

If the mode hides percentiles, the page hides where the window lies.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field

from matchmaking import lifecycle
from matchmaking.models import Queue, Ticket, TicketMember
from matchmaking.queues._skills import get_season
from matchmaking.queues.rank_window import RankFilter, RankWindow, window_of
from matchmaking.queues.search_words import reach_words
from matchmaking.queues.ticket_warnings import find_warnings
from matchmaking.queues.waits import Estimate, estimate_wait, find_crowd
from ranking.models import Player
from ranking.players.visibility import shown
from ranking.seasons.reset_tables import find_ranks


@dataclass(frozen=True, slots=True)
class TicketPage:
    """The content. `since`: now minus the seconds waited, so that a clock that counts from it shows the wait.

    `window` None: the queue has no filter, or filters are off in a young season (`filters_off`). `within`: players in
    the window, without the ticket's own, of `others` in the queue. `shown`: the mode shows percentiles. `warnings`:
    sentences about what keeps a match from being found.
    """

    ticket: Ticket
    players: tuple[Player, ...]
    percentiles: tuple[int, ...]
    width: int
    strict: bool
    waited: float = field(repr=False)
    since: dt.datetime
    window: RankWindow | None
    filters_off: bool
    widens_at: dt.datetime | None
    shown: bool
    within: int
    others: int
    estimate: Estimate | None
    warnings: tuple[str, ...] = ()

    @property
    def waiting(self) -> TicketPage | None:
        """The page itself while the ticket waits, else None."""
        return self if self.ticket.state == lifecycle.WAITING else None

    @property
    def shown_window(self) -> RankWindow | None:
        """The window, if the mode shows where it lies."""
        return self.window if self.shown else None

    @property
    def reach(self) -> str:
        """How far the window reaches, in words."""
        return reach_words(self.window.low, self.window.high) if self.window else ""

    @property
    def wider(self) -> RankWindow | None:
        return self.window.wider if self.window else None


def members_of(ticket: Ticket) -> list[TicketMember]:
    """The players of a ticket, as they were when it was made. One query."""
    return list(ticket.members.select_related("player").order_by("id"))


def load_ticket_page(ticket: Ticket, members: Sequence[TicketMember], now: dt.datetime) -> TicketPage:
    """Load the content for a ticket, which was read with its queue and mode.

    Most of what it reads is shared between requests for seconds; warnings take queries of their own.
    """
    queue: Queue = ticket.queue
    waited = ticket.waited_at(now)
    since = ticket.waiting_since - dt.timedelta(seconds=ticket.waited)
    crowd = find_crowd(queue, now)
    window, ranks = None, find_ranks(get_season(queue.mode)) if queue.strategy == Queue.SKILL else None
    if ranks is not None and ranks.table is not None:
        filters = [RankFilter(member.percentile, member.width, member.strict) for member in members]
        window = window_of(filters, waited, queue.widen_every)
    own = [member.percentile for member in members] if ticket.state == lifecycle.WAITING else []
    inside = crowd.within(window.low, window.high) if window else crowd.total
    return TicketPage(
        ticket=ticket,
        players=tuple(member.player for member in members),
        percentiles=tuple(member.percentile for member in members),
        width=members[0].width,
        strict=all(member.strict for member in members),
        waited=waited,
        since=since,
        window=window,
        filters_off=ranks is not None and ranks.table is None,
        widens_at=_widens_at(queue, since, window, waited),
        shown=shown(queue.mode).percentile,
        within=max(0, inside - len(own)),
        others=max(0, crowd.total - len(own)),
        estimate=estimate_wait(queue.pk, sum(own) / len(own) if own else 50, ticket.size, now),
        warnings=tuple(find_warnings(ticket, members, ranks, now)) if own else (),
    )


def _widens_at(queue: Queue, since: dt.datetime, window: RankWindow | None, waited: float) -> dt.datetime | None:
    """When the window takes its next step: rounded to a whole step, so that each look gives the same moment."""
    if window is None or window.widens_in is None:
        return None
    return since + dt.timedelta(seconds=round((waited + window.widens_in) / queue.widen_every) * queue.widen_every)
