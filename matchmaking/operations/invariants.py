"""Invariants of queues, lobbies, servers and parties, which `manage.py doctor` checks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator

from django.db.models import Count, Exists, F, OuterRef, Q

from matchmaking import lifecycle
from matchmaking.models import Lobby, Party, PartyMember, Queue, Server, Ticket, TicketMember
from matchmaking.operations.aborted_shares import high_shares
from matchmaking.server_failures import FAILING, find_failing
from matchmaking.servers import is_online
from ranking.matches.invariants import PATIENCE
from ranking.models import Match
from ranking.operations.violations import Violation, violation_of

_CLOSE = "Close the lobby, or end the ticket, under Matchmaking in the admin; if it comes again, report it."
_COUNT = "Under Servers in the admin, count its matches again; if it comes again, report it."
_LEAD = "Have its players leave it and make a new one; report it."
_SERVERS = "Start a game server for this mode, or let the queue do without, under Queues in the admin."
_MEND = (
    "Look into its log, and whether players reach its address; then end its rest, under Servers in the admin. Players"
    " get other servers meanwhile."
)
_NAMED = 10  # servers in one sentence
_JOBS = "See that jobs are running."


def violations(now: dt.datetime) -> Iterator[Violation]:
    for check in CHECKS:
        yield from check(now)


def live_members(now: dt.datetime) -> Iterator[Violation]:
    """A player on a ticket is live exactly while the ticket goes on, and a ticket has as many players as its size."""
    going_on = Q(ticket__state__in=lifecycle.TICKET.going_on)
    wrong = TicketMember.objects.filter(Q(live=True) & ~going_on | Q(live=False) & going_on)
    yield from violation_of("ticket.live", "A ticket goes on and its player isn’t live, or the reverse", wrong, _CLOSE)
    rows = Ticket.objects.filter(state__in=lifecycle.TICKET.going_on).annotate(players=Count("members"))
    yield from violation_of(
        "ticket.size", "A ticket has other players than it says", rows.exclude(players=F("size")), _CLOSE
    )


def whole_lobbies(now: dt.datetime) -> Iterator[Violation]:
    """A lobby that goes on has tickets, all in the state that belongs to the lobby's; a closed one has none live."""
    for state, ticket in (
        (lifecycle.ACCEPTING, lifecycle.MATCHED),
        (lifecycle.READY, lifecycle.MATCHED),
        (lifecycle.LIVE, lifecycle.PLAYING),
    ):
        other = Ticket.objects.filter(lobby=OuterRef("pk")).exclude(state=ticket)
        rows = Lobby.objects.filter(Exists(other), state=state)
        yield from violation_of("lobby.tickets", f"A ticket of a lobby that is {state} isn’t {ticket}", rows, _CLOSE)
    tickets = Ticket.objects.filter(
        state__in=(lifecycle.MATCHED, lifecycle.PLAYING), lobby__state__in=lifecycle.LOBBY.ends
    )
    yield from violation_of("lobby.over", "A ticket goes on and its lobby is over", tickets, _CLOSE)
    empty = ~Exists(Ticket.objects.filter(lobby=OuterRef("pk")))
    rows = Lobby.objects.filter(empty, state__in=lifecycle.LOBBY.going_on)
    yield from violation_of("lobby.empty", "A lobby goes on without players", rows, _CLOSE)


def finished_lobbies(now: dt.datetime) -> Iterator[Violation]:
    """A lobby whose result has come is closed."""
    played = Match.objects.filter(lobby=OuterRef("pk"), mode=OuterRef("queue__mode"))
    rows = Lobby.objects.filter(Exists(played), state__in=(lifecycle.READY, lifecycle.LIVE))
    yield from violation_of("lobby.result", "A lobby goes on and its result is here", rows, _CLOSE)


def busy_servers(now: dt.datetime) -> Iterator[Violation]:
    """A server has as many claimed places as lobbies."""
    hosted = Count("lobbies", filter=Q(lobbies__state__in=(lifecycle.READY, lifecycle.LIVE)))
    rows = Server.objects.annotate(hosted=hosted).exclude(busy=F("hosted"))
    yield from violation_of("server.busy", "A server has other matches than it counts", rows, _COUNT)


def failing_servers(now: dt.datetime) -> Iterator[Violation]:
    """The last FAILING starts of a server haven't all failed."""
    failing = list(find_failing(now)[: _NAMED + 1])
    if failing:
        names = ", ".join(f"{server} ({server.failed_starts} in a row)" for server in failing[:_NAMED])
        more = " …" if len(failing) > _NAMED else ""
        fault = f"The last {FAILING} starts of matches or more failed on a server"
        yield Violation("server.starts", f"{fault}: {names}{more}.", _MEND)


def led_parties(now: dt.datetime) -> Iterator[Violation]:
    """A party has a leader."""
    leader = PartyMember.objects.filter(party=OuterRef("pk"), leads=True)
    yield from violation_of("party.leader", "A party has no leader", Party.objects.filter(~Exists(leader)), _LEAD)


def ticking(now: dt.datetime) -> Iterator[Violation]:
    """Queues with waiting tickets are ticked, and lobbies whose time is up are closed."""
    waiting = Ticket.objects.filter(queue=OuterRef("pk"), state=lifecycle.WAITING, waiting_since__lt=now - PATIENCE)
    unticked = Q(ticked_at=None) | Q(ticked_at__lt=now - PATIENCE)
    rows = Queue.objects.filter(unticked, Exists(waiting))
    yield from violation_of("queue.ticks", "Somebody waits in a queue that isn’t ticked", rows, _JOBS)
    online = Exists(Server.objects.filter(is_online(now), modes=OuterRef("mode")))
    rows = Queue.objects.filter(~online, Exists(waiting), servers=Queue.REQUIRED)
    yield from violation_of("queue.servers", "Somebody waits, and no game server is connected", rows, _SERVERS)
    longest = max((queue.start_seconds for queue in Queue.objects.all()), default=0)
    due = now - PATIENCE - dt.timedelta(seconds=longest)
    late = Lobby.objects.filter(
        Q(state=lifecycle.ACCEPTING, failed_at=None, formed_at__lt=due)
        | Q(state=lifecycle.ACCEPTING, failed_at__lt=due)
        | Q(state=lifecycle.READY, ready_at__lt=due)
    )
    yield from violation_of("lobby.due", "A lobby should have been closed long ago", late, _JOBS)


CHECKS: tuple[Callable[[dt.datetime], Iterator[Violation]], ...] = (
    live_members,
    whole_lobbies,
    finished_lobbies,
    busy_servers,
    failing_servers,
    led_parties,
    ticking,
    high_shares,
)
