"""An admin page that voids every match of a cheater since a chosen time: choose, read the effects, give a reason."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from ranking.admin.base.acts.chosen_rows import as_previewed, keys_text, was_previewed
from ranking.admin.base.acts.effects import sentence_of
from ranking.admin.base.acts.forms import SinceForm, TextsForm, details_of, sent_form
from ranking.admin.base.acts.reporting import with_undo
from ranking.models import Leaver, Match
from ranking.moderation.voids import MOST, find_matches_since, void

SHOWN = 20
TEMPLATE = "admin/ranking/chosen.html"


class VoidSincePage(admin.ModelAdmin[Any]):
    """Adds the page to the admin pages of a model."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.void_since_view)
        return [path("<int:player_id>/void-since/", view, name="ranking_leaver_void_since"), *super().get_urls()]

    def void_since_view(self, request: HttpRequest, player_id: int) -> HttpResponse:
        if not request.user.has_perm("ranking.add_void"):
            raise PermissionDenied
        player = get_object_or_404(Leaver, pk=player_id)
        choice = SinceForm(request.GET if "since" in request.GET else None)
        since = choice.cleaned_data["since"] if choice.is_valid() else None
        rows = (
            as_previewed(request, find_matches_since(player, since)).select_related("mode", "source") if since else ()
        )
        matches: list[Any] = list(rows[: MOST + 1])
        reason = sent_form(request, TextsForm)
        back = reverse("admin:ranking_leaver_change", args=[player.pk])
        if was_previewed(request) and 0 < len(matches) <= MOST and reason.is_valid():
            voided = void(matches, **details_of(request, reason, now := timezone.now()))
            plural = "" if len(voided) == 1 else "es"
            done = with_undo(f"Void: {len(voided):,} match{plural} of {player}.", Match, now)
            self.message_user(request, done, messages.SUCCESS)
            return HttpResponseRedirect(back)
        context = {
            **self.admin_site.each_context(request),
            "title": f"Void matches of {player}",
            "opts": self.opts,
            "lede": "Every match of theirs since a moment counts for nothing, for anybody in it.",
            "choice": choice,
            "chosen": since is not None,
            "sentence": self._sentence(matches),
            "rows": [(reverse("admin:ranking_match_change", args=[match.pk]), match) for match in matches[:SHOWN]],
            "more": max(0, len(matches) - SHOWN),
            "reason": reason if 0 < len(matches) <= MOST else None,
            "previewed": keys_text(match.pk for match in matches),
            "verb": "Void",
            "back": back,
            "trail": [(reverse("admin:ranking_leaver_changelist"), "Leavers"), (back, str(player))],
            "media": self.media,
        }
        return TemplateResponse(request, TEMPLATE, context)

    def _sentence(self, matches: list[Any]) -> str:
        if not matches:
            return "They have no match since then that isn’t void."
        if len(matches) > MOST:
            return f"That is more than {MOST:,} matches. Choose a later moment, and go back in steps."
        plural = "" if len(matches) == 1 else "es"
        return f"{len(matches):,} match{plural}. {sentence_of('Void', matches)}"
