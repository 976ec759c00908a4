"""Admin pages of re-ratings: their progress, and the pages that request one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from ranking.admin.base.acts.confirmation import Question
from ranking.admin.base.acts.forms import RecordedReasonForm
from ranking.admin.base.base import ReadOnlyAdmin
from ranking.admin.base.display import badge, link_to
from ranking.admin.base.filters import ModeFilter, choice_filter
from ranking.admin.trials.advice import title_of
from ranking.admin.trials.pages import TrialPages
from ranking.models import Match, Mode, Rerating
from ranking.modes.parameters import staying_for_all
from ranking.rerating.reratings import rate_anew, switch_system
from ranking.systems.base import Refused

KINDS = {Rerating.RERATING: "Re-rating", Rerating.SEASON_END: "End of a season"}
STATES = {Rerating.WAITING: "Waiting", Rerating.RUNNING: "Running", Rerating.DONE: "Done"}
MEANWHILE = "Meanwhile results are recorded, to be rated next, and everybody sees the board as it is now."


ReratingStateFilter = choice_filter(
    "state",
    "state",
    {**{state: (words, Q(state=state)) for state, words in STATES.items()}, "failed": ("Failed", ~Q(error=""))},
)


@admin.register(Rerating)
class ReratingAdmin(ReadOnlyAdmin[Rerating]):
    list_display = ("requested_at", "mode", "what", "condition", "progress", "reason", "by")
    list_select_related = ("mode", "by")
    list_filter = (ModeFilter, ReratingStateFilter)
    fieldsets = (
        (None, {"fields": ("of_mode", "condition", "progress", "extent", "reason", "by", "error")}),
        ("When", {"fields": ("requested_at", "started_at", "switched_at", "finished_at")}),
    )

    @admin.display(description="Mode")
    def of_mode(self, rerating: Rerating) -> str:
        return link_to(rerating.mode)

    @admin.display(description="Kind")
    def what(self, rerating: Rerating) -> str:
        return KINDS[rerating.kind]

    @admin.display(description="State")
    def condition(self, rerating: Rerating) -> str:
        if rerating.error:
            return badge("Failed", "warn")
        return badge(STATES[rerating.state], "good" if rerating.state == Rerating.DONE else "plain")

    @admin.display(description="Matches rated anew")
    def progress(self, rerating: Rerating) -> str:
        waits = rerating.state == Rerating.WAITING
        share = f" ({rerating.done / rerating.total:.0%})" if rerating.total else ""
        return "–" if waits else f"{rerating.done:,} of {rerating.total:,}{share}"

    @admin.display(description="Rates")
    def extent(self, rerating: Rerating) -> str:
        if rerating.kind == Rerating.SEASON_END:
            return "Nothing: a season ends"
        if rerating.system:
            return "Everything, by " + title_of({"system": rerating.system, "params": rerating.params})
        extent = "Everything" if not rerating.since else f"What came from sequence {rerating.since} on"
        if rerating.sorted_from is None or not rerating.sorts:
            return extent
        whole = rerating.sorted_from <= (rerating.since or 0)
        return f"{extent}, in the order of time" + ("" if whole else f" from {rerating.sorted_from} on")


class RerateForm(RecordedReasonForm):
    chronological = forms.BooleanField(
        required=False,
        label="In the order of time",
        help_text="Results that came late take the place that they should have had; the audit log tells of it.",
    )
    staying = forms.BooleanField(
        required=False,
        label="Staying is always better",
        help_text="In old matches, too, which keep the rule of their time otherwise. The whole history is then rated by"
        " the parameters that are in force now.",
    )


class ReratingPages(TrialPages):
    """Adds the pages that request a re-rating of a mode: by its own system, or by an evaluated one."""

    def get_urls(self) -> list[URLPattern]:
        views: dict[str, tuple[Callable[..., HttpResponse], str]] = {
            "<int:mode_id>/rate-anew/": (self.rate_anew_view, "rate_anew"),
            "<int:mode_id>/evaluate/<int:run_id>/go-over/<int:index>/": (self.go_over_view, "go_over"),
        }
        wrapped = [
            path(route, self.admin_site.admin_view(view), name=f"ranking_mode_{name}")
            for route, (view, name) in views.items()
        ]
        return [*wrapped, *super().get_urls()]

    def links_of(self, request: HttpRequest, mode_id: str) -> dict[str, str]:
        links = super().links_of(request, mode_id)
        if self.has_change_permission(request):
            links[reverse("admin:ranking_mode_rate_anew", args=[mode_id])] = "Rate anew…"
        return links

    def rate_anew_view(self, request: HttpRequest, mode_id: int) -> HttpResponse:
        """Request a re-rating of the whole history by the parameters that were in force."""
        mode = self._mode(request, mode_id, change=True)
        sentence = f"{_whole_history(mode)} rated again, in order, under the parameters that were in force. {MEANWHILE}"
        form, question = RerateForm(request.POST or None), Question(f"Rate {mode.name} anew", sentence, "Rate anew")
        if not form.is_valid():
            return self._ask(request, mode, question, form)
        wishes = dict(form.cleaned_data)
        try:
            wishes |= staying_for_all(mode) if wishes.pop("staying") else {}
        except Refused as refused:
            form.add_error("staying", str(refused))
            return self._ask(request, mode, question, form)
        rerating = rate_anew(mode, **wishes, by=_user(request), now=timezone.now())
        return self._report_request(request, rerating)

    def go_over_view(self, request: HttpRequest, mode_id: int, run_id: int, index: int) -> HttpResponse:
        """Request a re-rating of the whole history by a system that an evaluation tried."""
        mode = self._mode(request, mode_id, change=True)
        run = get_object_or_404(mode.evaluations, pk=run_id)
        if index >= len(run.candidates):
            raise Http404
        candidate = run.candidates[index]
        title = title_of(candidate)
        sentence = f"{_whole_history(mode)} rated anew by {title}, and so is all that comes. {MEANWHILE}"
        form = RecordedReasonForm(request.POST or None)
        if form.is_valid():
            try:
                rerating = switch_system(
                    mode, **candidate, by=_user(request), reason=form.cleaned_data["reason"], now=timezone.now()
                )
                return self._report_request(request, rerating)
            except Refused as refused:
                form.add_error("reason", str(refused))
        return self._ask(request, mode, Question(f"Go over to {title}", sentence, "Go over"), form)

    def _ask(self, request: HttpRequest, mode: Mode, question: Question, form: RecordedReasonForm) -> TemplateResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": question.title,
            "opts": self.opts,
            "mode": mode,
            "question": question,
            "form": form,
        }
        return TemplateResponse(request, "admin/ranking/mode/rate_anew.html", context)

    def _report_request(self, request: HttpRequest, rerating: Rerating) -> HttpResponse:
        self.log_change(request, rerating.mode, f"Asked to be rated anew: {rerating.reason}")
        self.message_user(request, f"{rerating.mode} is rated anew as soon as a worker is free.", messages.SUCCESS)
        may_view = request.user.has_perm("ranking.view_rerating")
        page, pk = ("rerating", rerating.pk) if may_view else ("mode", rerating.mode_id)
        return HttpResponseRedirect(reverse(f"admin:ranking_{page}_change", args=[pk]))


def _whole_history(mode: Mode) -> str:
    count = Match.objects.filter(mode=mode).count()
    return f"The {count:,} matches of {mode.name} are" if count != 1 else f"The one match of {mode.name} is"


def _user(request: HttpRequest) -> Any:
    return request.user  # a member of staff: admin_view lets nobody else in
