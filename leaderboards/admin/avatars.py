"""Admin page of the pictures that players show. Moderators remove them, and allow them again."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from leaderboards.avatars.choosing import allow_avatars, remove_avatars
from leaderboards.models import Avatar
from ranking.admin.base.acts.acts import Act, on_keys
from ranking.admin.base.acts.confirmation import Question
from ranking.admin.base.acts.forms import ActForm, ReasonForm
from ranking.admin.base.audited import M
from ranking.admin.base.base import OfPlayerAdmin, UneditedAdmin
from ranking.admin.base.display import badge

HIDE_RIGHT = "ranking.hide_player"
REMOVE = Question(
    "Remove the picture",
    "Pages show the player’s crest again, and the player can show no other picture until you allow it.",
    "Remove the picture",
)
ALLOW = Question("Allow a picture again", "The player may show the picture of their other account again.", "Allow")


class AvatarAct(Act):
    """Returns to the list, even after an act on one row."""

    def report(
        self, page: ModelAdmin[M], request: HttpRequest, changed: list[Any], form: ActForm | None, now: dt.datetime
    ) -> None:
        super().report(page, request, changed, form, now)


@admin.register(Avatar)
class AvatarAdmin(OfPlayerAdmin[Avatar], UneditedAdmin[Avatar]):
    list_display = fields = ("player", "picture", "state", "due_at", "removed_at")
    list_select_related = ("player",)
    ordering = ("-player",)
    actions = (
        AvatarAct(
            "remove", "Remove the picture…", HIDE_RIGHT, on_keys(remove_avatars), "Picture removed", REMOVE, ReasonForm
        ),
        AvatarAct(
            "allow", "Allow a picture again…", HIDE_RIGHT, on_keys(allow_avatars), "Picture allowed", ALLOW, ReasonForm
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Avatar]:
        return super().get_queryset(request).defer("image")

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
