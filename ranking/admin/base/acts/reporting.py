"""What follows an act: a line in the history of each row, and a message with a link to what takes the act back."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import Model
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html

from ranking.admin.base.audited import M


def report_done(
    model_admin: ModelAdmin[M],
    request: HttpRequest,
    rows: list[Any],
    act: str,
    *,
    undo: tuple[type[Model], dt.datetime] | None = None,
    following: Model | None = None,
) -> HttpResponseRedirect | None:
    """Log the act for each row and show a message; return a redirect to the row if there was exactly one.

    `undo`: the list that takes such an act back, and the act's time. The message about many rows links to them there.
    `following`: the row to go on to, instead of the only one; the message then links to that one.
    """
    if rows:
        LogEntry.objects.log_actions(request.user.pk, rows, CHANGE, act)  # type: ignore[arg-type]
    texts = [str(row) for row in rows[:3]]
    between = "; " if any(", " in text for text in texts) else ", "
    names = between.join(texts) + (f" and {len(rows) - 3:,} more" if len(rows) > 3 else "")
    level = messages.SUCCESS if rows else messages.WARNING
    message: str = f"{act}: {names}." if rows else "Nothing had to be done."
    if undo is not None and len(rows) > 1:
        message = with_undo(message, *undo)
    elif following is not None and len(rows) == 1:
        message = format_html('{} <a href="{}">Show it</a>', message, _page_of(model_admin.opts, rows[0]))
    model_admin.message_user(request, message, level)
    return HttpResponseRedirect(_page_of(model_admin.opts, following or rows[0])) if len(rows) == 1 else None


def with_undo(message: str, model: type[Model], done_at: dt.datetime) -> str:
    """Return the message with a link to the rows of this list that were acted on then: it takes the act back."""
    address = reverse(list_of(model._meta), query={"done": done_at.isoformat()})
    return format_html('{} <a href="{}">Show these {}</a>', message, address, model._meta.verbose_name_plural)


def list_of(options: Any) -> str:
    return f"admin:{options.app_label}_{options.model_name}_changelist"


def _page_of(options: Any, row: Model) -> str:
    return reverse(f"admin:{options.app_label}_{options.model_name}_change", args=[row.pk])
