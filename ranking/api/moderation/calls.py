"""Calls in the name of an author, as rows: what is asked, with which right, and what answers it. `acts` is the table.

A call checks in this order: the key (`check`), the body or query, the author, and what the address names (`get`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from django.db.models import QuerySet
from django.urls import URLPattern
from django.urls import path as path_to
from rest_framework.exceptions import ErrorDetail, NotFound, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.base import ApiView, Conflict, get_numbered
from ranking.api.moderation.authors import (
    ActSerializer,
    AuthoredSerializer,
    AuthorQuery,
    ModeratingView,
    check_is_for_all_modes,
    read_act,
    read_authored_query,
)
from ranking.api.output import OutputSerializer
from ranking.api.pagination import PageQuery, find_page, page_of, page_response
from ranking.api.schema import documented
from ranking.api.views.players import get_player
from ranking.database.keyset import Order
from ranking.models import Player
from ranking.moderation.ban_limits import MayNotBan
from ranking.players.players import find_player

NEWEST = Order((("pk", "whole"),), descending=True)
GONE = "This player has left for good."


class ListQuery(PageQuery, AuthorQuery):
    pass


def check_nothing(request: Request, *address: object) -> None:
    """For what belongs to a mode: `get` or `rows` looks if the key is for it."""


def get_none(request: Request, *address: object) -> NoReturn:
    """For what is only listed."""
    raise NotFound


@dataclass(frozen=True, slots=True)
class Subject:
    """What calls are about. `answer`: its serializer. `get`: one, by the request and the address; raises NotFound.

    `check`: refuses keys, by the request and the address, before anything is read. `view`: says which scope they need.
    `given`: what acts on one take, such as a list of its number.
    """

    answer: type[OutputSerializer[Any]]
    get: Callable[..., Any] = get_none
    check: Callable[..., None] = check_is_for_all_modes
    view: type[ApiView] = ModeratingView
    given: Callable[[Any], Any] = lambda row: [row.pk]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What all calls say. `name`: of the route. `right`: Django's permission that the author needs."""

    path: str
    name: str
    operation_id: str
    summary: str
    description: str
    right: str
    of: Subject
    method: str = "get"

    def handler(self) -> Callable[..., Response]:
        """The method of a view that answers the call, and describes it in the schema."""

        def handle(view: ApiView, request: Request, **address: object) -> Response:
            self.of.check(request, *address.values())
            return self.respond(request, *address.values())

        handle.__name__ = self.method
        about = documented(self.summary, operation_id=self.operation_id, description=self.description, **self.schema())
        return about(handle)

    def schema(self) -> dict[str, Any]:
        """What `documented` says of this kind of call."""
        return {"answers": {200: self.of.answer}, "problems": [400, 403, 404], "query": AuthorQuery}

    def respond(self, request: Request, *address: object) -> Response:
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class ListCall(Call):
    """A list in pages. `rows`: by the request, the query and the address; `page`: the schema's name of a page."""

    rows: Callable[..., QuerySet[Any]]
    page: str
    order: Order = NEWEST
    query: type[ListQuery] = ListQuery
    problems: tuple[int, ...] = (400, 403, 404)

    def schema(self) -> dict[str, Any]:
        page = page_of(self.page, self.of.answer(many=True))
        return {"answers": {200: page}, "problems": self.problems, "query": self.query}

    def respond(self, request: Request, *address: object) -> Response:
        query = read_authored_query(request, self.right, self.query)
        page, after = find_page(self.rows(request, query, *address), self.order, query)
        return page_response(request, self.of.answer.fill_many(page), after)


@dataclass(frozen=True, slots=True, kw_only=True)
class GetCall(Call):
    """One row."""

    def respond(self, request: Request, *address: object) -> Response:
        read_authored_query(request, self.right)
        return Response(self.of.answer.fill(self.of.get(request, *address)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ActCall(Call):
    """An act on one row, which the answer shows as it is afterwards, changed or not.

    `function`: takes what is `given`, by whom, when and why, and the body's `arguments`. `conflict`: what it raises if
    the present state forbids the act. `makes`: what it makes for each row of a list, and returns; nothing for players
    who left for good.
    """

    function: Callable[..., Any]
    body: type[AuthoredSerializer] = ActSerializer
    conflict: type[Exception] | tuple[()] = ()
    makes: Subject | None = None
    method: str = "post"

    def schema(self) -> dict[str, Any]:
        problems = [400, 403, 404, 415, *([409] if self.conflict or self.makes else [])]
        answers = {201: self.makes.answer} if self.makes else {200: self.of.answer}
        return {"answers": answers, "problems": problems, "request": self.body}

    def respond(self, request: Request, *address: Any) -> Response:
        act = read_act(request, self.right, self.body)
        row = self.of.get(request, *address)
        try:
            given = [row] if self.makes else self.of.given(row)
            made = act.carry_out(self.function, given, **self.body.arguments(act))
        except MayNotBan as error:
            raise PermissionDenied(str(error)) from error
        except self.conflict as error:
            raise Conflict(str(error)) from error
        if self.makes is None:
            return Response(self.of.answer.fill(self.of.get(request, *address)))
        if not made:
            raise Conflict(GONE)
        return Response(self.makes.answer.fill(self.makes.get(request, made[0].pk)), status=201)


def routes_of(calls: Iterable[Call]) -> Iterator[URLPattern]:
    """Yield the routes of calls. Those at one address need the same scope of a key."""
    by_path: dict[str, list[Call]] = {}
    for call in calls:
        by_path.setdefault(call.path, []).append(call)
    for path, group in by_path.items():
        [base] = {call.of.view for call in group}
        view: type[ApiView] = type("CallView", (base,), {call.method: call.handler() for call in group})
        yield path_to(path, view.as_view(), name=group[0].name)


def getter_of(rows: QuerySet[Any], noun: str) -> Callable[..., object]:
    """What gets one of these rows by its number. `noun`: what it is."""
    return lambda request, number: get_numbered(rows, number, noun)


def of_player(rows: QuerySet[Any]) -> Callable[..., QuerySet[Any]]:
    """A list's `rows`: those of the player whom the address names, the newest first."""
    return lambda request, query, key: rows.filter(player=get_player(key)).order_by("-pk")


def find_queried_player(query: dict[str, Any]) -> Player:
    """The player whom a query names. Raises ValidationError if there is none."""
    player = find_player(query["player"])
    if player is None:
        sentence = ErrorDetail(f"There is no player {query['player']!r}.", "unknown")
        raise ValidationError({"player": [sentence]})
    return player
