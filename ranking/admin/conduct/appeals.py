"""Admin pages of appeals: an inbox with the oldest first, and a page for each appeal with the evidence.

Moderators assign appeals to themselves or to each other, decide them, and go on to the next.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator

from ranking.admin.base.confirmation import Question, confirmation_page, report_done
from ranking.admin.base.consequences import standing_text, with_appeals, with_assignments, with_reopening
from ranking.admin.base.display import badge, link_to
from ranking.admin.base.filters import PlayerFilter
from ranking.admin.base.reasons import TextsForm, details_of, form_from, moderator
from ranking.admin.conduct.notes import notes_of
from ranking.admin.conduct.record import load_record
from ranking.admin.conduct.sanctions import ConductFactsAdmin
from ranking.models import Appeal
from ranking.moderation.appeals import assign_appeals, decide_appeals, find_next_appeal
from ranking.moderation.leavers import summarise
from ranking.moderation.undoing import reopen_appeals
from ranking.players.search import MOST_FOUND, find_named

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


class AppealStateFilter(admin.SimpleListFilter):
    """Filters by state; by default it shows the inbox, the open appeals."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("decided", "Decided"), ("all", "All")]

    def choices(self, changelist: Any) -> Any:
        first, *others = super().choices(changelist)
        yield {**first, "display": "Open"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "decided":
                return queryset.filter(decided_at__isnull=False)
            case "all":
                return queryset
            case _:
                # Acts are sent to the list without its filters: decided appeals must be among its rows then.
                return queryset if request.method == "POST" else queryset.filter(decided_at=None)


class AssignedFilter(admin.SimpleListFilter):
    title = "assigned to"
    parameter_name = "assigned"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("me", "Me"), ("nobody", "Nobody")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "me":
                return queryset.filter(assigned_to=moderator(request))
            case "nobody":
                return queryset.filter(assigned_to=None)
            case _:
                return queryset


class AssignForm(forms.Form):
    to = forms.ModelChoiceField(User.objects.none(), label="To", help_text="Those who may decide appeals.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        deciders = User.objects.with_perm("ranking.decide_appeal").filter(is_staff=True)
        choice: Any = self.fields["to"]
        choice.queryset = deciders.order_by("username")


@admin.register(Appeal)
class AppealAdmin(ConductFactsAdmin):
    actions = page_actions = ("grant", "confirm", "reopen", "take", "assign", "unassign")
    list_display = ("made_at", "player", "against", "beginning", "state", "assigned_to")
    list_select_related = ("player", "ban__player", "incident__player", "decided_by", "assigned_to")
    list_filter = (AppealStateFilter, AssignedFilter, PlayerFilter)
    search_fields = ("player__search_name", "player__key")
    search_help_text = f"A part of a player's name (at most {MOST_FOUND} players), or the whole key."
    fields = (
        "whose", "against", "words", "made_at", "standing", "state", "assigned_to", "answer", "note", "decided_by",
        "decided_at",
    )  # fmt: skip
    change_form_template = "admin/ranking/appeal/change_form.html"

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        decided = ("answer", "note", "decided_by", "decided_at")
        return [name for name in self.fields if obj.decided_at or name not in decided]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Appeal]:
        return super().get_queryset(request).select_related(*self.list_select_related)

    def get_ordering(self, request: HttpRequest) -> Any:
        match request.GET.get("state"):
            case "decided":
                return ("-decided_at", "-id")
            case "all":
                return ("-id",)
            case _:
                return ("made_at", "id")

    def search_rows(self, queryset: QuerySet[Appeal], term: str) -> QuerySet[Appeal]:
        return queryset.filter(player__in=find_named(term))

    def actions_for(self, request: HttpRequest, row: Appeal) -> tuple[str, ...]:
        if row.decided_at is None:
            mine = row.assigned_to_id == request.user.pk
            take = () if mine else ("take",)
            return ("grant", "confirm", *take, "assign", *(("unassign",) if row.assigned_to_id else ()))
        return () if row.decision == Appeal.WITHDRAWN else ("reopen",)

    def label_for(self, label: str, row: Appeal) -> str:
        return _naming(label, [row])

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        appeal = context["original"]
        context |= {"record": load_record(appeal.player, timezone.now()), **notes_of(request, appeal.player)}
        following = find_next_appeal(moderator(request), after=appeal)
        if following is not None and self.has_decide_permission(request):
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

    @admin.action(description=f"Lift the {EITHER}…", permissions=["decide"])
    def grant(self, request: HttpRequest, appeals: QuerySet[Appeal]) -> HttpResponse | None:
        return self._decide(request, appeals, GRANT, "Granted, and lifted", grant=True)

    @admin.action(description=f"Uphold the {EITHER}…", permissions=["decide"])
    def confirm(self, request: HttpRequest, appeals: QuerySet[Appeal]) -> HttpResponse | None:
        return self._decide(request, appeals, CONFIRM, "Turned down, and upheld", grant=False)

    @admin.action(description="Reopen…", permissions=["decide"])
    def reopen(self, request: HttpRequest, appeals: QuerySet[Appeal]) -> HttpResponse | None:
        form, decided = form_from(request, TextsForm), appeals.filter(decision__in=(Appeal.GRANTED, Appeal.CONFIRMED))
        if not form.is_valid():
            rows = with_reopening(decided, timezone.now())
            return confirmation_page(self, request, rows, REOPEN, form=form)
        ids = list(decided.values_list("pk", flat=True))
        reopened = reopen_appeals(ids, **details_of(request, form, timezone.now()))
        return report_done(self, request, reopened, "Reopened")

    @admin.action(description="Assign to me", permissions=["decide"])
    def take(self, request: HttpRequest, appeals: QuerySet[Appeal]) -> HttpResponse | None:
        return self._assign(request, appeals, moderator(request), "Assigned to you")

    @admin.action(description="Assign to…", permissions=["decide"])
    def assign(self, request: HttpRequest, appeals: QuerySet[Appeal]) -> HttpResponse | None:
        form = form_from(request, AssignForm)
        if not form.is_valid():
            return confirmation_page(self, request, with_appeals(appeals.filter(decided_at=None)), ASSIGN, form=form)
        to = form.cleaned_data["to"]
        return self._assign(request, appeals, to, f"Assigned to {to}")

    @admin.action(description="Assign to nobody", permissions=["decide"])
    def unassign(self, request: HttpRequest, appeals: QuerySet[Appeal]) -> HttpResponse | None:
        return self._assign(request, appeals, None, "Assigned to nobody")

    def _assign(
        self, request: HttpRequest, appeals: QuerySet[Appeal], to: User | None, outcome: str
    ) -> HttpResponse | None:
        ids = list(appeals.values_list("pk", flat=True))
        assigned = assign_appeals(ids, to=to, by=moderator(request), now=timezone.now())
        return report_done(self, request, assigned, outcome)

    def _decide(
        self, request: HttpRequest, appeals: QuerySet[Appeal], question: Question, outcome: str, *, grant: bool
    ) -> HttpResponse | None:
        form, ids = form_from(request, TextsForm), list(appeals.values_list("pk", flat=True))
        if form.is_valid():
            decided = decide_appeals(ids, grant=grant, **details_of(request, form, timezone.now()))
            self._tell_decided(request, set(ids) - {appeal.pk for appeal in decided})
            following = find_next_appeal(moderator(request), after=decided[0]) if len(decided) == 1 else None
            return report_done(self, request, decided, outcome, following=following)
        undecided = appeals.filter(decided_at=None).select_related("assigned_to")
        rows = with_assignments(with_appeals(undecided), moderator(request))
        self._tell_decided(request, set(ids) - {appeal.pk for appeal in rows})
        question = Question(*(_naming(text, rows) for text in (question.title, question.sentence, question.verb)))
        return confirmation_page(self, request, rows, question, form=form) if rows else None

    def _tell_decided(self, request: HttpRequest, appeals: set[int]) -> None:
        """Say of each of these appeals who has decided it meanwhile."""
        for appeal in Appeal.objects.filter(pk__in=appeals).select_related("player", "ban", "incident", "decided_by"):
            decision = f"{appeal.get_decision_display()} by {appeal.decided_by or 'the system'}"
            self.message_user(request, f"The appeal of {appeal} was {decision} before.", messages.WARNING)


def _naming(text: str, appeals: Iterable[Appeal]) -> str:
    """The text with the word for what the appeals are against, if all are against the same."""
    words = {"lockout" if appeal.ban_id is None else "ban" for appeal in appeals}
    return text.replace(EITHER, words.pop()) if len(words) == 1 else text
