"""The list of queues, and the page of one queue: its viewer may join it, waits in it, or is kept from it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace

from leaderboards.home.own_modes import OwnStanding, find_standings
from matchmaking import lifecycle
from matchmaking.models import PartyMember, Queue, Ticket, TicketMember
from matchmaking.queues._skills import get_season, load_skills
from matchmaking.queues.activity import Activity, find_activity
from matchmaking.queues.queueing import find_ticket
from matchmaking.queues.ticket_page import TicketPage, load_ticket_page, members_of
from matchmaking.queues.ticket_warnings import tell_filters_off
from matchmaking.queues.waits import Estimate, estimate_wait, find_crowd, find_last_waits
from ranking.models import Mode, Player
from ranking.moderation.eligibility import Restriction, find_restrictions
from ranking.players.visibility import shown
from ranking.seasons.reset_tables import find_ranks

NEWS = dt.timedelta(minutes=2)  # a ticket's ending is shown for so long


@dataclass(frozen=True, slots=True)
class QueueLine:
    """A queue in the list. `own`: the viewer is in it. `standing`: where the viewer stands in its mode, if they have
    played it this season. `last_wait`: the longest of its last match, in seconds; None if there was no match.
    """

    queue: Queue
    mode: Mode
    activity: Activity
    own: bool
    standing: OwnStanding | None
    last_wait: float | None


@dataclass(frozen=True, slots=True)
class QueueListPage:
    """The content of the list's page."""

    queues: list[QueueLine]


@dataclass(frozen=True, slots=True)
class QueuePage:
    """The page's content: one of `waiting`, `restriction`, `elsewhere` (the viewer's other queue), or the form's.

    `ticket`: the viewer's live ticket, in any queue. `percentile` None: hidden or not needed. `filters_off`: a
    sentence if rank filters are off in a young season. `in_range`: how many wait near the viewer, by the queue's own
    rank filter. `line`: what the list tells of the queue, beside the form. `last`: the viewer's last ticket here,
    whose choices the form offers again. `ending`: how it ended, if just now. No `last` beside a restriction.
    """

    queue: Queue
    total: int
    ticket: Ticket | None = None
    waiting: TicketPage | None = None
    restriction: Restriction | None = None
    elsewhere: Queue | None = None
    party: tuple[Player, ...] = ()
    leader: Player | None = None
    leads: bool = False
    percentile: int | None = None
    filters_off: str = ""
    in_range: int = 0
    estimate: Estimate | None = None
    line: QueueLine | None = None
    last: TicketMember | None = None
    ending: str = ""

    @property
    def facts(self) -> tuple[object, ...]:
        """Everything that the page shows, to find out whether it has changed."""
        restriction = self.restriction and self.restriction.number
        state = self.ticket and (self.ticket.pk, self.ticket.state)
        elsewhere = self.elsewhere and self.elsewhere.pk
        own = state, self.waiting, restriction, elsewhere, self.party, self.leads, self.ending
        return self.queue.open, self.total, *own

    @property
    def follow(self) -> bool:
        """True if the page may change without the viewer."""
        return self.waiting is not None or bool(self.party and not self.leads)


def find_queues() -> list[Queue]:
    """All queues with their modes: ranked modes first, each kind by name. One query."""
    return list(Queue.objects.select_related("mode").order_by("-mode__ranked", "mode__name", "mode_id"))


def load_queues(viewer: Player | None, now: dt.datetime) -> QueueListPage:
    """Load the list: four queries, however many queues there are; one more for bans if the viewer isn't on a board.

    The counts of who waits and plays are shared between requests for seconds.
    """
    ticket = None if viewer is None else find_ticket(viewer)
    in_queue = None if ticket is None else ticket.queue_id
    standings = {} if viewer is None else find_standings(viewer, now)
    return QueueListPage([_line(row, in_queue, standings, now) for row in find_queues()])


def _line(queue: Queue, in_queue: int | None, standings: dict[int, OwnStanding], now: dt.datetime) -> QueueLine:
    return QueueLine(
        queue=queue,
        mode=queue.mode,
        activity=find_activity(now).get(queue.mode_id, Activity()),
        own=queue.pk == in_queue,
        standing=standings.get(queue.mode_id),
        last_wait=find_last_waits(now).get(queue.pk),
    )


def get_queue(slug: str) -> Queue:
    """The queue of the mode with this slug. Raises Queue.DoesNotExist."""
    return Queue.objects.select_related("mode").get(mode__slug=slug)


def load_queue_page(queue: Queue, viewer: Player | None, now: dt.datetime) -> QueuePage:
    """Load the page of a queue for its viewer."""
    total = find_crowd(queue, now).total
    if viewer is None:
        return QueuePage(queue, total)
    ticket = find_ticket(viewer)
    if ticket is not None and ticket.queue_id != queue.pk:
        return QueuePage(queue, total, ticket, elsewhere=ticket.queue)
    if ticket is not None and ticket.state == lifecycle.WAITING:
        waiting = load_ticket_page(ticket, members_of(ticket), now)
        return QueuePage(queue, total, ticket, waiting)
    if ticket is not None:
        return QueuePage(queue, total, ticket)
    if restriction := find_restrictions([viewer.pk], now).get(viewer.pk):
        return QueuePage(queue, total, restriction=restriction)
    last = (
        TicketMember.objects.filter(player=viewer, ticket__queue=queue).select_related("ticket").order_by("-id").first()
    )
    return replace(_form_page(queue, total, viewer, now), last=last, ending=_ending_of(last, now))


def _form_page(queue: Queue, total: int, viewer: Player, now: dt.datetime) -> QueuePage:
    party = _party_of(viewer)
    percentile, off = load_skills(queue.mode, [viewer.pk])[viewer.pk].percentile, ""
    if queue.strategy == Queue.SKILL:
        off = tell_filters_off(queue, find_ranks(get_season(queue.mode)))
    return QueuePage(
        queue,
        total,
        party=tuple(member.player for member in party),
        leader=next((member.player for member in party if member.leads), None),
        leads=any(member.leads and member.player_id == viewer.pk for member in party),
        percentile=percentile if shown(queue.mode).percentile and queue.strategy == Queue.SKILL and not off else None,
        filters_off=off,
        in_range=_in_range(queue, percentile, now) if queue.strategy == Queue.SKILL and not off else total,
        estimate=estimate_wait(queue.pk, percentile, max(1, len(party)), now),
        line=_line(queue, None, find_standings(viewer, now), now),
    )


def _in_range(queue: Queue, percentile: int, now: dt.datetime) -> int:
    return find_crowd(queue, now).within(percentile - queue.default_width, percentile + queue.default_width)


def _ending_of(last: TicketMember | None, now: dt.datetime) -> str:
    """How the viewer's last ticket here ended, if that is news: a sentence, or ""."""
    ticket = None if last is None else last.ticket
    if ticket is None or ticket.ended_at is None or ticket.state == lifecycle.DONE or ticket.ended_at < now - NEWS:
        return ""
    return ticket.ending


def _party_of(viewer: Player) -> list[PartyMember]:
    """The members of the viewer's party; empty if the viewer is in none."""
    members = PartyMember.objects.filter(party__members__player=viewer).select_related("player")
    return list(members.order_by("joined_at", "id"))
