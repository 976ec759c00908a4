"""Admin pages of reported players: what players reported about each, in cases, which moderators review."""

from __future__ import annotations

import datetime as dt
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from ranking.abuse.complaints import reopen_cases, review_cases
from ranking.admin.base.acts.acts import Act, keys_of, on_keys
from ranking.admin.base.acts.chosen_rows import PREVIEWED
from ranking.admin.base.acts.confirmation import Question, confirmation_page
from ranking.admin.base.acts.forms import ActForm, ReasonForm, details_of, form_from
from ranking.admin.base.acts.reporting import report_done
from ranking.admin.base.audited import M
from ranking.admin.base.base import OfPlayerAdmin, UneditedAdmin
from ranking.admin.base.display import badge, link_to, list_link
from ranking.admin.base.filters import PlayerFilter, ReviewFilter
from ranking.admin.base.lists import BoundedChangeList, number_in
from ranking.models import Complaint, ComplaintCase, Finding, Leaver

UPHOLD = Question(
    "Uphold reports",
    "They are closed as justified. Nothing else follows: warnings, bans and voids are acts of their own. Those who"
    " reported are told that it was reviewed, not how.",
    "Uphold",
)
DISMISS = Question(
    "Dismiss reports",
    "They are closed as unjustified. Those who reported are told that it was reviewed, not how.",
    "Dismiss",
)
REOPEN = Question("Reopen reports", "They wait for a review again, with what was reported since.", "Reopen")
MORE = "These wait: more was reported meanwhile. Read it, then decide."
SHOWN = 100  # reports on the page of a case
_BADGES = {ComplaintCase.OPEN: "plain", ComplaintCase.UPHELD: "warn", ComplaintCase.DISMISSED: "good"}


class CaseReviewFilter(ReviewFilter):
    waiting = Q(verdict=ComplaintCase.OPEN)
    others = {"reviewed": ("Reviewed", ~waiting)}


class CaseList(BoundedChangeList):
    """Counts, in one query for the page, reasons and reporters of the cases on it."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        count_reports(list(self.result_list))


def count_reports(cases: list[Any]) -> None:
    """Give each case `reasons`, such as "cheating 3 · abusive words 1", and `reporters`, how many different players."""
    complaints = Complaint.objects.filter(case__in=cases).order_by()
    numbers: dict[int, list[tuple[int, str]]] = {}
    names = dict(Complaint.REASONS)
    for row in complaints.values("case", "reason").annotate(number=Count("pk")):
        numbers.setdefault(row["case"], []).append((row["number"], names[row["reason"]]))
    reporters = dict(complaints.values("case").annotate(n=Count("reporter", distinct=True)).values_list("case", "n"))
    for case in cases:
        parts = sorted(numbers.get(case.pk, []), reverse=True)
        case.reasons_text = " · ".join(f"{name} {number:,}" for number, name in parts)
        case.reporters = reporters.get(case.pk, 0)


def _counts_seen(request: HttpRequest) -> dict[int, int]:
    """Return how many reports of each case the page that asked counted, by the case's number."""
    pairs = [pair.partition(":") for pair in request.POST.get(PREVIEWED, "").split(",")]
    return {number_in(case): number_in(count) for case, _, count in pairs}


class ReviewAct(Act):
    """Closes the cases of which no more was reported than the page counted; asks about the others again."""

    def __call__(self, page: ModelAdmin[M], request: HttpRequest, rows: QuerySet[M]) -> HttpResponse | None:
        form, still_open = form_from(request, ReasonForm), rows.filter(verdict=ComplaintCase.OPEN)
        if form.is_valid():
            seen = _counts_seen(request)
            counts = {case: seen.get(case, 0) for case in keys_of(still_open)}
            reviewed = list(self.do(counts, **details_of(request, form, timezone.now())))
            left = still_open.exists()
            if reviewed or not left:
                response = report_done(page, request, reviewed, str(self.outcome))
            if not left:
                return response
            page.message_user(request, MORE, messages.WARNING)
        return self.ask(page, request, still_open, form, timezone.now())

    def ask(
        self, page: ModelAdmin[M], request: HttpRequest, rows: QuerySet[Any], form: ActForm | None, now: dt.datetime
    ) -> HttpResponse:
        assert isinstance(self.question, Question)  # noqa: S101 - narrows a type
        cases = list(rows)
        count_reports(cases)
        for case in cases:
            case.effect = case.reasons_text
        counted = ",".join(f"{case.pk}:{case.complaints_count}" for case in cases)
        return confirmation_page(page, request, cases, self.question, form, previewed=counted)


def _is_open(case: ComplaintCase) -> bool:
    return case.verdict == ComplaintCase.OPEN


_uphold, _dismiss = (partial(review_cases, uphold=uphold) for uphold in (True, False))
CASE_ACTS = (
    ReviewAct("uphold", "Uphold…", "change", _uphold, "Upheld", UPHOLD, fits=_is_open),
    ReviewAct("dismiss", "Dismiss…", "change", _dismiss, "Dismissed", DISMISS, fits=_is_open),
    Act(
        "reopen",
        "Reopen…",
        "change",
        on_keys(reopen_cases),
        "Reopened",
        REOPEN,
        ReasonForm,
        concerned=~Q(verdict=ComplaintCase.OPEN),
        fits=lambda case: not _is_open(case),
    ),
)


@admin.register(ComplaintCase)
class ComplaintCaseAdmin(OfPlayerAdmin[ComplaintCase], UneditedAdmin[ComplaintCase]):
    actions = CASE_ACTS
    list_display = ("player", "reports", "by_different", "what_for", "newest_at", "state")
    list_filter = (CaseReviewFilter, PlayerFilter)
    fields = (
        "whose",
        "reports",
        "by_different",
        "what_for",
        "newest_at",
        "state",
        "reviewed_by",
        "reviewed_at",
        "reason",
    )
    change_form_template = "admin/ranking/complaintcase/change_form.html"

    def get_changelist(self, request: HttpRequest, **kwargs: object) -> type[BoundedChangeList]:
        return CaseList

    def get_queryset(self, request: HttpRequest) -> QuerySet[ComplaintCase]:
        return super().get_queryset(request).select_related("player", "reviewed_by")

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        match request.GET.get("state"):
            case "reviewed":
                return ("-reviewed_at", "-id")
            case "all":
                return ("-id",)
            case _:
                return ("-complaints_count", "-newest_at", "-id")

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        case = super().get_object(request, object_id, from_field)
        if case is not None:
            count_reports([case])
        return case

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        case = context["original"]
        complaints = Complaint.objects.filter(case=case).select_related("match__mode", "reporter")
        context["complaints"] = complaints.order_by("-made_at", "-pk")[:SHOWN]
        context["links"] = [
            list_link(Complaint, "All reports of this case", case=case.pk),
            list_link(Finding, f"Abuse reports of {case.player}", player=case.player_id),
        ]
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display(description="Player")
    def whose(self, case: ComplaintCase) -> str:
        return link_to(Leaver(pk=case.player_id, name=case.player.name))

    @admin.display
    def reports(self, case: ComplaintCase) -> str:
        return f"{case.complaints_count:,}"

    @admin.display(description="By different players")
    def by_different(self, case: Any) -> str:
        return f"{case.reporters:,}"

    @admin.display(description="What for")
    def what_for(self, case: Any) -> str:
        return case.reasons_text or "–"

    @admin.display(description="Review")
    def state(self, case: ComplaintCase) -> str:
        return badge(case.get_verdict_display().capitalize(), _BADGES[case.verdict])
