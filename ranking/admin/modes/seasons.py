"""Admin pages of seasons: their dates, state and champions, with links to their boards and to what corrects them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Subquery, Value, When
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ranking.admin.base.base import ReadOnlyAdmin
from ranking.admin.base.display import badge, link_to, list_link
from ranking.admin.base.filters import ModeFilter, choice_filter
from ranking.admin.base.name_fields import field_names, name_fields, names_from
from ranking.models import Rating, Season
from ranking.seasons.export import export_standings, file_name, state_of
from ranking.seasons.naming import name_season
from ranking.seasons.preview import CHAMPIONS, ORDER
from ranking.seasons.strikes import strike_in_force
from ranking.systems.base import SOFT

STATES = {Season.RUNNING: "good", Season.CLOSING: "warn", Season.ARCHIVED: "plain"}


SeasonStateFilter = choice_filter("state", "state", {state: (state.capitalize(), Q(state=state)) for state in STATES})


class SeasonForm(forms.ModelForm[Season]):
    """Names a season in the languages of the site; nothing else of it is edited."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.update(name_fields("name", "Name", self.instance.names))


@admin.register(Season)
class SeasonAdmin(ReadOnlyAdmin[Season]):
    list_display = ("name", "mode", "number", "condition", "starts_at", "ends_at", "champions", "links")
    list_filter = (ModeFilter, SeasonStateFilter)
    search_fields = ("name", "mode__name")
    search_help_text = "A part of the name of a season or a mode."
    fields = (
        "mode", "number", "name", "starts_at", "ends_at", "late_until", "condition", "champions", "rule_of_reset",
        "fact", "links",
    )  # fmt: skip
    form = SeasonForm

    def get_urls(self) -> list[URLPattern]:
        view: Callable[..., HttpResponseBase] = self.admin_site.admin_view(self.standings_view)
        route = path("<int:season_id>/standings.csv", view, name="ranking_season_standings")
        return [route, *super().get_urls()]

    def has_change_permission(self, request: HttpRequest, obj: Season | None = None) -> bool:
        """Whoever may change a mode may name its seasons in other languages."""
        return obj is not None and request.user.has_perm("ranking.change_mode")

    def get_fields(self, request: HttpRequest, obj: Season | None = None) -> Any:
        names = field_names("name") if self.has_change_permission(request, obj) else ("names",)
        return [*self.fields[:3], *names, *self.fields[3:]]

    def get_readonly_fields(self, request: HttpRequest, obj: Season | None = None) -> Any:
        return self.fields

    def get_form(self, request: HttpRequest, obj: Season | None = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **{**kwargs, "fields": ()})

    def audit_subject(self, row: Season) -> str:
        return f"season {row.number} of {row.mode.slug}"

    def audit_fields(self, request: HttpRequest, row: Season) -> tuple[str, ...]:
        return ("names",)

    def save_model(self, request: HttpRequest, obj: Season, form: Any, change: bool) -> None:
        name_season(obj, names_from("name", form.cleaned_data))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Season]:
        best = Rating.objects.filter(season=OuterRef("pk"), mode=OuterRef("mode"), listed=True).order_by(*ORDER)
        best = best.annotate(struck=Exists(strike_in_force()))
        champions = {
            f"{name}_{place}": Subquery(best.values(column)[place : place + 1])
            for place in range(CHAMPIONS)
            for name, column in (("champion", "player__name"), ("struck", "struck"))
        }
        following = Season.objects.filter(mode=OuterRef("mode"), number=OuterRef("number") + 1, current=True)
        ending = Case(When(state=Season.CLOSING, then=True), default=Exists(following))
        may = request.user.has_perm("ranking.change_mode")
        seasons = super().get_queryset(request).select_related("mode", "event")
        return seasons.annotate(has_way_back=ending if may else Value(False), **champions)

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        season = self.get_object(request, object_id)
        links = {} if season is None else {standings_address(season): f"Standings as CSV ({state_of(season)})"}
        kwargs["extra_context"] = {**(kwargs.get("extra_context") or {}), "object_links": links}
        return super().change_view(request, object_id, *args, **kwargs)

    def standings_view(self, request: HttpRequest, season_id: int) -> HttpResponseBase:
        """A download."""
        season = get_object_or_404(Season.objects.select_related("mode"), pk=season_id)
        if not self.has_view_permission(request, season):
            raise PermissionDenied
        disposition = f'attachment; filename="{file_name(season)}"'
        headers = {"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": disposition}
        return StreamingHttpResponse(export_standings(season), headers=headers)

    def search_rows(self, queryset: QuerySet[Season], term: str) -> QuerySet[Season]:
        return queryset.filter(Q(name__icontains=term) | Q(mode__name__icontains=term))  # a mode has few seasons

    @admin.display(description="State")
    def condition(self, season: Season) -> str:
        return badge(season.state.capitalize(), STATES[season.state])

    @admin.display
    def champions(self, season: Any) -> str:
        """The best of an archived season, in the order of its board."""
        if season.state != Season.ARCHIVED:
            return "–"
        places = [(getattr(season, f"champion_{at}"), getattr(season, f"struck_{at}")) for at in range(CHAMPIONS)]
        return ", ".join(f"{name} (struck)" if struck else name for name, struck in places if name) or "–"

    @admin.display(description="Go to")
    def links(self, season: Any) -> SafeString:
        archived = season.state == Season.ARCHIVED
        board = {"season": season.pk} if archived else {"board": season.mode_id}
        links = [list_link(Rating, "Board, strikes" if archived else "Board", **board)]
        links.append(format_html('<a href="{}">CSV</a>', standings_address(season)))
        if season.has_way_back:
            address = reverse("admin:ranking_mode_take_back_end", args=[season.mode_id])
            links.append(format_html('<a href="{}">Take back the end</a>', address))
        return format_html_join(" · ", "{}", ((link,) for link in links))

    @admin.display(description="Reset at its end")
    def rule_of_reset(self, season: Season) -> str:
        return f"{season.reset}, factor {season.reset_factor:g}" if season.reset == SOFT else season.reset

    @admin.display(description="Ended by sequence")
    def fact(self, season: Season) -> str:
        return link_to(season.event, season.event_id)


def standings_address(season: Season) -> str:
    return reverse("admin:ranking_season_standings", args=[season.pk])
