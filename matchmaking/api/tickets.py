"""`/tickets/`: queue, look, cancel; a player themself, or a game server on their behalf."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from matchmaking.api.answers import TicketSerializer, ticket_data
from matchmaking.api.base import MatchmakingView, check_key_is_for, read_body, refusals_as_responses
from matchmaking.api.serializers import TicketRequestSerializer
from matchmaking.models import PartyMember, Queue, Ticket
from matchmaking.queues.queue_page import get_queue
from matchmaking.queues.queueing import Wish, cancel_ticket, queue_party, queue_player
from matchmaking.queues.ticket_page import load_ticket_page, members_of
from ranking.api.authentication import caller
from ranking.api.pagination import read_query
from ranking.api.schema import documented
from ranking.models import Player
from ranking.players.players import ensure_player

EXAMPLE = {"mode": "duel", "width": 10, "strict": False, "regions": {"eu": 25, "us": 110}, "ping_limit": 150}


class TicketsView(MatchmakingView):
    @documented(
        "Queue",
        operation_id="create_ticket",
        description=(
            "A player queues, or with `party` the party that they lead; a key of the scope `servers` says for whom."
            " 403 while a ban or a lockout runs, 409 while one waits or plays already: what for, and until when."
        ),
        request=TicketRequestSerializer,
        examples=[OpenApiExample("Within ten percentiles, in Europe or America", value=EXAMPLE, request_only=True)],
        answers={201: TicketSerializer},
        problems=[400, 403, 404, 409, 413, 415],
    )
    def post(self, request: Request) -> Response:
        read_query(request)
        said = read_body(TicketRequestSerializer, request)
        queue = _get_queue(said["mode"])
        check_key_is_for(request, queue.mode)
        pings = dict(said.get("regions") or {})
        wish = Wish(said.get("width"), said["strict"], pings, said.get("ping_limit"))
        queue_up = queue_party if "party" in said else queue_player
        with (
            refusals_as_responses("There is no such party."),
            transaction.atomic(),
        ):  # who is refused isn't made a player either
            ticket = queue_up(_player_of(request, said), queue, wish=wish, now=timezone.now())
        return Response(_answer(ticket), status=201)


class TicketView(MatchmakingView):
    @documented(
        "A ticket",
        operation_id="get_ticket",
        description="Where it stands; 404 for whoever isn't on it.",
        answers={200: TicketSerializer},
        problems=[400, 403, 404],
    )
    def get(self, request: Request, number: int) -> Response:
        read_query(request)
        return Response(_answer(_get_ticket(request, number)))

    @documented(
        "Leave the queue",
        operation_id="cancel_ticket",
        description="As long as it waits: any of its players may. 409 afterwards; a lobby is declined, or left.",
        answers={204: None},
        problems=[400, 403, 404, 409],
    )
    def delete(self, request: Request, number: int) -> Response:
        read_query(request)
        ticket = _get_ticket(request, number)
        with refusals_as_responses(f"There is no ticket {number}."):
            cancel_ticket(ticket, by=caller(request), now=timezone.now())
        return Response(status=204)


def _answer(ticket: Ticket) -> dict[str, Any]:
    return ticket_data(load_ticket_page(ticket, members_of(ticket), timezone.now()))


def _get_queue(slug: str) -> Queue:
    try:
        return get_queue(slug)
    except Queue.DoesNotExist as error:
        raise ValidationError({"mode": [f"There is no queue for a mode {slug!r}."]}) from error


def _get_ticket(request: Request, number: int) -> Ticket:
    """A ticket of the caller's, for keys anybody's; nobody else learns that there is one."""
    rows = Ticket.objects.select_related("queue__mode").filter(pk=number)
    player = caller(request)
    found = (rows if player is None else rows.filter(members__player=player)).first()
    if found is None:
        raise NotFound(f"There is no ticket {number}.")
    check_key_is_for(request, found.queue.mode)
    return found


def _player_of(request: Request, said: Mapping[str, Any]) -> Player:
    """Who queues: the caller, or whom a key names; with a party, whoever leads it."""
    player = caller(request)
    if player is not None:
        if strange := [name for name in ("player", "name") if name in said]:
            raise ValidationError({name: ["Only a key says this: a player queues as themself."] for name in strange})
        if "party" in said and not PartyMember.objects.filter(player=player, party=said["party"]).exists():
            raise NotFound(f"You are in no party {said['party']}.")
        return player
    if ("player" in said) == ("party" in said):
        raise ValidationError({"player": ["A key says for whom: give a player, or a party."]})
    if "player" in said:
        return ensure_player(said["player"], said.get("name", ""), timezone.now())
    leader = PartyMember.objects.select_related("player").filter(party=said["party"], leads=True).first()
    if leader is None:
        raise NotFound(f"There is no party {said['party']}.")
    return leader.player
