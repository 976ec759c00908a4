"""Acts of moderators: a form asks why, below what will follow for whom, before anything happens."""

from __future__ import annotations

import datetime as dt
from typing import Any, TypeVar, cast

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest

from ranking.admin.confirming import is_confirmed
from ranking.models import Ban

LONGEST_BAN = 3650


class ReasonForm(forms.Form):
    reason = forms.CharField(max_length=200, help_text="Goes into the audit log.")


class BanForm(ReasonForm):
    scope = forms.ChoiceField(choices=Ban.SCOPES, label="From")
    days = forms.IntegerField(
        min_value=1, max_value=LONGEST_BAN, required=False, help_text="From now on. Empty: until it is lifted."
    )
    field_order = ("scope", "days", "reason")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].help_text = "The player reads it, and it goes into the audit log."

    def ends_at(self, now: dt.datetime) -> dt.datetime | None:
        days = self.cleaned_data["days"]
        return None if days is None else now + dt.timedelta(days=days)


F = TypeVar("F", bound=ReasonForm)


def read_form(request: HttpRequest, kind: type[F]) -> F:
    """What was answered: a form that isn't valid before anybody answered."""
    return kind(request.POST if is_confirmed(request) else None)


def moderator(request: HttpRequest) -> User:
    return cast("User", request.user)
