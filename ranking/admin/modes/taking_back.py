"""The admin page that takes back the last end of a mode's season, or says why that can't be done."""

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
from ranking.admin.modes.season_ends import SeasonPages
from ranking.models import Mode
from ranking.seasons.taking_back import TakingBack, TakingBackRefused, plan_taking_back, take_back_end


class TakeBackForm(RecordedReasonForm):
    """Asks for the season's new end, in the mode's time zone."""

    ends_at = forms.DateTimeField(
        required=False,
        label="New end",
        help_text="In the mode's time zone. Empty: the next date of its schedule, or none without a schedule.",
    )

    def __init__(self, mode: Mode, *args: Any, **kwargs: Any) -> None:
        self.zone = ZoneInfo(mode.time_zone)
        super().__init__(*args, **kwargs)

    def full_clean(self) -> None:
        with timezone.override(self.zone):
            super().full_clean()


class TakeBackPage(SeasonPages):
    """Adds the page that takes back the end of a mode's season."""

    def get_urls(self) -> list[URLPattern]:
        view: Callable[..., HttpResponse] = self.admin_site.admin_view(self.take_back_view)
        return [path("<int:mode_id>/take-back-end/", view, name="ranking_mode_take_back_end"), *super().get_urls()]

    def links_of(self, request: HttpRequest, mode_id: str) -> dict[str, str]:
        links = super().links_of(request, mode_id)
        if self.has_change_permission(request):
            links[reverse("admin:ranking_mode_take_back_end", args=[mode_id])] = "Take back the end…"
        return links

    def take_back_view(self, request: HttpRequest, mode_id: int) -> HttpResponse:
        """Show what goes on and what goes, or why not; a POST takes the end back."""
        mode = self._mode(request, mode_id, change=True)
        plan, form = plan_taking_back(mode), TakeBackForm(mode, request.POST or None)
        if plan.objection or not form.is_valid():
            return self._take_back_page(request, mode, plan, form)
        if not request.user.is_authenticated:
            raise PermissionDenied
        try:
            season = take_back_end(
                mode, by=request.user, reason=form.cleaned_data["reason"], now=timezone.now(),
                ends_at=form.cleaned_data["ends_at"],
            )  # fmt: skip
        except TakingBackRefused as refused:
            form.add_error("ends_at", str(refused))
            return self._take_back_page(request, mode, plan_taking_back(mode), form)
        self.log_change(request, mode, f"Took back the end of {season.name}: {form.cleaned_data['reason']}")
        self.message_user(request, f"{season.name} goes on.", messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:ranking_mode_change", args=[mode.pk]))

    def _take_back_page(
        self, request: HttpRequest, mode: Mode, plan: TakingBack, form: TakeBackForm
    ) -> TemplateResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": f"Take back the end of {plan.season.name}",
            "opts": self.opts,
            "mode": mode,
            "plan": plan,
            "form": form,
        }
        return TemplateResponse(request, "admin/ranking/mode/take_back_end.html", context)
