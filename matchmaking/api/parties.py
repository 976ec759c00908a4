"""`/parties/`: the caller's own party: invite, join, leave, lead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils import timezone
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from matchmaking.api.base import read_body, refusals_as_responses
from matchmaking.api.party_answers import OwnPartySerializer, load_own_party
from matchmaking.api.serializers import PingsSerializer, PlayerNamedSerializer
from matchmaking.parties import parties
from matchmaking.parties.page import get_invitation, get_own_invitation
from ranking.api.base import PlayersOnlyView, get_caller
from ranking.api.schema import F, documented
from ranking.api.views.players import get_player
from ranking.models import Player

_MISSING = "There is no such party."


def _answer(player: Player) -> Response:
    """The player's party as it is now, and their invitations to others."""
    return Response(OwnPartySerializer.fill(load_own_party(player)))


def _acts(summary: str, operation_id: str, description: str, **more: Any) -> Callable[[F], F]:
    options: dict[str, Any] = {"request": None, "problems": [400, 403, 404, 409], **more}
    return documented(
        summary, operation_id=operation_id, description=description, answers={200: OwnPartySerializer}, **options
    )


def _acts_on_player(summary: str, operation_id: str, description: str) -> Callable[[F], F]:
    problems = [400, 403, 404, 409, 413, 415]
    return _acts(summary, operation_id, description, request=PlayerNamedSerializer, problems=problems)


class OwnPartyView(PlayersOnlyView):
    @_acts("My party", "get_party", "And the invitations to other parties.", problems=[400, 403])
    def get(self, request: Request) -> Response:
        return _answer(get_caller(request))


class InviteView(PlayersOnlyView):
    @_acts_on_player("Invite", "invite_player", "The first invitation makes the party; the caller leads it.")
    def post(self, request: Request) -> Response:
        caller, player = get_caller(request), _read_player(request)
        with refusals_as_responses(_MISSING):
            parties.invite(player, by=caller, now=timezone.now())
        return _answer(caller)


class WithdrawView(PlayersOnlyView):
    @_acts_on_player("Take an invitation back", "withdraw_invitation", "Everybody in the party may.")
    def post(self, request: Request) -> Response:
        caller, player = get_caller(request), _read_player(request)
        with refusals_as_responses(_MISSING):
            parties.decline_invitation(get_own_invitation(caller, player), by=caller)
        return _answer(caller)


class RemoveView(PlayersOnlyView):
    @_acts_on_player("Send somebody away", "remove_from_party", "Only the leader may. The party's ticket is cancelled.")
    def post(self, request: Request) -> Response:
        caller, player = get_caller(request), _read_player(request)
        with refusals_as_responses(_MISSING):
            parties.remove_member(player, by=caller, now=timezone.now())
        return _answer(caller)


class LeadView(PlayersOnlyView):
    @_acts_on_player("Let somebody else lead", "pass_leadership", "Only the leader may. The other is in the party.")
    def post(self, request: Request) -> Response:
        caller, player = get_caller(request), _read_player(request)
        with refusals_as_responses(_MISSING):
            parties.pass_leadership(player, by=caller)
        return _answer(caller)


class LeaveView(PlayersOnlyView):
    @_acts(
        "Leave my party",
        "leave_party",
        "The party's ticket is cancelled. Nothing happens if the caller is in no party.",
    )
    def post(self, request: Request) -> Response:
        caller = get_caller(request)
        with refusals_as_responses(_MISSING):
            parties.leave_party(caller, now=timezone.now())
        return _answer(caller)


class PingsView(PlayersOnlyView):
    @_acts(
        "My pings", "put_pings", "Used when the leader queues the party. 404 if the caller is in no party.",
        request=PingsSerializer, problems=[400, 403, 404, 413, 415],
    )  # fmt: skip
    def put(self, request: Request) -> Response:
        caller, body = get_caller(request), read_body(PingsSerializer, request)
        if parties.find_party(caller) is None:
            raise NotFound("You are in no party.")
        with refusals_as_responses(_MISSING):
            parties.note_pings(caller, body["regions"], body.get("ping_limit"))
        return _answer(caller)


class AcceptView(PlayersOnlyView):
    @_acts("Join", "accept_invitation", "Only invited players may.")
    def post(self, request: Request, number: int) -> Response:
        caller = get_caller(request)
        with refusals_as_responses(_MISSING):
            parties.accept_invitation(get_invitation(caller, number), by=caller, now=timezone.now())
        return _answer(caller)


class DeclineView(PlayersOnlyView):
    @_acts("Turn an invitation down", "decline_invitation", "Only invited players may.")
    def post(self, request: Request, number: int) -> Response:
        caller = get_caller(request)
        with refusals_as_responses(_MISSING):
            parties.decline_invitation(get_invitation(caller, number), by=caller)
        return _answer(caller)


def _read_player(request: Request) -> Player:
    """The player named in the body. Raises NotFound."""
    return get_player(read_body(PlayerNamedSerializer, request)["player"])
