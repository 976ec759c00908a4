"""Admin pages for merging players: choose another player, read the effects, give a reason."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone

from ranking.admin.base.base import ReadOnlyAdmin
from ranking.admin.base.reasons import TextsForm, details_of
from ranking.models import Merge, Player
from ranking.moderation.merge_previews import preview_merge
from ranking.moderation.merges import MergeRefused, merge_players

TEMPLATE = "admin/ranking/player/merge.html"


class MergeChoiceForm(forms.Form):
    merged = forms.ModelChoiceField(
        Player.objects.select_related("merged_into", "user"),
        label="Player to merge",
        widget=AutocompleteSelect(Merge._meta.get_field("merged"), admin.site),
        help_text="How the name begins, or the game's whole key.",
    )


class MergePage(admin.ModelAdmin[Player]):
    """Adds a page to the admin pages of players: it merges another player into the shown one."""

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.merge_view)
        return [path("<int:player_id>/merge/", view, name="ranking_player_merge"), *super().get_urls()]

    def merge_view(self, request: HttpRequest, player_id: int) -> HttpResponse:
        players = Player.objects.select_related("merged_into", "user")
        kept = get_object_or_404(players, pk=player_id)
        if not self.has_change_permission(request, kept):
            raise PermissionDenied
        choice = MergeChoiceForm(request.GET if "merged" in request.GET else None)
        merged = choice.cleaned_data["merged"] if choice.is_valid() else None
        reason = TextsForm(request.POST or None)
        if request.method == "POST" and merged is not None and reason.is_valid():
            try:
                merge_players(kept, merged, **details_of(request, reason, timezone.now()))
            except MergeRefused as refused:
                reason.add_error(None, str(refused))
            else:
                self.message_user(request, f"Merged {merged.name} into {kept.name}.", messages.SUCCESS)
                return HttpResponseRedirect(reverse("admin:ranking_player_change", args=[kept.pk]))
        context = {
            **self.admin_site.each_context(request),
            "title": f"Merge another player into {kept.name}",
            "opts": self.opts,
            "kept": kept,
            "choice": choice,
            "reason": reason,
            "preview": None if merged is None else preview_merge(kept, merged),
            "media": self.media + choice.media,
        }
        return TemplateResponse(request, TEMPLATE, context)


@admin.register(Merge)
class MergeAdmin(ReadOnlyAdmin[Merge]):
    list_display = ("merged", "kept", "reason", "note", "by", "merged_at")
    list_select_related = ("kept", "merged", "by")
    fields = ("kept", "merged", "reason", "note", "by", "merged_at", "sequence", "forfeits")
