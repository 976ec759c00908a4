"""Operators' pages that estimate waits, by arithmetic and by simulation. They read and change no data of the site."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from hashlib import sha256
from time import thread_time
from typing import Any

from django.contrib import admin
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.safestring import mark_safe

from matchmaking.forms import PlanForm, SimulationForm
from matchmaking.planning import report
from matchmaking.simulation.charts import HEADINGS, charts
from matchmaking.simulation.reports import SimulationReport
from matchmaking.simulation.run import prepare
from matchmaking.simulation.scenarios import Scenario
from matchmaking.simulation.tables import cells, titles

SECONDS = 0.8  # of processor time in which a page simulates
KEPT = 3_600  # seconds for which a simulation is cached: asked for the same numbers again, it goes on
LARGEST = 8_000_000  # bytes of a cached simulation


def plan_view(request: HttpRequest) -> HttpResponse:
    """Show the plan for the request's numbers, or for the form's initial ones."""
    form = PlanForm(request.GET or {name: field.initial for name, field in PlanForm.base_fields.items()})
    context: dict[str, object] = {"title": "Plan queues", "form": form}
    if form.is_valid():
        target, population = form.cleaned_data["target"], form.cleaned_data["population"]
        context |= {
            "formula": report.formula(form.plan),
            "verdict": report.verdict(form.plan),
            "wait": report.duration(form.plan.wait),
            "heading": report.heading(form.plan, target, form.changes) if target is not None else "",
            "changes": [report.sentence(change) for change in form.changes],
            "placing": report.placing(form.plan, population, form.matches) if form.matches else "",
            "drawing": mark_safe(report.chart(form.plan, target)),  # noqa: S308 - drawn from numbers
        }
    return _page(request, "plan_queues", context)


def simulate_view(request: HttpRequest, seconds: float = SECONDS) -> HttpResponse:
    """Show the form, and the simulation's results if the form was sent."""
    form = SimulationForm(request.GET or None)
    context: dict[str, object] = {"title": "Simulate an evening", "form": form}
    if form.is_valid():
        reports, whole = simulate_for(form.scenarios, seconds)
        drawings = zip(HEADINGS, charts(reports), strict=True)
        context |= {
            "whole": whole,
            "titles": titles(reports),
            "rows": cells(reports),
            "drawings": [(heading, text, mark_safe(svg)) for (heading, text), svg in drawings if svg],  # noqa: S308
        }
    return _page(request, "simulate", context)


def simulate_for(scenarios: Sequence[Scenario], seconds: float) -> tuple[list[SimulationReport], bool]:
    """Play the scenarios for `seconds` of processor time, an equal part each, from where an earlier call stopped.

    Returns their reports, and whether all were played out.
    """
    key = f"simulations-{sha256(repr(scenarios).encode()).hexdigest()}"
    known = cache.get(key)
    simulations = [prepare(scenario) for scenario in scenarios] if known is None else pickle.loads(known)  # noqa: S301 - ours
    going = [simulation for simulation in simulations if not simulation.is_over]
    for simulation in going:
        deadline = thread_time() + seconds / len(going)
        while simulation.go_on() and thread_time() < deadline:
            pass
    if going and len(state := pickle.dumps(simulations)) <= LARGEST:
        cache.set(key, state, KEPT)
    return [simulation.report for simulation in simulations], all(simulation.is_over for simulation in simulations)


def _page(request: HttpRequest, name: str, context: dict[str, Any]) -> TemplateResponse:
    shared = admin.site.each_context(request)
    return TemplateResponse(request, f"admin/matchmaking/{name}.html", {**shared, **context})
