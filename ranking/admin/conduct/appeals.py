"""Admin pages of appeals: an inbox with the oldest first, and a page for each appeal with the evidence.

Moderators assign appeals to themselves or to each other, decide them, and go on to the next.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator

from ranking.admin.base.acts.acts import Act, keys_of, on_keys
from ranking.admin.base.acts.confirmation import SHOWN, Question, confirmation_page
from ranking.admin.base.acts.effects import standing_text, with_appeals, with_assignments, with_reopening
from ranking.admin.base.acts.forms import ActForm, TextsForm, details_of, form_from
from ranking.admin.base.acts.reporting import report_done
from ranking.admin.base.audited import M, person
from ranking.admin.base.base import InboxAdmin
from ranking.admin.base.display import badge, link_to
from ranking.admin.base.filters import PlayerFilter, WaitingFilter, choice_filter
from ranking.admin.conduct.notes import notes_of
from ranking.admin.conduct.record import load_record
from ranking.admin.conduct.sanctions import ConductFactsAdmin
from ranking.models import Appeal
from ranking.moderation.appeals import assign_appeals, decide_appeals, find_next_appeal
from ranking.moderation.leavers import summarise
from ranking.moderation.undoing import reopen_appeals

DECIDE_RIGHT = "ranking.decide_appeal"
EITHER = "ban or lockout"  # on pages about appeals against one of them, the words say against which
GRANT = Question(
    f"Lift the {EITHER}",
    "The appeal is granted: a ban is lifted, and an incident pardoned as though it had never happened. Ratings stay."
    " The player is told.",
    f"Lift the {EITHER}",
)
CONFIRM = Question(
    f"Uphold the {EITHER}",
    f"The appeal is turned down: the {EITHER} stays. The player is told. It can be reopened.",
    f"Uphold the {EITHER}",
)
ASSIGN = Question("Assign appeals", "The others see who looks into it, and may still decide it.", "Assign")
REOPEN = Question(
    "Reopen appeals",
    "They wait in the inbox again. Of granted ones, the pardon is taken back, and the ban is put in force again if its"
    " end is still to come.",
    "Reopen",
)


class AppealStateFilter(WaitingFilter):
    others = {"decided": ("Decided", Q(decided_at__isnull=False))}


AssignedFilter = choice_filter(
    "assigned to",
    "assigned",
    {"me": ("Me", lambda request: Q(assigned_to=person(request))), "nobody": ("Nobody", Q(assigned_to=None))},
)


class AssignForm(ActForm):
    to = forms.ModelChoiceField(User.objects.none(), label="To", help_text="Those who may decide appeals.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        deciders = User.objects.with_perm("ranking.decide_appeal").filter(is_staff=True)
        choice: Any = self.fields["to"]
        choice.queryset = deciders.order_by("username")


def _naming(text: str, appeals: Iterable[Appeal]) -> str:
    """The text with the word for what the appeals are against, if all are against the same."""
    words = {"lockout" if appeal.ban_id is None else "ban" for appeal in appeals}
    return text.replace(EITHER, words.pop()) if len(words) == 1 else text


class DecideAct(Act):
    """Decides appeals, tells which others had decided before, and goes on to the next appeal."""

    def label_on(self, row: Appeal) -> str:
        return _naming(self.label, [row])

    def __call__(self, page: ModelAdmin[M], request: HttpRequest, rows: QuerySet[M]) -> HttpResponse | None:
        form, ids, by = form_from(request, TextsForm), keys_of(rows), person(request)
        if form.is_valid():
            decided = list(self.do(ids, **details_of(request, form, timezone.now())))
            _tell_decided(page, request, set(ids) - {appeal.pk for appeal in decided})
            following = find_next_appeal(by, after=decided[0]) if len(decided) == 1 else None
            return report_done(page, request, decided, str(self.outcome), following=following)
        appeals = with_assignments(with_appeals(rows.filter(decided_at=None).select_related("assigned_to")), by)
        _tell_decided(page, request, set(ids) - {appeal.pk for appeal in appeals})
        asked = self.question_about(rows)
        question = Question(*(_naming(text, appeals) for text in (asked.title, asked.sentence, asked.verb)))
        return confirmation_page(page, request, appeals, question, form) if appeals else None


def _tell_decided(page: ModelAdmin[M], request: HttpRequest, appeals: set[int]) -> None:
    """Say of each of these appeals who has decided it meanwhile."""
    for appeal in Appeal.objects.filter(pk__in=appeals).select_related("player", "ban", "incident", "decided_by"):
        decision = f"{appeal.get_decision_display()} by {appeal.decided_by or 'the system'}"
        page.message_user(request, f"The appeal of {appeal} was {decision} before.", messages.WARNING)


class TakeAct(Act):
    """Is offered on pages of appeals that aren't assigned to the reader."""

    def is_offered(self, request: HttpRequest, row: Appeal) -> bool:
        return _is_open(row) and row.assigned_to_id != request.user.pk


class AssignAct(Act):
    """Asks about open appeals only; assigning leaves decided ones as they are."""

    def shown(self, rows: QuerySet[Appeal], now: dt.datetime) -> tuple[list[Appeal], list[int]]:
        waiting = rows.filter(decided_at=None)
        return with_appeals(waiting[:SHOWN]), keys_of(waiting)


def _take(appeals: QuerySet[Appeal], *, by: User, now: dt.datetime) -> list[Appeal]:
    return assign_appeals(keys_of(appeals), to=by, by=by, now=now)


def _assigned(form: AssignForm) -> str:
    return f"Assigned to {form.cleaned_data['to']}"


def _is_open(appeal: Appeal) -> bool:
    return appeal.decided_at is None


APPEAL_ACTS = (
    DecideAct(
        "grant",
        f"Lift the {EITHER}…",
        DECIDE_RIGHT,
        partial(decide_appeals, grant=True),
        "Granted, and lifted",
        GRANT,
        fits=_is_open,
    ),
    DecideAct(
        "confirm",
        f"Uphold the {EITHER}…",
        DECIDE_RIGHT,
        partial(decide_appeals, grant=False),
        "Turned down, and upheld",
        CONFIRM,
        fits=_is_open,
    ),
    Act(
        "reopen",
        "Reopen…",
        DECIDE_RIGHT,
        on_keys(reopen_appeals),
        "Reopened",
        REOPEN,
        effects=with_reopening,
        concerned=Q(decision__in=(Appeal.GRANTED, Appeal.CONFIRMED)),
        fits=lambda appeal: appeal.decided_at is not None and appeal.decision != Appeal.WITHDRAWN,
    ),
    TakeAct("take", "Assign to me", DECIDE_RIGHT, _take, "Assigned to you"),
    AssignAct(
        "assign", "Assign to…", DECIDE_RIGHT, on_keys(assign_appeals), _assigned, ASSIGN, AssignForm, fits=_is_open
    ),
    Act(
        "unassign",
        "Assign to nobody",
        DECIDE_RIGHT,
        on_keys(partial(assign_appeals, to=None)),
        "Assigned to nobody",
        fits=lambda appeal: _is_open(appeal) and appeal.assigned_to_id is not None,
    ),
)


@admin.register(Appeal)
class AppealAdmin(InboxAdmin[Appeal], ConductFactsAdmin):
    actions = APPEAL_ACTS
    list_display = ("made_at", "player", "against", "beginning", "state", "assigned_to")
    state_filter = AppealStateFilter
    waits_since = "made_at"
    decision_fields = ("answer", "note", "decided_by", "decided_at")
    list_select_related = ("player", "ban__player", "incident__player", "decided_by", "assigned_to")
    list_filter = (AppealStateFilter, AssignedFilter, PlayerFilter)
    fields = (
        "whose", "against", "words", "made_at", "standing", "state", "assigned_to", "answer", "note", "decided_by",
        "decided_at",
    )  # fmt: skip
    change_form_template = "admin/ranking/appeal/change_form.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Appeal]:
        return super().get_queryset(request).select_related(*self.list_select_related)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        appeal = context["original"]
        context |= {"record": load_record(appeal.player, timezone.now()), **notes_of(request, appeal.player)}
        following = find_next_appeal(person(request), after=appeal)
        if following is not None and request.user.has_perm(DECIDE_RIGHT):
            context["object_links"] = {reverse("admin:ranking_appeal_change", args=[following.pk]): "Next appeal"}
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display
    def against(self, appeal: Appeal) -> str:
        return link_to(appeal.ban or appeal.incident)

    @admin.display(description="Words")
    def beginning(self, appeal: Appeal) -> str:
        return Truncator(appeal.words).chars(60)

    @admin.display(description="Now")
    def standing(self, appeal: Appeal) -> str:
        return standing_text(summarise([appeal.player_id], timezone.now())[appeal.player_id])

    @admin.display
    def state(self, appeal: Appeal) -> str:
        kinds = {Appeal.GRANTED: "good", Appeal.CONFIRMED: "warn", "": "plain"}
        return badge(appeal.get_decision_display().capitalize() or "Open", kinds.get(appeal.decision, "plain"))
