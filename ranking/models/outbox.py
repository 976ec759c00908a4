"""The model of the outbox: work that follows a result, written in the transaction that rates it."""

from django.db import models
from django.db.models import Q


class OutboxEntry(models.Model):
    """Work of one consumer for one event; the row is deleted when the work is done.

    A worker claims it by a conditional update until `claimed_until`. After OUTBOX_MAX_ATTEMPTS failures it is parked.
    """

    consumer = models.CharField(max_length=64)
    event = models.ForeignKey("ranking.Event", models.PROTECT, related_name="outbox", db_index=False)
    due_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    last_error = models.TextField(blank=True)
    parked_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "outbox entries"
        indexes = [
            models.Index(fields=["due_at", "id"], condition=Q(parked_at__isnull=True), name="outbox_due"),
            models.Index(fields=["id"], condition=Q(parked_at__isnull=False), name="outbox_parked"),
        ]
        constraints = [models.UniqueConstraint(fields=["consumer", "event"], name="outbox_once_a_consumer")]

    def __str__(self) -> str:
        return f"{self.consumer} of {self.event_id}"
