"""Admin pages of a mode's history: events and parameter versions, and the seasons on the mode's own page."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from ranking.admin.base.base import FactsInline, ReadOnlyAdmin
from ranking.admin.base.display import link_to, moment_text
from ranking.admin.base.filters import ModeFilter
from ranking.admin.modes.seasons import standings_address
from ranking.models import Event, ParameterVersion, Season
from ranking.modes.parameters import changed_params
from ranking.seasons.export import state_of


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


class ParametersInline(_VersionColumns, FactsInline[ParameterVersion]):
    model = ParameterVersion
    verbose_name_plural = "Rated by, newest first"
    fields = readonly_fields = ("number", "system", "given", "since", "sequence")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ParameterVersion]:
        return super().get_queryset(request).select_related("mode", "event")


class SeasonInline(FactsInline[Season]):
    model = Season
    fields = readonly_fields = ("number", "name", "starts_at", "ends_at", "state", "standings")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Season]:
        return super().get_queryset(request).select_related("mode")

    @admin.display
    def standings(self, season: Season) -> str:
        if season.pk is None:  # drawn again for a form that names no season
            return "–"
        return format_html('<a href="{}">CSV ({})</a>', standings_address(season), state_of(season))
