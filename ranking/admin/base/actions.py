"""Permissions of moderators' actions, and the actions that a row's page offers."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest


class ConductActionsAdmin(admin.ModelAdmin[Any]):
    """Offers actions on the page of a row, too: those of `page_actions` that the user may do, in that order.

    An action names one of the permissions below: `permissions=["pardon"]` asks `has_pardon_permission`.
    """

    page_actions: tuple[str, ...] = ()

    def has_pardon_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ranking.pardon_incident")

    def has_ban_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ranking.add_ban")

    def has_extend_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ranking.extend_ban")

    def has_lift_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ranking.lift_ban")

    def has_warn_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ranking.add_playerwarning")

    def has_note_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ranking.add_playernote")

    def has_hide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ranking.hide_player")

    def has_void_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ranking.add_void")

    def has_strike_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ranking.strike_rating")

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ranking.decide_appeal")

    def actions_for(self, request: HttpRequest, row: Any) -> tuple[str, ...]:
        """Return the names of the actions that make sense for this row."""
        return self.page_actions

    def label_for(self, label: str, row: Any) -> str:
        """Return the label of an action's button on the page of this row."""
        return label

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        allowed, row = self.get_actions(request), context["original"]
        if row is not None:
            labels = {name: action[2] for name, action in allowed.items() if action is not None}
            offered = self.actions_for(request, row)
            context["object_actions"] = {name: self.label_for(labels[name], row) for name in offered if name in labels}
        return super().render_change_form(request, context, *args, **kwargs)
