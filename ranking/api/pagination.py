"""Query parameters, and lists in pages."""

from collections.abc import Iterable
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.utils.encoding import escape_uri_path
from drf_spectacular.utils import inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.database.cursors import BadCursor
from ranking.database.keyset import Order
from ranking.validation.fields import TextField
from ranking.validation.objects import StrictSerializer

M = TypeVar("M", bound=Model)
PAGE, LARGEST_PAGE = 50, 100
QUERY = "query_serializer"  # on the methods of views: the QuerySerializer of their parameters


class QuerySerializer(StrictSerializer):
    """The query parameters of an address; other parameters are refused. A list is given once for each of its items."""

    kind = "parameter"


class PageQuery(QuerySerializer):
    after = TextField(
        max_length=1000, required=False, help_text="Where the page begins: from `next` of the one before."
    )
    limit = serializers.IntegerField(min_value=1, max_value=LARGEST_PAGE, default=PAGE, help_text="Items a page.")


def read_query(request: Request, serializer: type[QuerySerializer] = QuerySerializer) -> dict[str, Any]:
    """The query parameters of a request, validated. Raises ValidationError with the names of bad ones."""
    params, declared = request.query_params, serializer._declared_fields
    lists = {name: params.getlist(name) for name in params if isinstance(declared.get(name), serializers.ListField)}
    if twice := [name for name in params if name not in lists and len(params.getlist(name)) > 1]:
        raise ValidationError({name: [ErrorDetail("This is given more than once.", "repeated")] for name in twice})
    return dict(serializer().run_validation({**params.dict(), **lists}))


def find_page(rows: QuerySet[M], order: Order, query: dict[str, Any]) -> tuple[list[M], str | None]:
    """The rows of the requested page, and the cursor of the next page; None on the last."""
    if "after" in query:
        try:
            rows = rows.filter(order.after(query["after"]))
        except BadCursor as error:
            raise ValidationError({"after": [ErrorDetail(str(error), "format")]}) from error
    items = list(rows[: query["limit"] + 1])
    page = items[: query["limit"]]
    return page, order.cursor_of(page[-1]) if len(items) > len(page) else None


def page_response(request: Request, items: Iterable[Any], after: str | None, **more: Any) -> Response:
    """The response with a page of a list, and the address of the next page."""
    return Response({**more, "items": list(items), "next": address_with(request, "after", after)})


def address_with(request: Request, name: str, cursor: str | None) -> str | None:
    """The address of this list from a cursor on. None without a cursor."""
    if not cursor:
        return None
    query = request.query_params.copy()
    for position in ("after", "before", "around", "rank"):
        query.pop(position, None)
    query[name] = cursor
    return str(request.build_absolute_uri(f"{escape_uri_path(request.path)}?{query.urlencode()}"))


def page_of(name: str, item: serializers.Field[Any, Any, Any, Any], **more: Any) -> serializers.Serializer[Any]:
    """The schema of a page."""
    following = serializers.URLField(allow_null=True, help_text="Address of the next page; null on the last.")
    return inline_serializer(name, {**more, "items": item, "next": following})
