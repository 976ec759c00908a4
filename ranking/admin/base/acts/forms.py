"""Forms of acts: each asks for the reason, some for times, a scope or an answer."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, TypeVar

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest

from ranking.admin.base.acts.confirmation import is_confirmed
from ranking.admin.base.audited import person
from ranking.admin.base.lists import number_in
from ranking.models import Ban, CannedAnswer
from ranking.models.void import NOTE
from ranking.moderation.ban_limits import BAN_RIGHT, EXTEND_RIGHT, find_limit
from ranking.rules.ban_lengths import (
    CHOSEN_AND_WRITTEN,
    LONGEST_DAYS,
    LONGEST_HOURS,
    NOT_BOTH,
    ONE_OF_BOTH,
    USUAL,
    WHOLE_DAYS,
    WHOLE_HOURS,
    length_of,
)

INSERT = "insert"  # the name of the button that puts a canned answer into the text


class RecordedReasonForm(forms.Form):
    """Asks for the reason, which is recorded; it may be as long as the columns that keep reasons."""

    reason = forms.CharField(
        max_length=200, help_text="For the record.", error_messages={"required": "Say why."}, label="Why"
    )


class ActForm(forms.Form):
    """Asks for what an act needs to know; `details` returns it as arguments of the act."""

    def fit_to(self, by: User) -> None:
        """Offer what this person may do."""

    def details(self, now: dt.datetime) -> dict[str, Any]:
        return dict(self.cleaned_data)


class ReasonForm(ActForm):
    """Asks for the reason of an act that no player hears of."""

    reason = forms.CharField(max_length=200, label="Why", help_text="For moderators only. It goes into the audit log.")


class CannedChoice(forms.ModelChoiceField[CannedAnswer]):
    """A choice among the canned answers, each with the whole text that would be sent."""

    def __init__(self) -> None:
        super().__init__(
            CannedAnswer.objects.filter(offered=True).order_by("title"), required=False, widget=forms.RadioSelect,
            empty_label="None: what is written below", label="Canned answer", blank=True,
        )  # fmt: skip

    def label_from_instance(self, answer: Any) -> str:
        return f"{answer.title}: {answer.text}"


class TextsForm(ReasonForm):
    """Asks for both texts of an act that a player hears of. Canned answers are offered, if there are any.

    A canned answer is sent if no text is written beside it.
    """

    note = forms.CharField(
        max_length=NOTE,
        required=False,
        label="Note for moderators only",
        help_text="It goes into the audit log, and no player ever reads it.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].label = "What the player reads"
        self.fields["reason"].help_text = "It goes into the audit log, too."
        if CannedAnswer.objects.filter(offered=True).exists():
            self.fields["canned"] = CannedChoice()
            self.fields["reason"].required = False
            last = ("reason", "note")
            self.order_fields([*(name for name in self.fields if name not in (*last, "canned")), "canned", *last])

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        canned, reason = values.get("canned"), values.get("reason", "")
        if canned is not None and reason and reason != canned.text:
            self.add_error("canned", "You chose an answer and wrote another: choose none, or empty the text.")
        elif canned is not None:
            values["reason"] = canned.text
        elif "canned" in self.fields and not reason and "reason" not in self.errors:
            self.add_error("reason", "Write what the player reads, or choose an answer.")
        return values

    def details(self, now: dt.datetime) -> dict[str, Any]:
        return {name: value for name, value in super().details(now).items() if name != "canned"}


class ExtendForm(TextsForm):
    """Asks how long a ban lasts: one of the usual lengths, or days or hours."""

    right = EXTEND_RIGHT
    length = forms.ChoiceField(label="How long", required=False, help_text="From now on.")
    days = forms.IntegerField(
        min_value=1, max_value=LONGEST_DAYS, required=False, help_text="If none of the lengths above fits.",
        error_messages={"invalid": WHOLE_DAYS},
    )  # fmt: skip
    hours = forms.IntegerField(
        min_value=1, max_value=LONGEST_HOURS, required=False, error_messages={"invalid": WHOLE_HOURS},
    )  # fmt: skip
    field_order: Sequence[str] = ("length", "days", "hours", "reason", "note")
    without_length = "As written below"
    no_length = "Instead of days. Both empty: until it is lifted."

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offer_lengths(None)
        self.fields["hours"].help_text = self.no_length

    def _offer_lengths(self, longest: dt.timedelta | None) -> None:
        usual = [
            (hours, words) for hours, words in USUAL.items() if longest is None or dt.timedelta(hours=hours) <= longest
        ]
        choice: Any = self.fields["length"]
        choice.choices = [("", self.without_length), *usual]

    def fit_to(self, by: User) -> None:
        limit = find_limit(by, self.right)
        if limit is not None:
            self._offer_lengths(max((length for length in limit.longest.values() if length), default=None))
            self.fields["length"].help_text = f"{limit.sentence} All bans of a player count together."

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        if values.get("days") is not None and values.get("hours") is not None:
            self.add_error("hours", NOT_BOTH)
        if values.get("length") and (values.get("days") is not None or values.get("hours") is not None):
            self.add_error("length", CHOSEN_AND_WRITTEN)
        return values

    def chosen_hours(self) -> int | None:
        """How many hours the ban lasts from now on; None for good."""
        chosen, days, hours = (self.cleaned_data.get(name) for name in ("length", "days", "hours"))
        return int(chosen) if chosen else 24 * days if days is not None else hours

    def span(self) -> dt.timedelta | None:
        """How long the ban lasts from now on; None for good."""
        return length_of(None, self.chosen_hours())

    def details(self, now: dt.datetime) -> dict[str, Any]:
        details, length = super().details(now), self.span()
        del details["length"], details["days"], details["hours"]
        return {**details, "ends_at": None if length is None else now + length}


class ShortenForm(ExtendForm):
    no_length = "Instead of days."

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        if not self.errors.keys() & {"length", "days", "hours"} and self.chosen_hours() is None:
            self.add_error("days", ONE_OF_BOTH)
        return values


class BanForm(ExtendForm):
    right = BAN_RIGHT
    scope = forms.ChoiceField(choices=Ban.SCOPES, label="Banned from")
    field_order = ("scope", "length", "days", "hours", "reason", "note")

    def fit_to(self, by: User) -> None:
        super().fit_to(by)
        limit = find_limit(by, self.right)
        if limit is not None:
            choice: Any = self.fields["scope"]
            choice.choices = [(scope, words) for scope, words in Ban.SCOPES if scope in limit.scopes]


class ProposalForm(BanForm):
    """Asks for a ban that somebody else is to confirm: whoever proposes it may name any length."""

    def fit_to(self, by: User) -> None:
        self.fields["length"].help_text = "From the confirmation on."

    def details(self, now: dt.datetime) -> dict[str, Any]:
        details = super().details(now)
        del details["ends_at"]
        return {**details, "hours": self.chosen_hours()}


class UTCTimeField(forms.DateTimeField):
    """A time in UTC, chosen with the browser's own picker."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        super().__init__(widget=widget, **kwargs)


class SinceForm(forms.Form):
    since = UTCTimeField(help_text="UTC. Every match of theirs that ended then or later.")


class CrashForm(forms.Form):
    """Asks for the server and the time range of a crash."""

    server = forms.CharField(
        max_length=64, required=False, help_text="As results name it. Empty: everywhere, lobbies included.",
        widget=forms.TextInput(attrs={"list": "servers", "autocomplete": "off"}),
    )  # fmt: skip
    since = UTCTimeField(label="From", help_text="UTC, when they left.")
    until = UTCTimeField(label="To", help_text="UTC.")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("since") and values.get("until") and values["since"] > values["until"]:
            self.add_error("until", "It ends before it begins.")
        return values


F = TypeVar("F", bound=forms.Form)


def form_from(request: HttpRequest, kind: type[F]) -> F:
    """Return the form with the answers; an empty form, which isn't valid, if the request isn't confirmed yet."""
    return sent_form(request, kind) if is_confirmed(request) else kind()


def sent_form(request: HttpRequest, kind: type[F]) -> F:
    """Return the form with the answers; an empty form, which isn't valid, if nothing was sent.

    The button beside canned answers doesn't confirm: it asks for the same form with the chosen answer as its text.
    """
    if INSERT not in request.POST:
        return kind(request.POST or None)
    values = request.POST.dict()
    chosen = CannedAnswer.objects.filter(offered=True, pk=number_in(values.pop("canned", ""))).first()
    return kind(initial=values if chosen is None else {**values, "reason": chosen.text})


def details_of(request: HttpRequest, form: ActForm, now: dt.datetime) -> dict[str, Any]:
    """Return the arguments of an act: by whom, when, and the answers of its form."""
    return {"by": person(request), "now": now, **form.details(now)}
