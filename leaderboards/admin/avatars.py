"""Admin page of the pictures that players show. Moderators remove them, and allow them again."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from leaderboards.avatars.choosing import allow_avatars, remove_avatars
from leaderboards.models import Avatar
from ranking.admin.base.actions import ConductActionsAdmin
from ranking.admin.base.base import UneditedAdmin
from ranking.admin.base.confirmation import Question, confirmation_page, report_done
from ranking.admin.base.display import badge
from ranking.admin.base.reasons import ReasonForm, details_of, form_from
from ranking.players.search import MOST_FOUND, find_named

REMOVE = Question(
    "Remove the picture",
    "Pages show the player’s crest again, and the player can show no other picture until you allow it.",
    "Remove the picture",
)
ALLOW = Question("Allow a picture again", "The player may show the picture of their other account again.", "Allow")


@admin.register(Avatar)
class AvatarAdmin(ConductActionsAdmin, UneditedAdmin[Avatar]):
    list_display = fields = ("player", "picture", "state", "due_at", "removed_at")
    list_select_related = ("player",)
    ordering = ("-player",)
    search_fields = ("player__search_name", "player__key")
    search_help_text = f"A part of a player's name (at most {MOST_FOUND} players), or the whole key."
    actions = page_actions = ("remove", "allow")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Avatar]:
        return super().get_queryset(request).defer("image")

    def search_rows(self, queryset: QuerySet[Avatar], term: str) -> QuerySet[Avatar]:
        return queryset.filter(player__in=find_named(term))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.display
    def picture(self, avatar: Avatar) -> str:
        if not avatar.player.avatar:
            return "–"
        address = f"{reverse('leaderboards:avatar', args=[avatar.player.key])}?v={avatar.player.avatar}"
        return format_html('<img src="{}" width="48" height="48" alt="">', address)

    @admin.display
    def state(self, avatar: Avatar) -> str:
        if avatar.removed_at is not None:
            return badge("Removed", "warn")
        return badge("Shown", "good") if avatar.player.avatar else badge("No picture")

    @admin.action(description="Remove the picture…", permissions=["hide"])
    def remove(self, request: HttpRequest, avatars: QuerySet[Avatar]) -> HttpResponse | None:
        return self._act(request, avatars, REMOVE, "Picture removed", remove_avatars)

    @admin.action(description="Allow a picture again…", permissions=["hide"])
    def allow(self, request: HttpRequest, avatars: QuerySet[Avatar]) -> HttpResponse | None:
        return self._act(request, avatars, ALLOW, "Picture allowed", allow_avatars)

    def _act(
        self, request: HttpRequest, avatars: QuerySet[Avatar], question: Question, outcome: str, act: Any
    ) -> HttpResponse | None:
        form = form_from(request, ReasonForm)
        if not form.is_valid():
            return confirmation_page(self, request, avatars, question, form=form)
        details = details_of(request, form, timezone.now())
        done = act([avatar.pk for avatar in avatars], **details)
        report_done(self, request, done, outcome)
        return None
