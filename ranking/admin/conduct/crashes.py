"""An admin page that pardons all incidents of a crash: choose server and time, read the effects, give a reason."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from ranking.admin.base.acts.chosen_rows import MOST_PREVIEWED, as_previewed, keys_text, was_previewed
from ranking.admin.base.acts.forms import CrashForm, TextsForm, details_of, sent_form
from ranking.admin.base.acts.reporting import with_undo
from ranking.admin.conduct.cheaters import SHOWN, TEMPLATE
from ranking.models import Incident
from ranking.moderation.incidents import find_crashed, find_servers
from ranking.moderation.sanctions import pardon_incidents

LATELY = dt.timedelta(days=30)


class CrashPardonPage(admin.ModelAdmin[Any]):
    """Adds the page to the admin pages of incidents."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.crash_view)
        return [path("after-a-crash/", view, name="ranking_incident_crash"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:
        may_pardon = request.user.has_perm("ranking.pardon_incident")
        links = {reverse("admin:ranking_incident_crash"): "Pardon after a crash…"} if may_pardon else {}
        return super().changelist_view(request, {"list_links": links, **(extra_context or {})})

    def crash_view(self, request: HttpRequest) -> HttpResponse:
        if not request.user.has_perm("ranking.pardon_incident"):
            raise PermissionDenied
        now, choice = timezone.now(), CrashForm(request.GET if "since" in request.GET else None)
        crash = choice.cleaned_data if choice.is_valid() else None
        found = as_previewed(request, find_crashed(**crash)).values_list("pk", flat=True) if crash else ()
        ids = list(found[: MOST_PREVIEWED + 1])
        reason, back = sent_form(request, TextsForm), reverse("admin:ranking_incident_changelist")
        if was_previewed(request) and 0 < len(ids) <= MOST_PREVIEWED and reason.is_valid():
            pardoned = pardon_incidents(ids, **details_of(request, reason, now))
            done = with_undo(f"Pardoned: {_incident_count(len(pardoned))}.", Incident, now)
            self.message_user(request, done, messages.SUCCESS)
            return HttpResponseRedirect(back)
        shown = Incident.objects.filter(pk__in=ids[:SHOWN]).select_related("player").order_by("happened_at", "pk")
        context = {
            **self.admin_site.each_context(request),
            "title": "Pardon after a crash",
            "opts": self.opts,
            "lede": "Whoever left then keeps no points and no lockout for it. Ratings stay; to mend those, void the"
            " matches, too.",
            "choice": choice,
            "servers": find_servers(now - LATELY),
            "chosen": crash is not None,
            "sentence": _sentence(ids),
            "rows": [(reverse("admin:ranking_incident_change", args=[row.pk]), row) for row in shown],
            "more": max(0, len(ids) - SHOWN),
            "reason": reason if 0 < len(ids) <= MOST_PREVIEWED else None,
            "previewed": keys_text(ids),
            "verb": "Pardon",
            "back": back,
            "trail": [(back, "Incidents")],
            "media": self.media,
        }
        return TemplateResponse(request, TEMPLATE, context)


def _incident_count(number: int) -> str:
    return f"{number:,} incident{'' if number == 1 else 's'}"


def _sentence(ids: list[int]) -> str:
    if not ids:
        return "Nothing that counts happened there and then."
    if len(ids) > MOST_PREVIEWED:
        return f"That is more than {_incident_count(MOST_PREVIEWED)}. Choose a shorter time."
    players = Incident.objects.filter(pk__in=ids).order_by().values("player").distinct().count()
    return f"{_incident_count(len(ids))} of {players:,} player{'' if players == 1 else 's'}."
