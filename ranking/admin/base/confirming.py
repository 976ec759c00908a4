"""Asking before acting: an action of a list comes here twice, the second time with a yes, and a reason where asked."""

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

ANSWER = "confirmed"


class ReasonForm(forms.Form):
    """Why it is done, for the record: as long as the columns that keep it."""

    reason = forms.CharField(
        max_length=200, help_text="For the record.", error_messages={"required": "Say why."}, label="Why"
    )


@dataclass(frozen=True, slots=True)
class Question:
    """`title` says what is to be done, `sentence` what follows, `verb` stands on the button."""

    title: str
    sentence: str
    verb: str


def is_confirmed(request: HttpRequest) -> bool:
    return ANSWER in request.POST


def reason_form(request: HttpRequest) -> ReasonForm:
    """The form as it was answered; unanswered and without complaints the first time."""
    return ReasonForm(request.POST if is_confirmed(request) else None)


def ask(
    model_admin: ModelAdmin[Any],
    request: HttpRequest,
    rows: Iterable[Any],
    question: Question,
    form: forms.Form | None = None,
    **hidden: str,
) -> TemplateResponse:
    """The page that asks; its yes sends the same action again, with `hidden` fields and the answers to `form`.

    A row may say in its `note` what follows for it.
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
        "hidden": {**hidden, ANSWER: "yes"},
        "back": reverse(f"admin:{model_admin.opts.app_label}_{model_admin.opts.model_name}_changelist"),
    }
    return TemplateResponse(request, "admin/ranking/confirm.html", context)


def tell(model_admin: ModelAdmin[Any], request: HttpRequest, done: list[Any], what: str) -> HttpResponseRedirect | None:
    """Log what was done to each row, say it, and go back to the row where there was but one."""
    for row in done:
        model_admin.log_change(request, row, what)
    names = ", ".join(str(row) for row in done[:3]) + (f" and {len(done) - 3} more" if len(done) > 3 else "")
    level = messages.SUCCESS if done else messages.WARNING
    model_admin.message_user(request, f"{what}: {names}." if done else "Nothing had to be done.", level)
    if len(done) != 1:
        return None
    options = model_admin.opts
    return HttpResponseRedirect(reverse(f"admin:{options.app_label}_{options.model_name}_change", args=[done[0].pk]))
