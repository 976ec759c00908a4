"""Game servers, which register themselves."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class Server(models.Model):
    """A game server with `busy` matches, of `capacity` at once. A server that is silent for 30 s counts as gone.

    Places are claimed and freed by conditional update. `failed_starts`: how many starts of its matches have failed in a
    row; it gets no match before `rests_until` (see matchmaking.server_failures).
    """

    source = models.ForeignKey("ranking.Source", models.PROTECT, related_name="servers", db_index=False)
    name = models.CharField(max_length=64, blank=True)  # tells several servers of one source apart
    region = models.CharField(max_length=32, blank=True)
    address = models.CharField(max_length=200)
    capacity = models.PositiveSmallIntegerField(default=1)
    busy = models.PositiveSmallIntegerField(default=0)
    modes = models.ManyToManyField("ranking.Mode", related_name="servers")
    state = models.CharField(max_length=64, blank=True)  # a text that the server sends
    registered_at = models.DateTimeField()
    heard_at = models.DateTimeField(db_index=True)
    signed_off_at = models.DateTimeField(null=True)  # None: it goes on, or it fell silent
    claimed_at = models.DateTimeField(null=True)  # when a place was last claimed
    failed_starts = models.PositiveIntegerField("failed starts in a row", default=0, db_default=0)
    rests_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "name"], name="server_once_a_source"),
            models.CheckConstraint(condition=~Q(address=""), name="server_address_given"),
            models.CheckConstraint(condition=Q(busy__gte=0), name="server_busy_not_negative"),
            models.CheckConstraint(
                condition=Q(failed_starts=0, rests_until__isnull=True)
                | Q(failed_starts__gt=0, rests_until__isnull=False),
                name="server_rests_after_failures",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source}{f' · {self.name}' if self.name else ''}"
