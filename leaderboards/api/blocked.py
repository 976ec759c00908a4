"""`/players/me/blocked/`: whom the player of a token blocks."""

from django.utils import timezone
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.api.people import LATEST, KnownSerializer, PeopleView, get_caller, known_data
from leaderboards.models import Blocking
from leaderboards.people.following import NotOneself, block_player, blockings_of, unblock_player
from ranking.api.pagination import PageQuery, find_page, page_of, page_response, read_query
from ranking.api.schema import documented
from ranking.api.views.players import get_player


class BlockingsView(PeopleView):
    @documented(
        "Whom I block, latest first",
        operation_id="list_blocked",
        description="Those who can't follow the player of the token, and are never put on their team.",
        answers={200: page_of("BlockedPage", KnownSerializer(many=True))},
        problems=[400, 403],
        parameters=[PageQuery],
    )
    def get(self, request: Request) -> Response:
        page, after = find_page(blockings_of(get_caller(request)), LATEST, read_query(request, PageQuery))
        return page_response(request, (known_data(row.blocked, row.since) for row in page), after)


class BlockedView(PeopleView):
    @documented(
        "Do I block them?",
        operation_id="get_blocked",
        description="404 where there is no such player, or they aren't blocked.",
        answers={200: KnownSerializer},
        problems=[400, 403, 404],
    )
    def get(self, request: Request, id: str) -> Response:
        read_query(request)
        player = get_player(id)
        row = Blocking.objects.filter(blocker=get_caller(request), blocked=player).first()
        if row is None:
            raise NotFound(f"You don't block {id!r}.")
        return Response(known_data(player, row.since))

    @documented(
        "Block",
        operation_id="block_player",
        description="They follow no longer and can't again, and are never put on one's team.",
        request=None,
        answers={200: KnownSerializer},
        problems=[400, 403, 404],
    )
    def put(self, request: Request, id: str) -> Response:
        read_query(request)
        player = get_player(id)
        try:
            row = block_player(get_caller(request), player, now=timezone.now())
        except NotOneself as error:
            raise ValidationError([str(error)]) from error
        return Response(known_data(player, row.since))

    @documented(
        "Block no longer",
        operation_id="unblock_player",
        description="Nothing happens where they weren't blocked.",
        answers={204: None},
        problems=[400, 403, 404],
    )
    def delete(self, request: Request, id: str) -> Response:
        read_query(request)
        unblock_player(get_caller(request), get_player(id))
        return Response(status=204)
