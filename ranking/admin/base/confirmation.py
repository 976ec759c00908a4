"""Confirmation of actions: a page that asks before an action of a list is carried out.

The action runs twice: the first time it returns `confirmation_page`, the second time the request is confirmed, and
holds a reason if the page asked for one.
"""

import datetime as dt
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.admin.views.main import ERROR_FLAG, PAGE_VAR
from django.core.cache import cache
from django.db.models import Model
from django.http import HttpRequest, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import url_has_allowed_host_and_scheme

from ranking.admin.base.across import CHOSEN

CONFIRMED = "confirmed"  # the name of the form's field
ONCE = "once"  # the name of the field that holds the number of the form: it is acted on once
CAME_FROM = "came_from"  # the name of the field that holds the address of the page with the button
SENT_BEFORE = "This was sent before, and it is done once. Nothing more has changed."
SHOWN = 50  # rows that a confirmation page lists


class RecordedReasonForm(forms.Form):
    """Asks for the reason, which is recorded; it may be as long as the columns that keep reasons."""

    reason = forms.CharField(
        max_length=200, help_text="For the record.", error_messages={"required": "Say why."}, label="Why"
    )


@dataclass(frozen=True, slots=True)
class Question:
    """The text of a confirmation page. `title`: what will be done; `sentence`: its effects; `verb`: the button."""

    title: str
    sentence: str
    verb: str


def is_confirmed(request: HttpRequest) -> bool:
    return CONFIRMED in request.POST


def new_number() -> str:
    """Return the number of a form that is to be acted on once, for its field ONCE."""
    return secrets.token_hex(16)


def claim_form(request: HttpRequest) -> str | None:
    """Claim the form that was sent, for a day; a form without a number may be sent again.

    Return what `give_up_form` takes, or None if the form was sent before.
    """
    number = request.POST.get(ONCE, "")
    if not re.fullmatch("[0-9a-f]{32}", number):
        return ""
    key = f"form:{request.user.pk}:{number}"
    return key if cache.add(key, 1, 24 * 60 * 60) else None


def give_up_form(claim: str) -> None:
    """Let the form be sent again: it was asked about, or failed."""
    if claim:
        cache.delete(claim)


def confirmation_page(
    model_admin: ModelAdmin[Any],
    request: HttpRequest,
    rows: Iterable[Any],
    question: Question,
    form: forms.Form | None = None,
    keys: Iterable[Any] | None = None,
    **hidden: str,
) -> TemplateResponse:
    """Return the page that asks. Its button sends the same action again, with `hidden` fields and those of `form`.

    The page shows the first SHOWN rows, each with its attribute `effect`, if the row has one: the effects on that row.
    `keys`: of all rows that the action is meant for, if `rows` are the first of them only. The button sends exactly
    these keys, whatever the search and filters match by then.
    """
    shown = list(rows)
    chosen = [row.pk for row in shown] if keys is None else list(keys)
    left = {name: value for name, value in request.GET.items() if name not in (PAGE_VAR, ERROR_FLAG)}
    back, came_from = reverse(_list_of(model_admin.opts), query=left), request.POST.get(CAME_FROM, "")
    cancel = came_from if url_has_allowed_host_and_scheme(came_from, allowed_hosts=None) else back
    context = {
        **model_admin.admin_site.each_context(request),
        "title": question.title,
        "question": question,
        "form": form,
        "rows": shown[:SHOWN],
        "more": len(chosen) - len(shown[:SHOWN]),
        "total": len(chosen),
        "opts": model_admin.opts,
        "media": model_admin.media,
        "action": request.POST["action"],
        "hidden": {
            **hidden,
            CHOSEN: ",".join(str(key) for key in chosen),
            CONFIRMED: "yes",
            ONCE: new_number(),
            CAME_FROM: cancel,
        },
        "back": back,
        "cancel": cancel,
    }
    return TemplateResponse(request, "admin/ranking/confirm.html", context)


def keys_of(rows: Iterable[Any]) -> list[Any]:
    """Return the primary keys of rows."""
    return [row.pk for row in rows]


def report_done(
    model_admin: ModelAdmin[Any],
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
    address = reverse(_list_of(model._meta), query={"done": done_at.isoformat()})
    return format_html('{} <a href="{}">Show these {}</a>', message, address, model._meta.verbose_name_plural)


def _list_of(options: Any) -> str:
    return f"admin:{options.app_label}_{options.model_name}_changelist"


def _page_of(options: Any, row: Model) -> str:
    return reverse(f"admin:{options.app_label}_{options.model_name}_change", args=[row.pk])
