"""Admin pages for merging two players, and for splitting them again: read the effects, give a reason."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from ranking.admin.base.acts.forms import TextsForm, details_of, sent_form
from ranking.admin.base.base import NumberSelect, ReadOnlyAdmin
from ranking.admin.base.display import record_text
from ranking.admin.base.lists import number_in
from ranking.models import Merge, Player
from ranking.moderation.merges import MergeRefused, Preview, merge_players, preview_merge
from ranking.moderation.splits import preview_split, split_players
from ranking.rules.names import fold

TEMPLATE = "admin/ranking/player/merge.html"
SPLIT = "Split them again…"
MOST_LINKS = 20


class MergeChoiceForm(forms.Form):
    merged = forms.ModelChoiceField(
        Player.objects.select_related("merged_into", "user"),
        label="Player to merge",
        widget=NumberSelect(Merge._meta.get_field("merged"), admin.site),
        help_text="A part of the name, or the game's whole key.",
    )


class MergePage(admin.ModelAdmin[Player]):
    """Adds a page to the admin pages of players: it merges another player into the shown one."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.merge_view)
        split = self.admin_site.admin_view(self.split_view)
        return [
            path("<int:player_id>/merge/", view, name="ranking_player_merge"),
            path("<int:player_id>/split/", split, name="ranking_player_split"),
            *super().get_urls(),
        ]

    def merge_view(self, request: HttpRequest, player_id: int) -> HttpResponse:
        players = Player.objects.select_related("merged_into", "user")
        kept = get_object_or_404(players, pk=player_id)
        if not self.has_change_permission(request, kept):
            raise PermissionDenied
        choice = MergeChoiceForm(request.GET if "merged" in request.GET else None)
        merged = choice.cleaned_data["merged"] if choice.is_valid() else None
        reason = sent_form(request, TextsForm)
        if request.method == "POST" and merged is not None and reason.is_valid():
            try:
                merge_players(kept, merged, **details_of(request, reason, timezone.now()))
            except MergeRefused as refused:
                reason.add_error(None, str(refused))
            else:
                self.message_user(request, f"Merged {merged.name} into {kept.name}.", messages.SUCCESS)
                return HttpResponseRedirect(reverse("admin:ranking_player_change", args=[kept.pk]))
        preview = None if merged is None else preview_merge(kept, merged)
        context = {
            **self.admin_site.each_context(request),
            "title": f"Merge another player into {kept.name}",
            "opts": self.opts,
            "kept": kept,
            "choice": choice,
            "reason": reason,
            "preview": preview,
            "records": [] if preview is None else _record_rows(preview),
            "media": self.media + choice.media,
        }
        return TemplateResponse(request, TEMPLATE, context)

    def split_view(self, request: HttpRequest, player_id: int) -> HttpResponse:
        """Split the player with this id from the player into whom they were merged."""
        merges = Merge.objects.select_related("kept__merged_into", "kept__user", "merged__merged_into")
        merge = get_object_or_404(merges, merged=player_id, lifted_at=None)
        if not self.has_change_permission(request, merge.merged):
            raise PermissionDenied
        reason, now = sent_form(request, TextsForm), timezone.now()
        if request.method == "POST" and reason.is_valid():
            try:
                split_players(merge, **details_of(request, reason, now))
            except MergeRefused as refused:
                reason.add_error(None, str(refused))
            else:
                self.message_user(request, f"Split {merge.merged.name} from {merge.kept.name}.", messages.SUCCESS)
                return HttpResponseRedirect(reverse("admin:ranking_player_change", args=[player_id]))
        context = {
            **self.admin_site.each_context(request),
            "title": f"Split {merge.merged.name} from {merge.kept.name}",
            "opts": self.opts,
            "kept": merge.kept,
            "reason": reason,
            "preview": preview_split(merge, now),
        }
        return TemplateResponse(request, TEMPLATE, context)


def _record_rows(preview: Preview) -> list[tuple[str, str, int, str, int]]:
    """Return what both played: mode, player, matches, record and matches left."""
    names = f"{preview.kept} (kept)", str(preview.merged)
    return [
        (mode.name, name, rating.matches, record_text(rating, mode), rating.leaves)
        for mode, ratings in preview.records.items()
        for name, rating in zip(names, ratings, strict=True)
    ]


def split_links(player_id: int) -> dict[str, str]:
    """Return the addresses of pages that split this player from others, with what their links say."""
    merges = Merge.objects.filter(Q(kept=player_id) | Q(merged=player_id), lifted_at=None)
    return {
        reverse(
            "admin:ranking_player_split", args=[merge.merged_id]
        ): f"Split {merge.merged.name} from {merge.kept.name}…"
        for merge in merges.select_related("kept", "merged").order_by("-pk")[:MOST_LINKS]
    }


@admin.register(Merge)
class MergeAdmin(ReadOnlyAdmin[Merge]):
    list_display = ("merged", "kept", "reason", "note", "by", "merged_at", "lifted_at")
    list_select_related = ("kept", "merged", "by")
    search_fields = ("merged__search_name", "merged__key", "kept__search_name", "kept__key")
    search_help_text = "A part of either player's name, or the whole key."
    fields = (
        "kept", "merged", "reason", "note", "by", "merged_at", "sequence", "forfeits",
        "lifted_at", "lifted_by", "lift_reason", "lift_note",
    )  # fmt: skip

    def search_rows(self, queryset: QuerySet[Merge], term: str) -> QuerySet[Merge]:
        # Without an index: there are few merges. Merged players are in no search by name.
        named = [Q(**{f"{each}__search_name__contains": fold(term)}) for each in ("kept", "merged")]
        keyed = [Q(**{f"{each}__key": term}) for each in ("kept", "merged")]
        return queryset.filter(Q(*named, *keyed, _connector=Q.OR))

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        merge = Merge.objects.filter(pk=number_in(object_id), lifted_at=None).first()
        may_split = merge is not None and request.user.has_perm("ranking.change_player")
        page = reverse("admin:ranking_player_split", args=[merge.merged_id]) if merge and may_split else ""
        kwargs["extra_context"] = {"object_links": {page: SPLIT} if page else {}}
        return super().change_view(request, object_id, *args, **kwargs)
