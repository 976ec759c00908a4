"""Saved filters above a list: links to the reader's own, and forms that save the current filter or remove one."""

from __future__ import annotations

from typing import cast
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.views.main import ERROR_FLAG, PAGE_VAR
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from ranking.admin.base.audited import M
from ranking.models import SavedFilter
from ranking.operations.saved_filters import FilterRefused, forget_filter, save_filter

NAME, FORGET = "filter_name", "forget_filter"  # fields of the forms


def filter_of(request: HttpRequest) -> str:
    """Return the search, filters and order of an address, without the page."""
    pairs = [(name, value) for name, value in request.GET.items() if value and name not in (PAGE_VAR, ERROR_FLAG)]
    return urlencode(sorted(pairs))


def saved_filters(model_admin: ModelAdmin[M], request: HttpRequest) -> dict[str, object]:
    """Return what the list's template shows: the reader's filters of this list, and the current one. One query."""
    query = filter_of(request)
    mine = SavedFilter.objects.filter(owner=request.user.pk, list=model_admin.opts.label_lower).order_by("name")
    return {"saved_filters": list(mine), "current_filter": query}


def change_filters(model_admin: ModelAdmin[M], request: HttpRequest) -> HttpResponse | None:
    """Save or remove a filter if the request asks for it, and return to the list; None if it doesn't."""
    if request.method != "POST" or not {NAME, FORGET} & set(request.POST):
        return None
    owner, number = cast("User", request.user), request.POST.get(FORGET, "")
    if FORGET in request.POST:
        known = number.isascii() and number.isdigit() and len(number) < 19
        name = forget_filter(owner=owner, number=int(number)) if known else None
        said, level = (f"Removed the filter “{name}”.", messages.SUCCESS) if name else ("It is gone.", messages.WARNING)
    else:
        try:
            label, query = model_admin.opts.label_lower, filter_of(request)
            saved = save_filter(owner=owner, name=request.POST[NAME], query=query, filtered_list=label)
            said, level = f"Saved the filter “{saved.name}”.", messages.SUCCESS
        except FilterRefused as refused:
            said, level = str(refused), messages.ERROR
    model_admin.message_user(request, said, level)
    return HttpResponseRedirect(request.get_full_path())
