"""Confirmation of actions: a page that asks before an action of a list is carried out.

The action runs twice: the first time it returns `confirmation_page`, the second time the request is confirmed, and
holds a reason if the page asked for one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.http import HttpRequest, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

CONFIRMED = "confirmed"  # the name of the form's field


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


def confirmation_page(
    model_admin: ModelAdmin[Any],
    request: HttpRequest,
    rows: Iterable[Any],
    question: Question,
    form: forms.Form | None = None,
    **hidden: str,
) -> TemplateResponse:
    """Return the page that asks. Its button sends the same action again, with `hidden` fields and those of `form`.

    The page shows a row's attribute `effect`, if the row has one: the effects on that row.
    """
    context = {
        **model_admin.admin_site.each_context(request),
        "title": question.title,
        "question": question,
        "form": form,
        "rows": rows,
        "opts": model_admin.opts,
        "media": model_admin.media,
        "action": request.POST["action"],
        "ticked_name": ACTION_CHECKBOX_NAME,
        "hidden": {**hidden, CONFIRMED: "yes"},
        "back": reverse(f"admin:{model_admin.opts.app_label}_{model_admin.opts.model_name}_changelist"),
    }
    return TemplateResponse(request, "admin/ranking/confirm.html", context)


def report_done(
    model_admin: ModelAdmin[Any], request: HttpRequest, rows: list[Any], act: str
) -> HttpResponseRedirect | None:
    """Log the act for each row and show a message; return a redirect to the row if there was exactly one."""
    for row in rows:
        model_admin.log_change(request, row, act)
    names = ", ".join(str(row) for row in rows[:3]) + (f" and {len(rows) - 3} more" if len(rows) > 3 else "")
    level = messages.SUCCESS if rows else messages.WARNING
    model_admin.message_user(request, f"{act}: {names}." if rows else "Nothing had to be done.", level)
    if len(rows) != 1:
        return None
    options = model_admin.opts
    return HttpResponseRedirect(reverse(f"admin:{options.app_label}_{options.model_name}_change", args=[rows[0].pk]))
