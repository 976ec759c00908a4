"""Acts on rows of a list. Each is one row of the list's `actions`; the page of a row offers it, too.

An act asks on a page (confirmation.py) which rows it is meant for (chosen_rows.py) and what it will lead to
(effects.py). Once confirmed, it calls a function of the domain with the answers of its form (forms.py). Each changed
row then gets a line in its history (reporting.py); the domain's function writes the audit log.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.db.models import Model, Q, QuerySet
from django.db.models.expressions import Combinable
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from ranking.admin.base.acts.confirmation import SHOWN, Question, confirmation_page, is_confirmed
from ranking.admin.base.acts.forms import ActForm, TextsForm, form_from
from ranking.admin.base.acts.reporting import report_done
from ranking.admin.base.audited import person
from ranking.moderation.ban_limits import MayNotBan

M = TypeVar("M", bound=Model)
OWN_RIGHTS = ("add", "change")  # of the list's own model; other rights are permissions with their app


class ActRefused(Exception):
    """The domain refused an act. The text is a sentence, `level` that of the message."""

    def __init__(self, sentence: str, level: int = messages.WARNING) -> None:
        super().__init__(sentence)
        self.level = level


class AnswersRefused(Exception):
    """The domain refused what the form said. The text is a sentence; the page asks again, with it above the form."""


@dataclass(frozen=True)
class Act:
    """An act on rows of a list, which Django calls as an action.

    `right`: the permission that it asks for. `do`: takes the rows, `by`, `now` and the form's details as keywords, and
    returns the rows that it changed; it may raise ActRefused, and AnswersRefused if there is a form. A class of its own
    may hand it something else. `outcome`: what the history and the message say. `question`: None does the act at once.
    `form`: None asks for a click only. `effects`: gives the first rows that the page shows their `effect`. `undo`: the
    model of the list that takes the act back.

    `concerned`: the condition on rows that the act can change. `needs_rows`: without any it does nothing instead of
    asking. `fits`: whether the page of a row offers it. `bulk`: it may be done on all rows that match, beyond the page.
    """

    name: str
    label: str
    right: str
    do: Callable[..., Any]
    outcome: str | Callable[[Any], str] = ""
    question: Question | Callable[[Any], Question] | None = None
    form: type[ActForm] | None = TextsForm
    effects: Callable[[Any, dt.datetime], Iterable[Any]] | None = None
    undo: type[Model] | None = None
    concerned: Q | Combinable | None = None
    needs_rows: bool = False
    fits: Callable[[Any], bool] = lambda row: True
    bulk: bool = False

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def short_description(self) -> str:
        return self.label

    def __call__(self, page: ModelAdmin[Any], request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
        """Ask about the rows; once confirmed, do the act."""
        now, form = timezone.now(), form_from(request, self.form) if self.form and self.question else None
        if form is not None:
            form.fit_to(person(request))
        if self.concerned is not None:
            rows = rows.filter(self.concerned)
        if self.needs_rows and not rows:
            return self.report(page, request, [], form, now)
        if self.question and not (form.is_valid() if form else is_confirmed(request)):
            return self.ask(page, request, rows, form, now)
        details = form.details(now) if form else {}
        try:
            changed = self.do(rows, by=person(request), now=now, **details)
        except ActRefused as refused:
            page.message_user(request, str(refused), refused.level)
            return None
        except AnswersRefused as refused:
            assert form is not None  # noqa: S101 - narrows a type
            form.add_error(None, str(refused))
            return self.ask(page, request, rows, form, now)
        return self.report(page, request, list(changed), form, now)

    def ask(
        self, page: ModelAdmin[Any], request: HttpRequest, rows: QuerySet[Any], form: ActForm | None, now: dt.datetime
    ) -> HttpResponse:
        """Return the page that asks."""
        shown, keys = self.shown(rows, now)
        return confirmation_page(page, request, shown, self.question_about(rows), form, keys, **self.hidden(request))

    def question_about(self, rows: QuerySet[Any]) -> Question:
        if isinstance(self.question, Question):
            return self.question
        if self.question is None:
            raise TypeError(f"{self.name} asks nothing.")
        return self.question(rows)

    def shown(self, rows: QuerySet[Any], now: dt.datetime) -> tuple[Iterable[Any], list[Any]]:
        """Return the first rows with their effects, and the keys of all."""
        first = rows[:SHOWN]
        return self.effects(first, now) if self.effects else first, keys_of(rows)

    def hidden(self, request: HttpRequest) -> dict[str, str]:
        """Return fields that the page hands on."""
        return {}

    def report(
        self, page: ModelAdmin[Any], request: HttpRequest, changed: list[Any], form: ActForm | None, now: dt.datetime
    ) -> HttpResponse | None:
        outcome = self.outcome if isinstance(self.outcome, str) else self.outcome(form)
        return report_done(page, request, changed, outcome, undo=(self.undo, now) if self.undo else None)

    def is_allowed(self, page: ModelAdmin[Any], request: HttpRequest) -> bool:
        if self.right in OWN_RIGHTS:
            return bool(getattr(page, f"has_{self.right}_permission")(request))
        return request.user.has_perm(self.right)

    def is_offered(self, request: HttpRequest, row: Any) -> bool:
        """True if the page of this row has a button for the act."""
        return self.fits(row)

    def label_on(self, row: Any) -> str:
        """Return the label of the button on the page of this row."""
        return self.label


def keys_of(rows: QuerySet[Any]) -> list[Any]:
    """Return the primary keys of rows."""
    return list(rows.values_list("pk", flat=True))


def at_any_time(effects: Callable[[Any], list[Any]]) -> Callable[[Any, dt.datetime], list[Any]]:
    """Return `effects` of an act by a function of the rows alone."""
    return lambda rows, now: effects(rows)


def within_limits(do: Callable[..., Any]) -> Callable[..., Any]:
    """Return `do` of an act that asks again if the form's ban is more than its author may give."""

    def checked(rows: QuerySet[Any], **details: Any) -> list[Any]:
        try:
            return list(do(rows, **details))
        except MayNotBan as refused:
            raise AnswersRefused(str(refused)) from refused

    return checked


def on_keys(act: Callable[..., Iterable[M]]) -> Callable[..., Iterable[M]]:
    """Return `do` of an act whose function takes keys."""
    return lambda rows, **details: act(keys_of(rows), **details)


def on_list(act: Callable[..., Iterable[M]]) -> Callable[..., Iterable[M]]:
    """Return `do` of an act whose function takes a list of rows."""
    return lambda rows, **details: act(list(rows), **details)


def on_each(act: Callable[..., bool]) -> Callable[..., list[Any]]:
    """Return `do` of an act whose function takes one row, and returns whether it changed the row."""
    return lambda rows, **details: [row for row in rows if act(row, **details)]
