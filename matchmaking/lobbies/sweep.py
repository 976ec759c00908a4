"""Closes lobbies and tickets whose time is up, or whose players may not queue any more; each in its own transaction."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from matchmaking import lifecycle
from matchmaking.lobbies.accepting import expire_lobby, is_accepted, lock_lobby, make_ready
from matchmaking.lobbies.failed_starts import give_up_start
from matchmaking.lobbies.playing import give_up_server, lose_match
from matchmaking.lobbies.silence import note_silence
from matchmaking.models import Lobby, Queue, Ticket, TicketMember
from matchmaking.servers import is_gone
from matchmaking.transitions import Ending, end_free_tickets, ending_of
from ranking.models import Ban, Incident
from ranking.moderation.eligibility import find_restrictions
from ranking.operations.jobs import run_each

AT_ONCE = 500  # lobbies of a kind in one sweep
_LATELY = dt.timedelta(hours=2)  # incidents older than that were known when the player queued


def has_work() -> bool:
    """True if somebody waits, or a lobby hasn't come to its end."""
    lobbies = Lobby.objects.filter(state__in=lifecycle.LOBBY.going_on)
    return Ticket.objects.filter(state=lifecycle.WAITING).exists() or lobbies.exists()


def sweep(now: dt.datetime) -> int:
    """Close what is due. Returns how many lobbies and tickets changed."""
    steps: dict[str, Callable[[dt.datetime], int]] = {
        "silent servers": _note_silence,
        "lobbies": _sweep_lobbies,
        "late tickets": _expire_tickets,
        "tickets of restricted players": _refuse_restricted,
        "tickets of players who are gone": _drop_gone,
    }

    def sweep_step(step: str) -> int:
        return steps[step](now)

    return sum(run_each(steps, sweep_step, "The sweep of %s failed."))


def _note_silence(now: dt.datetime) -> int:
    note_silence(now)
    return 0  # no lobby changes its state


def _sweep_lobbies(now: dt.datetime) -> int:
    accepting = Lobby.objects.filter(state=lifecycle.ACCEPTING).order_by("formed_at")
    unanswered = TicketMember.objects.filter(ticket__lobby=OuterRef("pk"), accepted_at=None)
    accepted = accepting.filter(Q(accept_until=None) | ~Exists(unanswered))
    ready, live = Lobby.objects.filter(state=lifecycle.READY), Lobby.objects.filter(state=lifecycle.LIVE)
    return sum(
        (
            _each(accepted, settle, now),
            _each(accepting.filter(accept_until__lt=now), expire_lobby, now),
            _each(ready.filter(is_gone(now, "server__")).order_by("formed_at"), _replace_server, now),
            *(
                _each(lobbies.order_by("formed_at"), close, now)
                for queue in Queue.objects.all()
                for lobbies, close in (
                    (ready.filter(queue=queue, ready_at__lte=now - _seconds(queue.start_seconds)), _replace_server),
                    (live.filter(queue=queue, started_at__lte=now - _seconds(queue.longest_match)), lose_match),
                    (live.filter(queue=queue, missing_at__lte=now - _seconds(queue.lost_seconds)), lose_match),
                )
            ),
        )
    )


def _seconds(number: int) -> dt.timedelta:
    return dt.timedelta(seconds=number)


def _each(lobbies: QuerySet[Lobby], close: Callable[..., bool], now: dt.datetime) -> int:
    keys = lobbies.values_list("pk", flat=True)[:AT_ONCE]
    return sum(run_each(keys, partial(close, now=now), "Lobby %s couldn't be closed."))


@transaction.atomic
def settle(key: str, *, now: dt.datetime) -> bool:
    """Make a lobby ready if everybody has accepted (or nobody is asked); close it if no server became free in time."""
    lobby = lock_lobby(key)
    if lobby.state != lifecycle.ACCEPTING or not is_accepted(lobby):
        return False
    return make_ready(lobby, now) or give_up_server(key, now=now)


def _replace_server(key: str, *, now: dt.datetime) -> bool:
    """Take a lobby from a server that failed it, and claim another one, which may be free."""
    changed = give_up_start(key, now=now)
    if changed:
        settle(key, now=now)
    return changed


def _expire_tickets(now: dt.datetime) -> int:
    return sum(run_each(Queue.objects.all(), partial(_expire, now=now), "The tickets of %s couldn't be swept."))


def _expire(queue: Queue, now: dt.datetime) -> int:
    late = Ticket.objects.filter(
        queue=queue, state=lifecycle.WAITING, queued_at__lte=now - _seconds(queue.longest_wait)
    )
    return len(end_free_tickets(late, lifecycle.EXPIRED, ending=Ending("waited"), now=now))


def _refuse_restricted(now: dt.datetime) -> int:
    """End waiting tickets of players who were banned or locked out since they queued."""
    waiting = TicketMember.objects.filter(live=True, ticket__state=lifecycle.WAITING)
    banned = Ban.objects.running(now).from_queues().filter(player=OuterRef("player"))
    lapsed = Incident.objects.filter(player=OuterRef("player"), happened_at__gt=now - _LATELY)
    suspects = dict(waiting.filter(Exists(banned) | Exists(lapsed)).values_list("player", "ticket"))
    restrictions = find_restrictions(list(suspects), now) if suspects else {}
    for player, restriction in restrictions.items():
        tickets = Ticket.objects.filter(pk=suspects[player], state=lifecycle.WAITING)
        end_free_tickets(tickets, lifecycle.REFUSED, ending=ending_of(restriction), now=now)
    return len(restrictions)


def _drop_gone(now: dt.datetime) -> int:
    """End waiting tickets of players who were anonymised or merged into another player."""
    gone = Q(player__anonymised_at__isnull=False) | Q(player__merged_into__isnull=False)
    members = TicketMember.objects.filter(gone, live=True, ticket__state=lifecycle.WAITING)
    tickets = Ticket.objects.filter(pk__in=members.values("ticket"))
    return len(end_free_tickets(tickets, lifecycle.CANCELLED, ending=Ending("gone"), now=now))
