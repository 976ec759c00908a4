"""Admin pages of fits: parameters fitted to a mode's history, judged, and made the mode's parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone

from ranking.admin.trials.evaluation_tables import title_of
from ranking.admin.trials.evaluations import EvaluationPages
from ranking.admin.trials.fit_forms import ANEW, FitForm, UseForm
from ranking.admin.trials.fit_tables import advice_of, result_tables, summary_tables
from ranking.models import FitRun, Mode, Rerating
from ranking.systems.base import Refused
from ranking.systems.registry import system_class
from ranking.trials.core.search import MOST_REPLAYS
from ranking.trials.proposals import proposal_of, use_candidate
from ranking.trials.runs import ask_for_fit, stop_run

TEMPLATE, PROGRESS = "admin/ranking/mode/fit.html", "admin/ranking/mode/fit_progress.html"
VIEWS = {"run_view": "admin:ranking_mode_fit_run", "stop_view": "admin:ranking_mode_fit_stop"}
USE = "admin/ranking/mode/fit_use.html"


class FitPages(EvaluationPages):
    """Adds the pages of a mode's fits to the admin pages of modes."""

    def get_urls(self) -> list[Any]:
        views: dict[str, tuple[Callable[..., HttpResponse], str]] = {
            "<int:mode_id>/fit/": (self.fit_view, "fit"),
            "<int:mode_id>/fit/<int:run_id>/": (self.fit_run_view, "fit_run"),
            "<int:mode_id>/fit/<int:run_id>/stop/": (self.stop_fit_view, "fit_stop"),
            "<int:mode_id>/fit/<int:run_id>/use/<str:name>/": (self.use_fit_view, "fit_use"),
        }
        wrapped = [
            path(route, self.admin_site.admin_view(view), name=f"ranking_mode_{name}")
            for route, (view, name) in views.items()
        ]
        return [*wrapped, *super().get_urls()]

    def links_of(self, request: HttpRequest, mode_id: str) -> dict[str, str]:
        links = super().links_of(request, mode_id)
        if self._shows(request, FitRun, mode_id):
            links[reverse("admin:ranking_mode_fit", args=[mode_id])] = "Fit…"
        return links

    def fit_view(self, request: HttpRequest, mode_id: int) -> HttpResponse:
        """Show the newest fit and the form that starts the next one; a POST starts it."""
        change = request.method == "POST" or not self._shows(request, FitRun, mode_id)
        mode = self._mode(request, mode_id, change=change)
        if request.method != "POST":
            return self._fit_page(request, mode, FitForm(mode), mode.fits.order_by("-id").first())
        form = FitForm(mode, request.POST)
        if form.is_valid():
            wishes = form.cleaned_data
            try:
                run = ask_for_fit(
                    mode, wishes["systems"], impact=wishes["impact"], by=request.user, now=timezone.now()
                )  # fmt: skip
                return HttpResponseRedirect(reverse("admin:ranking_mode_fit_run", args=[mode.pk, run.pk]))
            except Refused as refused:
                form.add_error(None, str(refused))
        return self._fit_page(request, mode, form, None)

    def fit_run_view(self, request: HttpRequest, mode_id: int, run_id: int) -> HttpResponse:
        mode = self._mode(request, mode_id)
        run = get_object_or_404(mode.fits, pk=run_id)
        if not request.htmx:  # type: ignore[attr-defined]
            return self._fit_page(request, mode, FitForm(mode), run)
        if run.is_unfinished:
            may_run = self.has_change_permission(request, mode)
            context = {"mode": mode, "run": run, "may_run": may_run, **VIEWS, **_progress(run)}
            return TemplateResponse(request, PROGRESS, context)
        return HttpResponse(headers={"HX-Refresh": "true"})

    def stop_fit_view(self, request: HttpRequest, mode_id: int, run_id: int) -> HttpResponse:
        mode = self._mode(request, mode_id, change=True)
        run = get_object_or_404(mode.fits, pk=run_id)
        if request.method != "POST":
            raise PermissionDenied
        stopped = stop_run(run, now=timezone.now())
        level = messages.SUCCESS if stopped else messages.WARNING
        self.message_user(request, "Stopped." if stopped else "It had ended already.", level)
        return HttpResponseRedirect(reverse("admin:ranking_mode_fit_run", args=[mode.pk, run.pk]))

    def use_fit_view(self, request: HttpRequest, mode_id: int, run_id: int, name: str) -> HttpResponse:
        """Ask from when on the mode is rated by a candidate; a POST does it."""
        mode = self._mode(request, mode_id, change=True)
        run = get_object_or_404(mode.fits.select_related("mode"), pk=run_id)
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
                    by=request.user, reason=wishes["reason"], now=timezone.now(),
                )  # fmt: skip
                return self._report_use(request, mode, run, done, candidate, wishes["reason"])
            except Refused as refused:
                form.add_error("when", str(refused))
        context = {
            **self.admin_site.each_context(request), "title": "Use these parameters", "opts": self.opts, "mode": mode,
            "run": run, "form": form, "candidate": title_of(candidate), "recommended": candidate["recommended"],
        }  # fmt: skip
        return TemplateResponse(request, USE, context)

    def _report_use(
        self, request: HttpRequest, mode: Mode, run: FitRun, done: Any, candidate: dict[str, Any], reason: str
    ) -> HttpResponse:
        title = title_of(candidate)
        self.log_change(request, mode, f"Uses the parameters of fit {run.number}: {title}. {reason}")
        if isinstance(done, Rerating):
            sentence = f"{mode} is rated anew by {title} as soon as a worker is free."
        else:
            sentence = f"{mode} is rated by {title} from now on."
        self.message_user(request, sentence, messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:ranking_mode_fit_run", args=[mode.pk, run.pk]))

    def _fit_page(self, request: HttpRequest, mode: Mode, form: FitForm, run: FitRun | None) -> TemplateResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": f"Fit {mode.name}",
            "opts": self.opts,
            "mode": mode,
            "form": form,
            "may_run": self.has_change_permission(request, mode),
            "runs": mode.fits.select_related("asked_by").defer("results", "known", "summary").order_by("-id"),
            "run": run,
            **VIEWS,
            **(_progress(run) if run else {}),
            **({"results": result_tables(run), "advice": advice_of(run), **summary_tables(run)} if run else {}),
        }
        return TemplateResponse(request, TEMPLATE, context)


def _progress(run: FitRun) -> dict[str, Any]:
    """What a page shows of a run that isn't finished: its systems, and which one is being fitted."""
    titles = [system_class(candidate["system"]).title for candidate in run.candidates]
    return {"titles": titles, "current": next(iter(titles[len(run.results) :]), ""), "most": MOST_REPLAYS}
