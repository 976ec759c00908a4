"""The page that asks before an act is done: which rows it is meant for, what it will lead to, and why it is done.

The act runs twice: the first time it returns `confirmation_page`, the second time the request is confirmed, and
holds a reason if the page asked for one.
"""

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.admin import ModelAdmin
from django.contrib.admin.views.main import ERROR_FLAG, PAGE_VAR
from django.core.cache import cache
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from ranking.admin.base.acts.chosen_rows import CHOSEN, keys_text
from ranking.admin.base.acts.reporting import list_of
from ranking.admin.base.audited import M

CONFIRMED = "confirmed"  # the name of the form's field
ONCE = "once"  # the name of the field that holds the number of the form: it is acted on once
CAME_FROM = "came_from"  # the name of the field that holds the address of the page with the button
SENT_BEFORE = "This was sent before, and it is done once. Nothing more has changed."
SHOWN = 50  # rows that a confirmation page lists


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
    model_admin: ModelAdmin[M],
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
    back, came_from = reverse(list_of(model_admin.opts), query=left), request.POST.get(CAME_FROM, "")
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
            CHOSEN: keys_text(chosen),
            CONFIRMED: "yes",
            ONCE: new_number(),
            CAME_FROM: cancel,
        },
        "back": back,
        "cancel": cancel,
    }
    return TemplateResponse(request, "admin/ranking/confirm.html", context)
