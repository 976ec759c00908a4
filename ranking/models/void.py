"""Models of acts that can be lifted, in one row with their lifting; such as voids of matches and forfeits."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

NOTE = 500  # characters of a note that only moderators read


class LiftableAct(models.Model):
    """An act of a moderator, in force until it is lifted. Done again afterwards, it is another row.

    The person concerned reads `reason` and `lift_reason`; only moderators read `note` and `lift_note`.
    """

    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=200)
    # The database has the defaults, too: processes of the previous version may still add rows during an upgrade.
    note = models.CharField(max_length=NOTE, blank=True, default="", db_default="")
    lifted_at = models.DateTimeField(null=True)
    lifted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    lift_reason = models.CharField(max_length=200, blank=True, default="", db_default="")
    lift_note = models.CharField(max_length=NOTE, blank=True, default="", db_default="")

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="%(class)s_reason_given"),
            models.CheckConstraint(
                condition=Q(lifted_at__isnull=True, lift_reason="", lift_note="")
                | Q(lifted_at__isnull=False) & ~Q(lift_reason=""),
                name="%(class)s_lifted_with_a_reason",
            ),
        ]


def once_at_a_time(field: str, name: str) -> models.UniqueConstraint:
    """The constraint that one act of these is in force for each value of a field."""
    return models.UniqueConstraint(fields=[field], condition=Q(lifted_at__isnull=True), name=name)


def lifted_afterwards(since: str, name: str) -> models.CheckConstraint:
    """The constraint that no act is lifted before it began; `since`: the field with the time at which it did."""
    return models.CheckConstraint(condition=Q(lifted_at__isnull=True) | Q(lifted_at__gte=F(since)), name=name)


class Void(LiftableAct):
    """A void of a match or a forfeit."""

    match = models.ForeignKey("ranking.Match", models.PROTECT, null=True, related_name="voids")
    forfeit = models.ForeignKey("ranking.Forfeit", models.PROTECT, null=True, related_name="voids")
    voided_at = models.DateTimeField()

    class Meta:
        constraints = [
            *LiftableAct.Meta.constraints,
            once_at_a_time("match", "void_once_at_a_time"),
            once_at_a_time("forfeit", "void_of_forfeit_once_at_a_time"),
            models.CheckConstraint(
                condition=Q(match__isnull=True, forfeit__isnull=False) | Q(match__isnull=False, forfeit__isnull=True),
                name="void_of_a_match_or_a_forfeit",
            ),
            lifted_afterwards("voided_at", "void_lifted_afterwards"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id or self.forfeit_id}: {self.reason}"
