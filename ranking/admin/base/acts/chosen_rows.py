"""The rows that an act is meant for: ticked ones, all that match beyond the page, or exactly those that were previewed.

The first request names the rows by ticks, or by search and filters. The confirmation page then carries their keys in
one field, so that the set can't grow before it is confirmed. Some pages also count other rows, such as the incidents of
players; a second field carries the keys of those.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest

from ranking.admin.base.audited import M
from ranking.admin.base.lists import BadListAddress, BoundedChangeList, number_in

MOST, MOST_OF_AN_ACT = 5_000, 10_000  # rows at once; if the list is filtered by one act, which is then taken back
MOST_PREVIEWED = 10_000  # rows that a page counts beside those of the list
ACROSS, CHOSEN = "all_that_match", "chosen"  # fields of the list's form, and of the confirmation page
PREVIEWED = "previewed"  # the field with the keys of the rows that a page counted

Rows = TypeVar("Rows", bound="QuerySet[Any]")


def most_of(request: HttpRequest) -> int:
    """Return how many rows an action may be done on at once."""
    return MOST_OF_AN_ACT if request.GET.get("done") else MOST


def read_action(described: Any) -> tuple[Any, str]:
    """Return the function and the label of an action as Django describes it: by a tuple before 6.1."""
    if isinstance(described, tuple):
        return described[0], described[2]
    return described.func, described.description


def name_rows(model_admin: ModelAdmin[M], request: HttpRequest) -> bool:
    """Put the keys of the rows that an action is meant for where Django looks for ticked rows.

    Returns False, with a message, if the action can't be done on all rows that match. Raises BadListAddress for keys
    that no row can have.
    """
    sent = request.POST.copy()
    if CHOSEN in sent:
        sent.setlist(ACTION_CHECKBOX_NAME, [key for key in str(sent[CHOSEN]).split(",") if key])
    elif ACROSS in sent:
        keys = _matching(model_admin, request)
        if isinstance(keys, str):
            model_admin.message_user(request, keys, messages.WARNING)
            return False
        sent.setlist(ACTION_CHECKBOX_NAME, [str(key) for key in keys])
    _check(model_admin, sent.getlist(ACTION_CHECKBOX_NAME), most_of(request))
    request.POST = sent  # type: ignore[assignment]
    return True


def _matching(model_admin: ModelAdmin[M], request: HttpRequest) -> list[object] | str:
    """Return the keys of all rows that match, or a sentence that says why the action isn't done on them."""
    described = model_admin.get_actions(request).get(request.POST.get("action", ""))
    if described is None:
        return "No action selected."
    function, label = read_action(described)
    if not getattr(function, "bulk", False):
        return f"“{label.rstrip('…')}” is done on ticked rows only. Nothing has changed."
    rows = model_admin.get_changelist_instance(request)
    assert isinstance(rows, BoundedChangeList)  # noqa: S101 - narrows a type
    if not rows.narrowed:
        return "Search or filter first: without, it would be every row of the list. Nothing has changed."
    if rows.is_cut:
        return f"{rows.cut_text} Nothing has changed."
    most = most_of(request)
    keys = rows.first_keys(most + 1)
    if len(keys) > most:
        return f"More than {most:,} rows match, which is too many at once. Filter more closely. Nothing has changed."
    return keys or "No row matches. Nothing has changed."


def _check(model_admin: ModelAdmin[M], keys: list[str], most: int) -> None:
    if len(keys) > most:
        raise BadListAddress(f"That is more than {most:,} rows at once.")
    whole = model_admin.opts.pk.get_internal_type().endswith(("AutoField", "IntegerField", "OneToOneField"))
    for key in keys:
        if not key or len(key) > 128 or (whole and not (key.isascii() and key.isdigit() and len(key) <= 18)):
            raise BadListAddress(f"“{key[:32]}” is no row of this list.")


def was_previewed(request: HttpRequest) -> bool:
    """True if the request comes from a page that counted rows. Without such a page, an act asks first."""
    return PREVIEWED in request.POST


def as_previewed(request: HttpRequest, rows: Rows) -> Rows:
    """Return the rows that the page had counted; all rows if the request comes from no such page."""
    if not was_previewed(request):
        return rows
    keys = request.POST[PREVIEWED].split(",", MOST_PREVIEWED)[:MOST_PREVIEWED]
    return rows.filter(pk__in=[number_in(key) for key in keys])


def keys_text(keys: Iterable[object]) -> str:
    """Return keys as a field carries them."""
    return ",".join(str(key) for key in keys)
