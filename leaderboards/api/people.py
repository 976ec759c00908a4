"""`/players/me/following/` and `/players/me/blocked/`: the players whom the caller follows, and whom they block."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema_view
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.people.following import (
    NotOneself,
    NotPossible,
    block_player,
    blockings_of,
    follow_player,
    followings_of,
    unblock_player,
    unfollow_player,
)
from ranking.api.base import Conflict, PlayersOnlyView, get_caller
from ranking.api.match_answers import PersonSerializer
from ranking.api.pagination import PageQuery, find_page, page_of, page_response, read_query
from ranking.api.schema import documented
from ranking.api.views.players import get_player
from ranking.database.keyset import Order
from ranking.models import Player

LATEST = Order((("id", "whole"),), descending=True)


class KnownSerializer(PersonSerializer):
    since = serializers.DateTimeField()


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of the caller to other players. `column` of its rows is the other player; `absent` is the sentence
    for a player without a row.
    """

    column: str
    rows_of: Callable[[Player], QuerySet[Any]]
    begin: Callable[..., Any]
    end: Callable[[Player, Player], None]
    absent: str

    def data(self, row: Any) -> dict[str, Any]:
        """KnownSerializer's data."""
        player = getattr(row, self.column)
        return {"id": player.key, "name": player.name, "since": row.since}


FOLLOWING = Relation("followed", followings_of, follow_player, unfollow_player, "You don't follow {!r}.")
BLOCKED = Relation("blocked", blockings_of, block_player, unblock_player, "You don't block {!r}.")


class _ListView(PlayersOnlyView):
    relation: Relation

    def get(self, request: Request) -> Response:
        rows = self.relation.rows_of(get_caller(request))
        page, after = find_page(rows, LATEST, read_query(request, PageQuery))
        return page_response(request, (self.relation.data(row) for row in page), after)


class _OneView(PlayersOnlyView):
    relation: Relation

    def get(self, request: Request, id: str) -> Response:
        read_query(request)
        player = get_player(id)
        row = self.relation.rows_of(get_caller(request)).filter(**{self.relation.column: player}).first()
        if row is None:
            raise NotFound(self.relation.absent.format(id))
        return Response(self.relation.data(row))

    def put(self, request: Request, id: str) -> Response:
        read_query(request)
        player = get_player(id)
        try:
            row = self.relation.begin(get_caller(request), player, now=timezone.now())
        except NotOneself as error:
            raise ValidationError([str(error)]) from error
        except NotPossible as error:
            raise Conflict(str(error)) from error
        return Response(self.relation.data(row))

    def delete(self, request: Request, id: str) -> Response:
        read_query(request)
        self.relation.end(get_caller(request), get_player(id))
        return Response(status=204)


@extend_schema_view(
    get=documented(
        "Whom I follow, latest first",
        operation_id="list_following",
        description="The players whom the caller sees on friends boards, unless they hide from them.",
        answers={200: page_of("FollowingPage", KnownSerializer(many=True))},
        problems=[400, 403],
        parameters=[PageQuery],
    )
)
class FollowingsView(_ListView):
    relation = FOLLOWING


@extend_schema_view(
    get=documented(
        "Do I follow them?",
        operation_id="get_following",
        description="404 if there is no such player, or the caller doesn't follow them.",
        answers={200: KnownSerializer},
        problems=[400, 403, 404],
    ),
    put=documented(
        "Follow",
        operation_id="follow_player",
        description="Again changes nothing. 409 at a thousand players, and if the player blocks the caller.",
        request=None,
        answers={200: KnownSerializer},
        problems=[400, 403, 404, 409],
    ),
    delete=documented(
        "Follow no longer",
        operation_id="unfollow_player",
        description="Nothing happens if the caller didn't follow the player.",
        answers={204: None},
        problems=[400, 403, 404],
    ),
)
class FollowingView(_OneView):
    relation = FOLLOWING


@extend_schema_view(
    get=documented(
        "Whom I block, latest first",
        operation_id="list_blocked",
        description="The players who can't follow the caller, and are never put on their team.",
        answers={200: page_of("BlockedPage", KnownSerializer(many=True))},
        problems=[400, 403],
        parameters=[PageQuery],
    )
)
class BlockingsView(_ListView):
    relation = BLOCKED


@extend_schema_view(
    get=documented(
        "Do I block them?",
        operation_id="get_blocked",
        description="404 if there is no such player, or the caller doesn't block them.",
        answers={200: KnownSerializer},
        problems=[400, 403, 404],
    ),
    put=documented(
        "Block",
        operation_id="block_player",
        description="The player stops following the caller, can't follow them again, and is never put on their team.",
        request=None,
        answers={200: KnownSerializer},
        problems=[400, 403, 404],
    ),
    delete=documented(
        "Block no longer",
        operation_id="unblock_player",
        description="Nothing happens if the caller didn't block the player.",
        answers={204: None},
        problems=[400, 403, 404],
    ),
)
class BlockedView(_OneView):
    relation = BLOCKED
