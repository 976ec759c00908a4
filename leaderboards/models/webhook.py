"""Webhooks (addresses of programs that get results and promotions), and deliveries (the messages to them)."""

from urllib.parse import urlsplit

from django.db import models
from django.db.models import Q


class Webhook(models.Model):
    """A program that gets messages about `events` in `modes`; no modes = every mode.

    Its secret is derived, not stored: leaderboards.webhooks.signing.
    """

    GAME, DISCORD = "game", "discord"

    name = models.CharField(max_length=64, unique=True)
    kind = models.CharField(max_length=8, choices=[(GAME, "A game: signed JSON"), (DISCORD, "A Discord channel")])
    url = models.URLField("URL", max_length=500)
    events = models.JSONField(default=list)
    modes = models.ManyToManyField("ranking.Mode", blank=True, related_name="webhooks")
    rotation = models.PositiveIntegerField(default=0)
    rotated_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    disabled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["game", "discord"]), name="webhook_kind_known"),
            models.CheckConstraint(
                condition=Q(url__startswith="https://") | Q(url__startswith="http://"), name="webhook_url_is_http"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def host(self) -> str:
        """The part of the address that may be shown. The whole address of a Discord channel is a secret."""
        return urlsplit(self.url).netloc.rpartition("@")[2]


class Delivery(models.Model):
    """A message to a webhook, queued once an occasion. Claimed by conditional update; parked after too many failures.

    `data`: the content of a promotion's message. The content of a match's message is read when it is sent.
    """

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries", db_index=False)
    type = models.CharField(max_length=24)
    occasion = models.CharField(max_length=64)
    data = models.JSONField(null=True)
    created_at = models.DateTimeField()
    due_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    status = models.PositiveSmallIntegerField(null=True)  # of the last answer
    last_error = models.TextField(blank=True)
    delivered_at = models.DateTimeField(null=True)
    parked_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "deliveries"
        indexes = [
            models.Index(
                fields=["webhook", "due_at", "id"],
                condition=Q(delivered_at__isnull=True, parked_at__isnull=True),
                name="delivery_due",
            ),
            models.Index(fields=["webhook", "-id"], name="delivery_newest"),
            models.Index(fields=["id"], condition=Q(parked_at__isnull=False), name="delivery_parked"),
            models.Index(fields=["delivered_at"], condition=Q(delivered_at__isnull=False), name="delivery_done"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["webhook", "type", "occasion"], name="delivery_once_a_webhook"),
            models.CheckConstraint(
                condition=Q(delivered_at__isnull=True) | Q(parked_at__isnull=True), name="delivery_done_or_parked"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.occasion} to {self.webhook}"

    @property
    def message_id(self) -> str:
        """The same id for every attempt. It has no full stop, because in the signed text a full stop ends it."""
        return f"{self.type.replace('.', '-')}_{self.occasion}"
