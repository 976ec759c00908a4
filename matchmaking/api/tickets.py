"""`/tickets/`: queue, look at a ticket, cancel it; for players, and for game servers on their behalf."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiResponse
from rest_framework.exceptions import ErrorDetail, NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from matchmaking.api.base import MatchmakingView, check_key_is_for, read_body, refusals_as_responses
from matchmaking.api.serializers import LONGEST_KEY, TicketRequestSerializer
from matchmaking.api.ticket_answers import TicketSerializer
from matchmaking.models import PartyMember, Queue, Ticket
from matchmaking.queues.queue_page import get_queue
from matchmaking.queues.queueing import Wish, cancel_ticket, find_ticket, queue_party, queue_player
from matchmaking.queues.ticket_page import load_ticket_page, members_of
from ranking.api.authentication import caller
from ranking.api.pagination import QuerySerializer, page_of, page_response, read_query
from ranking.api.schema import documented
from ranking.api.views.players import get_reached_player
from ranking.models import Key, Mode, Player
from ranking.modes.unknown_modes import unknown_mode
from ranking.players.players import ensure_player
from ranking.players.reach import check_key_reaches
from ranking.validation.fields import PlayerKeyField

EXAMPLE = {"mode": "duel", "width": 10, "strict": False, "regions": {"eu": 25, "us": 110}, "ping_limit": 150}


class TicketsQuery(QuerySerializer):
    player = PlayerKeyField(
        max_length=LONGEST_KEY,
        required=False,
        help_text="For keys, which name it: whose ticket.",
    )


class TicketsView(MatchmakingView):
    @documented(
        "A player's live ticket",
        operation_id="list_tickets",
        description=(
            "The ticket of the caller that waits, or whose match is found or running, as a list of one; an empty list"
            " if there is none. For a client that no longer knows the ticket's number. With a key of the scope"
            " `servers`, name the `player`."
        ),
        answers={200: page_of("TicketPage", TicketSerializer(many=True))},
        problems=[400, 403, 404],
        query=TicketsQuery,
    )
    def get(self, request: Request) -> Response:
        ticket = find_ticket(_player_asked_about(request, read_query(request, TicketsQuery)))
        if ticket is not None:
            check_key_is_for(request, ticket.queue.mode)
        return page_response(request, [] if ticket is None else [_answer(ticket)], None)

    @documented(
        "Join a queue",
        operation_id="create_ticket",
        description=(
            "A player queues, or queues the party that they lead (`party`). With a key of the scope `servers`, name the"
            " player or the party; a key for some modes names only players of these modes, and newcomers, who have"
            " played none yet. 403 while a ban or a lockout runs; 409 if the player already waits or plays, with the"
            " number of their `ticket`. The answer says why, and until when."
        ),
        request=TicketRequestSerializer,
        examples=[OpenApiExample("Within ten percentiles, in Europe or America", value=EXAMPLE, request_only=True)],
        answers={201: OpenApiResponse(TicketSerializer, "The ticket: ask for it until it names a lobby.")},
        problems=[400, 403, 404, 409, 413, 415],
    )
    def post(self, request: Request) -> Response:
        body = read_body(TicketRequestSerializer, request)
        queue = _get_queue(body["mode"])
        check_key_is_for(request, queue.mode)
        pings = dict(body.get("regions") or {})
        wish = Wish(body.get("width"), body["strict"], pings, body.get("ping_limit"))
        queue_up = queue_party if "party" in body else queue_player
        # One transaction: a refusal undoes the making of a new player.
        with refusals_as_responses("There is no such party."), transaction.atomic():
            ticket = queue_up(_player_of(request, body), queue, wish=wish, now=timezone.now())
        return Response(_answer(ticket), status=201)


class TicketView(MatchmakingView):
    @documented(
        "A ticket",
        operation_id="get_ticket",
        description="How it stands. 404 for everybody but its players.",
        answers={200: TicketSerializer},
        problems=[400, 403, 404],
    )
    def get(self, request: Request, number: int) -> Response:
        return Response(_answer(_get_ticket(request, number)))

    @documented(
        "Leave the queue",
        operation_id="cancel_ticket",
        description="Each of its players may, while it waits. 409 afterwards: decline the lobby, or leave it, instead.",
        answers={204: None},
        problems=[400, 403, 404, 409],
    )
    def delete(self, request: Request, number: int) -> Response:
        ticket = _get_ticket(request, number)
        with refusals_as_responses(f"There is no ticket {number}."):
            cancel_ticket(ticket, by=caller(request), now=timezone.now())
        return Response(status=204)


def _answer(ticket: Ticket) -> dict[str, Any]:
    return TicketSerializer.fill(load_ticket_page(ticket, members_of(ticket), timezone.now()))


def _get_queue(slug: str) -> Queue:
    try:
        return get_queue(slug)
    except Queue.DoesNotExist as error:
        if Mode.objects.filter(slug=slug).exists():
            sentence = f"{slug} has no queue: an operator opens one in the admin."
        else:
            sentence = unknown_mode(slug)
        raise ValidationError({"mode": [ErrorDetail(sentence, "unknown")]}) from error


def _get_ticket(request: Request, number: int) -> Ticket:
    """A ticket of the caller, or for keys any ticket. Raises NotFound, so nobody else learns that it exists."""
    rows = Ticket.objects.select_related("queue__mode").filter(pk=number)
    player = caller(request)
    ticket = (rows if player is None else rows.filter(members__player=player)).first()
    if ticket is None:
        raise NotFound(f"There is no ticket {number}.")
    check_key_is_for(request, ticket.queue.mode)
    return ticket


def _player_asked_about(request: Request, query: Mapping[str, Any]) -> Player:
    """The caller, or for a key the player whom it names. Raises NotFound, and OutOfReach if they are of other modes."""
    player = caller(request)
    if player is not None:
        if "player" in query:
            raise ValidationError({"player": ["Only a key says this: a player asks for their own ticket."]})
        return player
    if "player" not in query:
        raise ValidationError({"player": [ErrorDetail("A key says whose: give a player.", "required")]})
    return get_reached_player(request, query["player"])


def _player_of(request: Request, body: Mapping[str, Any]) -> Player:
    """The player who queues: the caller, or for a key the player whom it names or the leader of the party."""
    player = caller(request)
    if player is not None:
        if refused := [name for name in ("player", "name") if name in body]:
            raise ValidationError({name: ["Only a key says this: a player queues as themself."] for name in refused})
        if "party" in body and not PartyMember.objects.filter(player=player, party=body["party"]).exists():
            raise NotFound(f"You are in no party {body['party']}.")
        return player
    if ("player" in body) == ("party" in body):
        raise ValidationError({"player": ["A key says for whom: give a player, or a party."]})
    assert isinstance(request.auth, Key)  # noqa: S101 - IsPlayerOrServer let in only keys and players
    return _named_player(request.auth, body)


def _named_player(key: Key, body: Mapping[str, Any]) -> Player:
    """The player whom a key names, or the leader of the party. Raises OutOfReach if one of them is of other modes."""
    if "player" in body:
        player = ensure_player(body["player"], body.get("name", ""), timezone.now())
        check_key_reaches(key, [player.pk])
        return player
    leader = PartyMember.objects.select_related("player").filter(party=body["party"], leads=True).first()
    if leader is None:
        raise NotFound(f"There is no party {body['party']}.")
    check_key_reaches(key, PartyMember.objects.filter(party=body["party"]).values_list("player", flat=True))
    return leader.player
