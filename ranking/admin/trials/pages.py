"""Admin pages of a mode's evaluations and fits, which are asked for, followed, stopped, looked at, and used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from ranking.admin.base.audited import person
from ranking.admin.trials import evaluation_tables, fit_tables
from ranking.admin.trials.advice import title_of
from ranking.admin.trials.forms import ANEW, EvaluationForm, FitForm, UseForm
from ranking.models import EvaluationRun, FitRun, Mode, Rerating
from ranking.systems.base import Refused
from ranking.trials.proposals import proposal_of, use_candidate
from ranking.trials.runs import stop_run


@dataclass(frozen=True, slots=True)
class Kind:
    """What tells evaluations from fits: the names of URLs, templates and texts, and what a page shows of a run.

    `page`: the URL, and the template. `unlisted`: columns that the list of runs doesn't read.
    """

    model: type[EvaluationRun | FitRun]
    form: Callable[..., forms.Form]
    page: str
    run: str
    stop: str
    title: str
    link: str
    progress_page: str
    progress: Callable[[Any], dict[str, object]]
    results: Callable[[Any, str], dict[str, Any]]
    unlisted: tuple[str, ...]


EVALUATION = Kind(
    EvaluationRun, EvaluationForm, "evaluate", "evaluation", "evaluation_stop", "Evaluate", "Evaluate",
    "evaluation_progress", evaluation_tables.progress, evaluation_tables.results, ("results",),
)  # fmt: skip
FIT = Kind(
    FitRun, FitForm, "fit", "fit_run", "fit_stop", "Fit", "Fit…",
    "fit_progress", fit_tables.progress, fit_tables.results, ("results", "known", "summary"),
)  # fmt: skip
KINDS = (EVALUATION, FIT)


class TrialPages(admin.ModelAdmin[Mode]):
    """Adds the pages of a mode's evaluations and fits to the admin pages of modes."""

    def get_urls(self) -> list[URLPattern]:
        run = "<int:mode_id>/{}/<int:run_id>/"
        views: list[tuple[str, str, Callable[..., HttpResponse], dict[str, object]]] = [
            ("evaluation_file", run.format("evaluate") + "<str:name>.csv", self.file_view, {}),
            ("fit_use", run.format("fit") + "use/<str:name>/", self.use_view, {}),
        ]
        for kind in KINDS:
            views.append((kind.page, f"<int:mode_id>/{kind.page}/", self.ask_view, {"kind": kind}))
            views.append((kind.run, run.format(kind.page), self.run_view, {"kind": kind}))
            views.append((kind.stop, run.format(kind.page) + "stop/", self.stop_view, {"kind": kind}))
        wrapped = [
            path(route, self.admin_site.admin_view(view), given, name=f"ranking_mode_{name}")
            for name, route, view, given in views
        ]
        return [*wrapped, *super().get_urls()]

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        links = self.links_of(request, object_id) if object_id.isdigit() else {}
        kwargs["extra_context"] = {**(kwargs.get("extra_context") or {}), "object_links": links}
        return super().change_view(request, object_id, *args, **kwargs)

    def links_of(self, request: HttpRequest, mode_id: str) -> dict[str, str]:
        """Return the links above a mode's page: address → text."""
        return {
            reverse(f"admin:ranking_mode_{kind.page}", args=[mode_id]): kind.link
            for kind in KINDS
            if self._shows(request, kind, mode_id)
        }

    def _shows(self, request: HttpRequest, kind: Kind, mode_id: str | int) -> bool:
        """True if a page has something for the user: its form, or runs of others to look at."""
        return self.has_change_permission(request) or kind.model.objects.filter(mode=mode_id).exists()

    def ask_view(self, request: HttpRequest, mode_id: int, kind: Kind) -> HttpResponse:
        """Show the newest run and the form that asks for the next one; a POST asks for it."""
        change = request.method == "POST" or not self._shows(request, kind, mode_id)
        mode = self._mode(request, mode_id, change=change)
        if request.method != "POST":
            newest = kind.model.objects.filter(mode=mode).order_by("-id").first()
            return self._page(request, mode, kind, kind.form(mode), newest)
        form: Any = kind.form(mode, request.POST)
        if form.is_valid():
            try:
                return self._to_run(kind, form.ask(by=person(request), now=timezone.now()))
            except Refused as refused:
                form.add_error(None, str(refused))
        return self._page(request, mode, kind, form, None)

    def run_view(self, request: HttpRequest, mode_id: int, run_id: int, kind: Kind) -> HttpResponse:
        mode, run = self._run(request, mode_id, run_id, kind)
        if not request.htmx:  # type: ignore[attr-defined]
            return self._page(request, mode, kind, kind.form(mode), run)
        if run.is_unfinished:
            template = f"admin/ranking/mode/{kind.progress_page}.html"
            return TemplateResponse(request, template, self._context(request, mode, kind, run))
        return HttpResponse(headers={"HX-Refresh": "true"})

    def stop_view(self, request: HttpRequest, mode_id: int, run_id: int, kind: Kind) -> HttpResponse:
        _, run = self._run(request, mode_id, run_id, kind, change=True)
        if request.method != "POST":
            raise PermissionDenied
        stopped = stop_run(run, now=timezone.now())
        level = messages.SUCCESS if stopped else messages.WARNING
        self.message_user(request, "Stopped." if stopped else "It had ended already.", level)
        return self._to_run(kind, run)

    def file_view(self, request: HttpRequest, mode_id: int, run_id: int, name: str) -> HttpResponse:
        mode, run = self._run(request, mode_id, run_id, EVALUATION)
        if name not in evaluation_tables.FILES:
            return HttpResponse(status=404)
        disposition = f'attachment; filename="{mode.slug}-{run.pk}-{name}.csv"'
        headers = {"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": disposition}
        return HttpResponse(evaluation_tables.FILES[name](run), headers=headers)

    def use_view(self, request: HttpRequest, mode_id: int, run_id: int, name: str) -> HttpResponse:
        """Ask from when on the mode is rated by a fit's candidate; a POST does it."""
        mode, run = self._run(request, mode_id, run_id, FIT, change=True)
        try:
            candidate = proposal_of(run, name)
        except Refused as refused:
            raise Http404(str(refused)) from refused
        form = UseForm(mode, candidate["system"], candidate["recommended"], request.POST or None)
        if form.is_valid():
            wishes = form.cleaned_data
            try:
                done = use_candidate(
                    run, name, rerate=wishes["when"] == ANEW, anyway=wishes.get("anyway", False),
                    by=person(request), reason=wishes["reason"], now=timezone.now(),
                )  # fmt: skip
            except Refused as refused:
                form.add_error("when", str(refused))
            else:
                title = title_of(candidate)
                self.log_change(request, mode, f"Uses the parameters of fit {run.number}: {title}. {wishes['reason']}")
                anew = isinstance(done, Rerating)
                sentence = f"{mode} is rated {'anew ' if anew else ''}by {title}"
                since = "as soon as a worker is free." if anew else "from now on."
                self.message_user(request, f"{sentence} {since}", messages.SUCCESS)
                return self._to_run(FIT, run)
        context = {
            **self.admin_site.each_context(request), "title": "Use these parameters", "opts": self.opts, "mode": mode,
            "run": run, "form": form, "candidate": title_of(candidate), "recommended": candidate["recommended"],
        }  # fmt: skip
        return TemplateResponse(request, "admin/ranking/mode/fit_use.html", context)

    def _mode(self, request: HttpRequest, mode_id: int, *, change: bool = False) -> Mode:
        mode = get_object_or_404(Mode, pk=mode_id)
        if not (self.has_change_permission if change else self.has_view_permission)(request, mode):
            raise PermissionDenied
        return mode

    def _run(
        self, request: HttpRequest, mode_id: int, run_id: int, kind: Kind, *, change: bool = False
    ) -> tuple[Mode, Any]:
        mode = self._mode(request, mode_id, change=change)
        return mode, get_object_or_404(kind.model.objects.select_related("mode"), mode=mode, pk=run_id)

    def _to_run(self, kind: Kind, run: EvaluationRun | FitRun) -> HttpResponse:
        return HttpResponseRedirect(reverse(f"admin:ranking_mode_{kind.run}", args=[run.mode_id, run.pk]))

    def _page(self, request: HttpRequest, mode: Mode, kind: Kind, form: Any, run: Any) -> TemplateResponse:
        runs = kind.model.objects.filter(mode=mode).select_related("asked_by").defer(*kind.unlisted).order_by("-id")
        context = {
            **self.admin_site.each_context(request),
            **self._context(request, mode, kind, run),
            "title": f"{kind.title} {mode.name}",
            "opts": self.opts,
            "form": form,
            "runs": runs,
            **(kind.results(run, request.GET.get("candidate", "")) if run else {}),
        }
        return TemplateResponse(request, f"admin/ranking/mode/{kind.page}.html", context)

    def _context(self, request: HttpRequest, mode: Mode, kind: Kind, run: Any) -> dict[str, object]:
        return {
            "mode": mode,
            "run": run,
            "may_run": self.has_change_permission(request, mode),
            "run_view": f"admin:ranking_mode_{kind.run}",
            "stop_view": f"admin:ranking_mode_{kind.stop}",
            **(kind.progress(run) if run else {}),
        }
