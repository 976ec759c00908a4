"""Admin pages of messages to webhooks: which wait, which arrived, which are parked. Operators can send them again."""

from __future__ import annotations

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.text import Truncator

from leaderboards.models import Delivery, Webhook
from leaderboards.webhooks.deliveries import try_again
from ranking.admin.base.acts.acts import Act
from ranking.admin.base.base import UneditedAdmin
from ranking.admin.base.display import badge
from ranking.admin.base.filters import choice_filter
from ranking.admin.base.lists import number_in

StateFilter = choice_filter(
    "state",
    "state",
    {
        "waiting": ("Waiting", Q(delivered_at=None, parked_at=None)),
        "parked": ("Parked: failed too often", Q(parked_at__isnull=False)),
        "arrived": ("Arrived", Q(delivered_at__isnull=False)),
    },
)


class WebhookFilter(admin.SimpleListFilter):
    title = "webhook"
    parameter_name = "webhook"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
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


class SendAgainAct(Act):
    """Says how many messages are due again."""

    def __call__(self, page: ModelAdmin[Delivery], request: HttpRequest, rows: QuerySet[Delivery]) -> None:
        due = try_again(rows, now=timezone.now())
        sentence = "1 message is due again." if due == 1 else f"{due} messages are due again."
        page.message_user(request, sentence, messages.SUCCESS if due else messages.WARNING)


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
    actions = (SendAgainAct("again", "Send again", "change", try_again),)
    shows_every_act = True

    @admin.display
    def state(self, delivery: Delivery) -> str:
        return state_of(delivery)

    @admin.display(description="Last answer")
    def answer(self, delivery: Delivery) -> str:
        return Truncator(delivery.last_error).chars(80) or str(delivery.status or "–")
