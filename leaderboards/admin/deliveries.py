"""Admin pages of messages to webhooks: which wait, which arrived, which are parked. Operators can send them again."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.text import Truncator

from leaderboards.models import Delivery, Webhook
from leaderboards.webhooks.deliveries import try_again
from ranking.admin.base.base import UneditedAdmin, number_in
from ranking.admin.base.display import badge


class StateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"
    CHOICES: ClassVar[dict[str, tuple[str, dict[str, Any]]]] = {
        "waiting": ("Waiting", {"delivered_at": None, "parked_at": None}),
        "parked": ("Parked: failed too often", {"parked_at__isnull": False}),
        "arrived": ("Arrived", {"delivered_at__isnull": False}),
    }

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state, label) for state, (label, _) in self.CHOICES.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> QuerySet[Delivery]:
        state = self.value()
        return queryset.filter(**self.CHOICES[state][1]) if state in self.CHOICES else queryset


class WebhookFilter(admin.SimpleListFilter):
    title = "webhook"
    parameter_name = "webhook"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(str(hook.pk), hook.name) for hook in Webhook.objects.all()[:50]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> QuerySet[Delivery]:
        return queryset.filter(webhook=number_in(self.value() or "")) if self.value() else queryset


def state_of(delivery: Delivery) -> str:
    """A badge: Arrived, Parked, Trying again, Waiting."""
    if delivery.delivered_at is not None:
        return badge("Arrived", "good")
    if delivery.parked_at is not None:
        return badge("Parked", "warn")
    return badge("Trying again", "warn") if delivery.attempts else badge("Waiting")


@admin.register(Delivery)
class DeliveryAdmin(UneditedAdmin[Delivery]):
    list_display = ("id", "webhook", "type", "occasion", "state", "attempts", "answer", "created_at")
    list_select_related = ("webhook",)
    list_filter = (StateFilter, WebhookFilter)
    sortable_by = ("id",)
    fields = (
        "webhook", "type", "message_id", "state", "created_at", "due_at", "delivered_at", "attempts", "status",
        "last_error",
    )  # fmt: skip
    actions = ("again",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        kwargs["extra_context"] = {"object_actions": {"again": "Send again"}}
        return super().change_view(request, object_id, *args, **kwargs)

    @admin.display
    def state(self, delivery: Delivery) -> str:
        return state_of(delivery)

    @admin.display(description="Last answer")
    def answer(self, delivery: Delivery) -> str:
        return Truncator(delivery.last_error).chars(80) or str(delivery.status or "–")

    @admin.action(description="Send again", permissions=["change"])
    def again(self, request: HttpRequest, deliveries: QuerySet[Delivery]) -> None:
        due = try_again(deliveries, now=timezone.now())
        what = "1 message is due again." if due == 1 else f"{due} messages are due again."
        self.message_user(request, what, messages.SUCCESS if due else messages.WARNING)
