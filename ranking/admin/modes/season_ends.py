"""The admin page that ends a mode's season: what the end will do, and the form that asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from ranking.admin.base.acts.forms import RecordedReasonForm
from ranking.admin.base.display import change_text, rating_text
from ranking.admin.base.name_fields import field_names, name_fields, names_from
from ranking.admin.modes.reratings import ReratingPages
from ranking.admin.modes.snapshots import histogram
from ranking.models import Mode, Season
from ranking.seasons.dates import EndRefused, EndRequest, request_end
from ranking.seasons.preview import EndPreview, RatingPreview, preview_end
from ranking.systems.base import RESETS, ResetRule

RESET_LABELS = {
    "soft": "Soft: toward the rating of a newcomer",
    "keep": "Keep: everybody goes on as they were",
    "hard": "Hard: everybody starts as a newcomer",
}


class EndSeasonForm(RecordedReasonForm):
    """Asks how a season ends. Its times are those of the mode's time zone."""

    reset = forms.ChoiceField(
        choices=[(kind, RESET_LABELS[kind]) for kind in RESETS], label="Ratings", help_text="In the next season."
    )
    factor = forms.FloatField(
        min_value=0, max_value=1, label="Factor",
        help_text="Of a soft reset: the share of the distance from a newcomer that is left, 0 to 1. Default: 0.5.",
    )  # fmt: skip
    next_name = forms.CharField(
        max_length=64, required=False, label="Name of the next season", help_text="Empty: by its number."
    )
    ends_at = forms.DateTimeField(required=False, label="Ends at", help_text="In the mode's time zone. Empty: now.")
    skip_late = forms.BooleanField(
        required=False, label="Without waiting for late results",
        help_text="Results that ended before the end and come later are rated in the next season.",
    )  # fmt: skip

    def __init__(self, season: Season, *args: Any, **kwargs: Any) -> None:
        self.zone = ZoneInfo(season.mode.time_zone)
        initial = {"reset": season.reset, "factor": season.reset_factor, "next_name": season.next_name}
        with timezone.override(self.zone):
            super().__init__(*args, **{**kwargs, "initial": initial})
        self.fields.update(name_fields("next_name", "Its name", season.next_names))
        self.order_fields(["reset", "factor", "next_name", *field_names("next_name")])

    def full_clean(self) -> None:
        with timezone.override(self.zone):
            super().full_clean()

    @property
    def rule(self) -> ResetRule:
        return ResetRule(self.cleaned_data["reset"], self.cleaned_data["factor"])

    @property
    def request(self) -> EndRequest:
        names = names_from("next_name", self.cleaned_data)
        return EndRequest(self.rule, self.cleaned_data["next_name"], self.cleaned_data["skip_late"], names)


class SeasonPages(ReratingPages):
    """Adds the page that ends the season of a mode."""

    def get_urls(self) -> list[URLPattern]:
        view: Callable[..., HttpResponse] = self.admin_site.admin_view(self.end_season_view)
        return [path("<int:mode_id>/end-season/", view, name="ranking_mode_end_season"), *super().get_urls()]

    def links_of(self, request: HttpRequest, mode_id: str) -> dict[str, str]:
        links = super().links_of(request, mode_id)
        if self.has_change_permission(request):
            links[reverse("admin:ranking_mode_end_season", args=[mode_id])] = "End the season…"
        return links

    def end_season_view(self, request: HttpRequest, mode_id: int) -> HttpResponse:
        """Show what the end of the season will do; a POST asks for it, or shows the preview of another rule."""
        mode = self._mode(request, mode_id, change=True)
        season = Season.objects.select_related("mode").get(mode=mode, current=True)
        form = EndSeasonForm(season, request.POST or None)
        if not form.is_valid() or "preview" in request.POST:
            sound = form.is_bound and {"reset", "factor"} <= form.cleaned_data.keys()
            return self._end_page(request, preview_end(season, form.rule if sound else season.rule), form)
        if not request.user.is_authenticated:
            raise PermissionDenied
        try:
            ended = request_end(
                mode, form.request, by=request.user, reason=form.cleaned_data["reason"], now=timezone.now(),
                ends_at=form.cleaned_data["ends_at"],
            )  # fmt: skip
        except EndRefused as refused:
            form.add_error("ends_at", str(refused))
            return self._end_page(request, preview_end(season, season.rule), form)
        self.log_change(request, mode, f"Asked to end {ended.name}: {form.cleaned_data['reason']}")
        self.message_user(request, _outcome(ended), messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:ranking_mode_change", args=[mode.pk]))

    def _end_page(self, request: HttpRequest, preview: EndPreview, form: EndSeasonForm) -> TemplateResponse:
        mode: Mode = preview.season.mode
        context = {
            **self.admin_site.each_context(request),
            "title": f"End {preview.season.name} of {mode.name}",
            "opts": self.opts,
            "mode": mode,
            "preview": preview,
            "drawings": _drawings(preview),
            "standings": reverse("admin:ranking_season_standings", args=[preview.season.pk]),
            "tables": [("The best", _rows(preview.first)), ("The last", _rows(preview.last))],
            "form": form,
        }
        return TemplateResponse(request, "admin/ranking/mode/end_season.html", context)


def _drawings(preview: EndPreview) -> list[tuple[str, str]]:
    """The distributions of ratings before and after the reset, on one scale."""
    if not preview.listed:
        return []
    tables = {"Ratings now": preview.before, "Ratings in the next season": preview.after}
    values = [value for table in tables.values() for value, _ in table.rows()]
    return [(heading, histogram(table, min(values), max(values))) for heading, table in tables.items()]


def _rows(ratings: Any) -> list[tuple[str, str, str, str]]:
    """Name, rating before and after, and the change between, as text."""
    rows: list[RatingPreview] = list(ratings)
    return [
        (row.name, rating_text(row.before), rating_text(row.after), change_text(row.before, row.after)) for row in rows
    ]


def _outcome(season: Season) -> str:
    if season.state == Season.CLOSING and season.late_until == season.ends_at:
        return f"{season.name} is over. The next season begins in a moment."
    if season.state == Season.CLOSING:
        return f"{season.name} is over. The next season begins when late results have been waited for."
    return f"{season.name} ends at the time that you gave; until then you may ask again with another."
