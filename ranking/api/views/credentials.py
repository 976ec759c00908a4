"""`/players/{id}/token/` and `/claim-code/`: a game's back end gets a token or a claim code for a player."""

from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.authentication import MayActForPlayers
from ranking.api.base import ApiView
from ranking.api.output import OutputSerializer
from ranking.api.schema import documented
from ranking.api.views.players import get_reached_player
from ranking.models import Key, Player
from ranking.players.claims import IssuedCode, issue_claim_code
from ranking.players.tokens import issue_token, token_expiry

_REACH = "A key for some modes gets it for players of these modes, and for newcomers, who have played none yet."


class TokenSerializer(serializers.Serializer[dict[str, object]]):
    token = serializers.CharField(help_text="For the header: 'Authorization: Bearer <token>'.")
    expires_at = serializers.DateTimeField()


class ClaimCodeSerializer(OutputSerializer[IssuedCode]):
    code = serializers.CharField(help_text="To be typed at /account/claim/; case and hyphen don't matter.")
    expires_at = serializers.DateTimeField()


class TokenView(ApiView):
    permission_classes = [MayActForPlayers]

    @documented(
        "A player's token",
        operation_id="issue_token",
        description=f"With it a client acts as that player for an hour, unless the key ends before. {_REACH}",
        request=None,
        answers={201: TokenSerializer},
        problems=[400, 403, 404],
        stores_nothing=True,
    )
    def post(self, request: Request, id: str) -> Response:
        assert isinstance(request.auth, Key)  # noqa: S101 - MayActForPlayers let only keys in
        token = issue_token(_get_present_player(request, id), key=request.auth)
        return Response({"token": token, "expires_at": token_expiry(request.auth, timezone.now())}, status=201)


class ClaimCodeView(ApiView):
    permission_classes = [MayActForPlayers]

    @documented(
        "A code to claim a player",
        operation_id="issue_claim_code",
        description=f"The account that enters it within 15 minutes owns the player. The last code ends. {_REACH}",
        request=None,
        answers={201: ClaimCodeSerializer},
        problems=[400, 403, 404],
    )
    def post(self, request: Request, id: str) -> Response:
        issued = issue_claim_code(_get_present_player(request, id), now=timezone.now())
        return Response(ClaimCodeSerializer.fill(issued), status=201)


def _get_present_player(request: Request, id: str) -> Player:
    """The player with this key, as get_reached_player has it. Raises NotFound for a former player, too."""
    player = get_reached_player(request, id)
    if player.anonymised_at is not None:
        raise NotFound("This player has left for good.")
    return player
