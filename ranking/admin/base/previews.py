"""What a preview counts beside the rows that it lists, such as the incidents of players.

The page that asks carries the keys of all that it counted in one field. The act then concerns none that came later.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from django.db.models import QuerySet
from django.http import HttpRequest

from ranking.admin.base.base import number_in

PREVIEWED = "previewed"  # the name of the field
MOST_PREVIEWED = 10_000

Rows = TypeVar("Rows", bound="QuerySet[Any]")


def was_previewed(request: HttpRequest) -> bool:
    """True if the request comes from a page that says what it counted. Without that, an act asks first."""
    return PREVIEWED in request.POST


def as_previewed(request: HttpRequest, rows: Rows) -> Rows:
    """Return the rows that the preview counted; all rows if the request comes from no preview."""
    if not was_previewed(request):
        return rows
    keys = request.POST[PREVIEWED].split(",", MOST_PREVIEWED)[:MOST_PREVIEWED]
    return rows.filter(pk__in=[number_in(key) for key in keys])


def keys_text(keys: Iterable[Any]) -> str:
    """Return the value of the field."""
    return ",".join(str(key) for key in keys)
