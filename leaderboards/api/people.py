"""`/players/me/following/`, `blocked/` and `avoided/`: the players whom the caller follows, blocks, and avoids."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
    avoid_player,
    avoidances_of,
    block_player,
    blockings_of,
    follow_player,
    followings_of,
    stop_avoiding,
    unblock_player,
    unfollow_player,
)
from ranking.api.base import Conflict, PlayersOnlyView, get_caller
from ranking.api.match_answers import WithPersonSerializer
from ranking.api.pagination import PageQuery, find_page, page_of, page_response, read_query
from ranking.api.schema import F, documented
from ranking.api.views.players import get_player
from ranking.database.keyset import Order
from ranking.models import Player

LATEST = Order((("id", "whole"),), descending=True)


class Known(NamedTuple):
    """Another player, and the row that refers to them."""

    player: Player
    row: Any


class KnownSerializer(WithPersonSerializer[Known]):
    since = serializers.DateTimeField(source="row.since")


class AvoidedSerializer(KnownSerializer):
    until = serializers.DateTimeField(source="row.until")


Texts = tuple[str, str, str]  # of a call: summary, operation id, description


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of the caller to other players: its functions, and the texts of its calls.

    `column`: the column of a row that refers to the other player. `absent`: the sentence if there is no row.
    """

    column: str
    rows_of: Callable[[Player], QuerySet[Any]]
    begin: Callable[..., Any]
    end: Callable[[Player, Player], None]
    absent: str
    page: str
    conflicts: Sequence[int]  # statuses of beginning it
    listing: Texts
    getting: Texts
    beginning: Texts
    ending: Texts
    serializer: type[KnownSerializer] = KnownSerializer

    def known(self, row: Any) -> Known:
        return Known(getattr(row, self.column), row)


FOLLOWING = Relation(
    "followed", followings_of, follow_player, unfollow_player, "You don't follow {!r}.", "FollowingPage", (409,),
    ("Whom I follow, latest first", "list_following",
     "The players whom the caller sees on friends boards, unless they hide from them."),
    ("Do I follow them?", "get_following", "404 if there is no such player, or the caller doesn't follow them."),
    ("Follow", "follow_player",
     "Again changes nothing. 409 at a thousand players, and if the player blocks the caller."),
    ("Follow no longer", "unfollow_player", "Nothing happens if the caller didn't follow the player."),
)  # fmt: skip
BLOCKED = Relation(
    "blocked", blockings_of, block_player, unblock_player, "You don't block {!r}.", "BlockedPage", (),
    ("Whom I block, latest first", "list_blocked",
     "The players who can't follow the caller, and are never put on their team."),
    ("Do I block them?", "get_blocked", "404 if there is no such player, or the caller doesn't block them."),
    ("Block", "block_player",
     "The player stops following the caller, can't follow them again, and is never put on their team."),
    ("Block no longer", "unblock_player", "Nothing happens if the caller didn't block the player."),
)  # fmt: skip
AVOIDED = Relation(
    "avoided", lambda caller: avoidances_of(caller, timezone.now()), avoid_player, stop_avoiding,
    "You don't avoid {!r}.", "AvoidedPage", (409,),
    ("Whom I avoid, latest first", "list_avoided",
     "The players who aren't put on the caller's team until then. Only the caller learns of it."),
    ("Do I avoid them?", "get_avoided", "404 if there is no such player, or the caller doesn't avoid them."),
    ("Avoid for 30 days", "avoid_player",
     "The player isn't put on the caller's team for 30 days. Again: 30 days from now. 409 at ten players."),
    ("Avoid no longer", "stop_avoiding", "Nothing happens if the caller didn't avoid the player."),
    AvoidedSerializer,
)  # fmt: skip


class _ListView(PlayersOnlyView):
    """The other players of a relation, latest first."""

    relation: Relation

    def get(self, request: Request) -> Response:
        rows = self.relation.rows_of(get_caller(request))
        page, after = find_page(rows, LATEST, read_query(request, PageQuery))
        return page_response(request, self.relation.serializer.fill_many(map(self.relation.known, page)), after)


class _OneView(PlayersOnlyView):
    """The relation to one player: look at it, begin it, end it."""

    relation: Relation

    def get(self, request: Request, id: str) -> Response:
        player = get_player(id)
        row = self.relation.rows_of(get_caller(request)).filter(**{self.relation.column: player}).first()
        if row is None:
            raise NotFound(self.relation.absent.format(id))
        return Response(self.relation.serializer.fill(self.relation.known(row)))

    def put(self, request: Request, id: str) -> Response:
        player = get_player(id)
        try:
            row = self.relation.begin(get_caller(request), player, now=timezone.now())
        except NotOneself as error:
            raise ValidationError([str(error)]) from error
        except NotPossible as error:
            raise Conflict(str(error)) from error
        return Response(self.relation.serializer.fill(self.relation.known(row)))

    def delete(self, request: Request, id: str) -> Response:
        self.relation.end(get_caller(request), get_player(id))
        return Response(status=204)


def _described(texts: Texts, answer: Any, *problems: int, status: int = 200, **more: Any) -> Callable[[F], F]:
    summary, operation_id, description = texts
    return documented(
        summary, operation_id=operation_id, description=description, answers={status: answer},
        problems=[400, 403, *problems], **more,
    )  # fmt: skip


def _describe_list(relation: Relation) -> Callable[[F], F]:
    page = page_of(relation.page, relation.serializer(many=True))
    return extend_schema_view(get=_described(relation.listing, page, query=PageQuery))


def _describe_one(relation: Relation) -> Callable[[F], F]:
    return extend_schema_view(
        get=_described(relation.getting, relation.serializer, 404),
        put=_described(relation.beginning, relation.serializer, 404, *relation.conflicts, request=None),
        delete=_described(relation.ending, None, 404, status=204),
    )


@_describe_list(FOLLOWING)
class FollowingsView(_ListView):
    relation = FOLLOWING


@_describe_one(FOLLOWING)
class FollowingView(_OneView):
    relation = FOLLOWING


@_describe_list(BLOCKED)
class BlockingsView(_ListView):
    relation = BLOCKED


@_describe_one(BLOCKED)
class BlockedView(_OneView):
    relation = BLOCKED


@_describe_list(AVOIDED)
class AvoidancesView(_ListView):
    relation = AVOIDED


@_describe_one(AVOIDED)
class AvoidedView(_OneView):
    relation = AVOIDED
