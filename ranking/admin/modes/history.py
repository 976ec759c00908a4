"""Admin pages of a mode's history: events, parameter versions and seasons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.utils.html import format_html

from ranking.admin.base.base import ReadOnlyAdmin
from ranking.admin.base.display import link_to, moment_text
from ranking.admin.base.filters import ModeFilter
from ranking.models import Event, Mode, ParameterVersion, Season
from ranking.modes.parameters import changed_params
from ranking.seasons.export import export_standings, file_name, state_of
from ranking.systems.base import SOFT


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin[Event]):
    list_display = ("id", "kind", "mode", "happened_at")
    list_select_related = ("mode",)
    list_filter = (ModeFilter,)
    search_fields = ("id",)
    search_help_text = "A sequence."
    fields = ("id", "kind", "mode", "happened_at", "fact")

    @admin.display
    def fact(self, event: Event) -> str:
        kinds: dict[str, str] = {
            Event.MATCH: "match", Event.PARAMETERS: "parameterversion", Event.SEASON_END: "ended_season"
        }  # fmt: skip
        return link_to(getattr(event, kinds.get(event.kind, ""), None))


class _VersionColumns:
    """The columns of a parameter version, for its list and for the page of its mode."""

    @admin.display(description="Parameters")
    def given(self, version: ParameterVersion) -> str:
        return parameters_text(version)

    @admin.display
    def since(self, version: ParameterVersion) -> str:
        return moment_text(version.event.happened_at)

    @admin.display(description="From sequence")
    def sequence(self, version: ParameterVersion) -> str:
        return link_to(version.event, version.event_id)


def parameters_text(version: ParameterVersion) -> str:
    """Return the parameters that differ from the defaults, such as "alpha 0.05, start 1500"."""
    return ", ".join(f"{name} {value}" for name, value in changed_params(version).items()) or "All at their defaults"


@admin.register(ParameterVersion)
class ParameterVersionAdmin(_VersionColumns, ReadOnlyAdmin[ParameterVersion]):
    list_display = ("__str__", "mode", "number", "system", "given", "since")
    list_filter = (ModeFilter,)
    fields = ("mode", "number", "system", "given", "since", "sequence")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ParameterVersion]:
        return super().get_queryset(request).select_related("mode", "event")


@admin.register(Season)
class SeasonAdmin(ReadOnlyAdmin[Season]):
    list_display = ("name", "mode", "number", "starts_at", "ends_at", "state")
    list_filter = (ModeFilter,)
    fields = ("mode", "number", "name", "starts_at", "ends_at", "late_until", "state", "rule_of_reset", "fact")

    def get_urls(self) -> list[Any]:
        view: Callable[..., HttpResponseBase] = self.admin_site.admin_view(self.standings_view)
        route = path("<int:season_id>/standings.csv", view, name="ranking_season_standings")
        return [route, *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Season]:
        return super().get_queryset(request).select_related("mode", "event")

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        season = self.get_object(request, object_id)
        links = {} if season is None else {_standings_address(season): f"Standings as CSV ({state_of(season)})"}
        kwargs["extra_context"] = {**(kwargs.get("extra_context") or {}), "object_links": links}
        return super().change_view(request, object_id, *args, **kwargs)

    def standings_view(self, request: HttpRequest, season_id: int) -> HttpResponseBase:
        """A download that is written while it is read."""
        season = get_object_or_404(Season.objects.select_related("mode"), pk=season_id)
        if not self.has_view_permission(request, season):
            raise PermissionDenied
        disposition = f'attachment; filename="{file_name(season)}"'
        headers = {"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": disposition}
        return StreamingHttpResponse(export_standings(season), headers=headers)

    @admin.display(description="Reset at its end")
    def rule_of_reset(self, season: Season) -> str:
        return f"{season.reset}, factor {season.reset_factor:g}" if season.reset == SOFT else season.reset

    @admin.display(description="Ended by sequence")
    def fact(self, season: Season) -> str:
        return link_to(season.event)


def _standings_address(season: Season) -> str:
    return reverse("admin:ranking_season_standings", args=[season.pk])


class _ModeFactsInline(admin.TabularInline[Any, Mode]):
    """Shows facts of a mode below its form."""

    can_delete = False
    extra = 0

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ParametersInline(_VersionColumns, _ModeFactsInline):
    model = ParameterVersion
    verbose_name_plural = "Rated by, newest first"
    fields = readonly_fields = ("number", "system", "given", "since", "sequence")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("mode", "event")


class SeasonInline(_ModeFactsInline):
    model = Season
    fields = readonly_fields = ("number", "name", "starts_at", "ends_at", "state", "standings")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("mode")

    @admin.display
    def standings(self, season: Season) -> str:
        return format_html('<a href="{}">CSV ({})</a>', _standings_address(season), state_of(season))
