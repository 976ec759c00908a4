"""The pages of queues: all of them, and one, as its viewer may join it, waits in it, or is kept from it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace

from matchmaking import lifecycle
from matchmaking.models import PartyMember, Queue, Ticket
from matchmaking.queues.queueing import find_ticket
from matchmaking.queues.skills import load_skills
from matchmaking.queues.ticket_page import TicketPage, load_ticket_page, members_of
from matchmaking.queues.waits import Estimate, are_servers_full, estimate_wait, find_crowd
from ranking.models import Mode, Player
from ranking.moderation.eligibility import Restriction, find_restrictions
from ranking.players.visibility import shown

NEWS = dt.timedelta(minutes=2)  # for which the end of a ticket is


@dataclass(frozen=True, slots=True)
class QueueLine:
    """A queue in the list; `own`: the viewer is in it."""

    queue: Queue
    mode: Mode
    waiting: int
    own: bool


@dataclass(frozen=True, slots=True)
class QueueListPage:
    queues: list[QueueLine]


@dataclass(frozen=True, slots=True)
class QueuePage:
    """One of `waiting`, `bar`, `elsewhere` (a queue that they wait in), or what the form needs.

    `ticket`: the viewer's live one, in whatever queue. `percentile` None: not shown, or not asked for. `ending`:
    what became of the ticket they had here a moment ago. `full`: who waits waits for a server.
    """

    queue: Queue
    total: int
    ticket: Ticket | None = None
    waiting: TicketPage | None = None
    bar: Restriction | None = None
    elsewhere: Queue | None = None
    party: tuple[Player, ...] = ()
    leader: Player | None = None
    leads: bool = False
    percentile: int | None = None
    estimate: Estimate | None = None
    ending: str = ""
    full: bool = False

    @property
    def facts(self) -> tuple[object, ...]:
        """Everything that the page shows, for telling whether it has changed."""
        bar, state = self.bar and self.bar.number, self.ticket and (self.ticket.pk, self.ticket.state)
        elsewhere = self.elsewhere and self.elsewhere.pk
        own = state, self.waiting, bar, elsewhere, self.party, self.leads, self.ending
        return self.queue.open, self.total, self.full, *own

    @property
    def follow(self) -> bool:
        """Whether something may happen here that the viewer doesn't do."""
        return self.waiting is not None or bool(self.party and not self.leads)


def find_queues() -> list[Queue]:
    """Queues with their modes, by name: one query."""
    return list(Queue.objects.select_related("mode").order_by("mode__name", "mode_id"))


def load_queues(viewer: Player | None, now: dt.datetime) -> QueueListPage:
    """The list; a query a queue at most, shared with others' for seconds."""
    ticket = None if viewer is None else find_ticket(viewer)
    own = None if ticket is None else ticket.queue_id
    return QueueListPage(
        [QueueLine(row, row.mode, find_crowd(row.pk, now).total, row.pk == own) for row in find_queues()]
    )


def get_queue(slug: str) -> Queue:
    """With its mode; raises Queue.DoesNotExist."""
    return Queue.objects.select_related("mode").get(mode__slug=slug)


def load_queue_page(queue: Queue, viewer: Player | None, now: dt.datetime) -> QueuePage:
    """The page of a queue for its viewer."""
    total = find_crowd(queue.pk, now).total
    if viewer is None:
        return QueuePage(queue, total)
    ticket = find_ticket(viewer)
    if ticket is not None and ticket.queue_id != queue.pk:
        return QueuePage(queue, total, ticket, elsewhere=ticket.queue)
    if ticket is not None and ticket.state == lifecycle.WAITING:
        waiting = load_ticket_page(ticket, members_of(ticket), now)
        return QueuePage(queue, total, ticket, waiting, full=are_servers_full(queue.mode, now))
    if ticket is not None:
        return QueuePage(queue, total, ticket)
    ending = _ending_of(queue, viewer, now)
    if bar := find_restrictions([viewer.pk], now).get(viewer.pk):
        return QueuePage(queue, total, bar=bar, ending=ending)
    return replace(_form_page(queue, total, viewer, now), ending=ending)


def _form_page(queue: Queue, total: int, viewer: Player, now: dt.datetime) -> QueuePage:
    party = _party_of(viewer)
    percentile = load_skills(queue.mode, [viewer.pk])[viewer.pk].percentile
    return QueuePage(
        queue,
        total,
        party=tuple(member.player for member in party),
        leader=next((member.player for member in party if member.leads), None),
        leads=any(member.leads and member.player_id == viewer.pk for member in party),
        percentile=percentile if shown(queue.mode).percentile and queue.strategy == Queue.SKILL else None,
        estimate=estimate_wait(queue.pk, percentile, max(1, len(party)), now),
    )


def _ending_of(queue: Queue, viewer: Player, now: dt.datetime) -> str:
    """How the viewer's last ticket here ended, as long as that is news: a sentence, or ""."""
    last = Ticket.objects.filter(queue=queue, members__player=viewer).order_by("-id").first()
    if last is None or last.ended_at is None or last.state == lifecycle.DONE or last.ended_at < now - NEWS:
        return ""
    return last.ending


def _party_of(viewer: Player) -> list[PartyMember]:
    """Everybody in the viewer's party; nobody where they are in none."""
    members = PartyMember.objects.filter(party__members__player=viewer).select_related("player")
    return list(members.order_by("joined_at", "id"))
