"""Admin pages of evaluations: rating systems tried on a mode's history, and the boards that they would make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone

from ranking.admin.trials.advice import advice_of_evaluation
from ranking.admin.trials.csv import boards_csv, figures_csv
from ranking.admin.trials.evaluation_forms import EvaluationForm
from ranking.admin.trials.evaluation_tables import (
    COLUMNS,
    boards,
    drawings,
    experience_rows,
    figures_table,
    title_of,
    upset_rows,
)
from ranking.models import EvaluationRun, Mode
from ranking.modes.parameters import changed_params
from ranking.systems.base import Refused
from ranking.trials.runs import ask_for_evaluation, stop_run

TEMPLATE, PROGRESS = "admin/ranking/mode/evaluate.html", "admin/ranking/mode/evaluation_progress.html"
VIEWS = {"run_view": "admin:ranking_mode_evaluation", "stop_view": "admin:ranking_mode_evaluation_stop"}
FILES = {"figures": figures_csv, "boards": boards_csv}


class EvaluationPages(admin.ModelAdmin[Mode]):
    """Adds the pages of a mode's evaluations to the admin pages of modes."""

    def get_urls(self) -> list[Any]:
        views: dict[str, tuple[Callable[..., HttpResponse], str]] = {
            "<int:mode_id>/evaluate/": (self.evaluate_view, "evaluate"),
            "<int:mode_id>/evaluate/<int:run_id>/": (self.evaluation_view, "evaluation"),
            "<int:mode_id>/evaluate/<int:run_id>/stop/": (self.stop_view, "evaluation_stop"),
            "<int:mode_id>/evaluate/<int:run_id>/<str:name>.csv": (self.file_view, "evaluation_file"),
        }
        wrapped = [
            path(route, self.admin_site.admin_view(view), name=f"ranking_mode_{name}")
            for route, (view, name) in views.items()
        ]
        return [*wrapped, *super().get_urls()]

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        links = self.links_of(request, object_id) if object_id.isdigit() else {}
        kwargs["extra_context"] = {**(kwargs.get("extra_context") or {}), "object_links": links}
        return super().change_view(request, object_id, *args, **kwargs)

    def links_of(self, request: HttpRequest, mode_id: str) -> dict[str, str]:
        """Return the links above a mode's page: address → text."""
        address = reverse("admin:ranking_mode_evaluate", args=[mode_id])
        return {address: "Evaluate"} if self._shows(request, EvaluationRun, mode_id) else {}

    def _shows(self, request: HttpRequest, runs: type[Model], mode_id: str | int) -> bool:
        """True if a page has something for the user: its form, or runs of others to look at."""
        return self.has_change_permission(request) or runs._default_manager.filter(mode=mode_id).exists()

    def evaluate_view(self, request: HttpRequest, mode_id: int) -> HttpResponse:
        """Show the newest evaluation and the form that asks for the next one; a POST asks for it."""
        change = request.method == "POST" or not self._shows(request, EvaluationRun, mode_id)
        mode = self._mode(request, mode_id, change=change)
        if request.method != "POST":
            return self._page(request, mode, EvaluationForm(mode), mode.evaluations.order_by("-id").first())
        form = EvaluationForm(mode, request.POST)
        if form.is_valid():
            try:
                run = ask_for_evaluation(mode, form.candidates, by=request.user, now=timezone.now())
                return HttpResponseRedirect(reverse("admin:ranking_mode_evaluation", args=[mode.pk, run.pk]))
            except Refused as refused:
                form.add_error(None, str(refused))
        return self._page(request, mode, form, None)

    def evaluation_view(self, request: HttpRequest, mode_id: int, run_id: int) -> HttpResponse:
        mode = self._mode(request, mode_id)
        run = get_object_or_404(mode.evaluations, pk=run_id)
        if not request.htmx:  # type: ignore[attr-defined]
            return self._page(request, mode, EvaluationForm(mode), run)
        if run.is_unfinished:
            may_run = self.has_change_permission(request, mode)
            context = {"mode": mode, "run": run, "may_run": may_run, **VIEWS, **_titles(run)}
            return TemplateResponse(request, PROGRESS, context)
        return HttpResponse(headers={"HX-Refresh": "true"})

    def stop_view(self, request: HttpRequest, mode_id: int, run_id: int) -> HttpResponse:
        mode = self._mode(request, mode_id, change=True)
        run = get_object_or_404(mode.evaluations, pk=run_id)
        if request.method != "POST":
            raise PermissionDenied
        stopped = stop_run(run, now=timezone.now())
        level = messages.SUCCESS if stopped else messages.WARNING
        self.message_user(request, "Stopped." if stopped else "It had ended already.", level)
        return HttpResponseRedirect(reverse("admin:ranking_mode_evaluation", args=[mode.pk, run.pk]))

    def file_view(self, request: HttpRequest, mode_id: int, run_id: int, name: str) -> HttpResponse:
        mode = self._mode(request, mode_id)
        run = get_object_or_404(mode.evaluations, pk=run_id)
        if name not in FILES:
            return HttpResponse(status=404)
        disposition = f'attachment; filename="{mode.slug}-{run.pk}-{name}.csv"'
        headers = {"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": disposition}
        return HttpResponse(FILES[name](run), headers=headers)

    def _mode(self, request: HttpRequest, mode_id: int, *, change: bool = False) -> Mode:
        mode = get_object_or_404(Mode, pk=mode_id)
        if not (self.has_change_permission if change else self.has_view_permission)(request, mode):
            raise PermissionDenied
        return mode

    def _page(
        self, request: HttpRequest, mode: Mode, form: EvaluationForm, run: EvaluationRun | None
    ) -> TemplateResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": f"Evaluate {mode.name}",
            "opts": self.opts,
            "mode": mode,
            "form": form,
            "may_run": self.has_change_permission(request, mode),
            "in_force": title_of({"system": form.in_force.system, "params": changed_params(form.in_force)}),
            "runs": mode.evaluations.select_related("asked_by").defer("results").order_by("-id"),
            "run": run,
            **VIEWS,
            **(_run_context(request, run) if run else {}),
        }
        return TemplateResponse(request, TEMPLATE, context)


def _run_context(request: HttpRequest, run: EvaluationRun) -> dict[str, Any]:
    """Return what a page shows of a run: the figures of all candidates, and the one that `?candidate=` chooses."""
    done = len(run.results)
    if not done:
        return _titles(run)
    value = request.GET.get("candidate", "")
    chosen = int(value) if value.isdecimal() and len(value) < 3 and int(value) < done else min(1, done - 1)
    return {
        **_titles(run),
        "advice": advice_of_evaluation(run.candidates, run.results),
        "columns": COLUMNS,
        "figures": figures_table(run),
        "chosen": chosen,
        "chosen_title": title_of(run.candidates[chosen]),
        "drawings": drawings(run.results[chosen], run.results[0] if chosen else None),
        "experience": experience_rows(run, chosen),
        "upsets": upset_rows(run.results[chosen]),
        "board": run.results[chosen]["board"],
        "boards": boards(run, chosen),
    }


def _titles(run: EvaluationRun) -> dict[str, Any]:
    """Return the titles of the candidates, and the title of the candidate that is being tried ("" = none)."""
    titles = [title_of(candidate) for candidate in run.candidates]
    return {"titles": titles, "current": next(iter(titles[len(run.results) :]), "")}
