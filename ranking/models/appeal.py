"""Models of appeals: a player writes against a ban or a lockout, and a moderator decides; canned answers."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from ranking.models.void import NOTE


class Appeal(models.Model):
    """An appeal against a ban, or against the lockout that an incident led to; one for each.

    The player reads `answer`; only moderators read `note`. A decision that was reopened is kept as a Reopening.
    CONFIRMED: what it is against is confirmed, so the appeal is turned down.
    `assigned_to`: the moderator who looks into it; the others still may decide it.
    """

    GRANTED, CONFIRMED, WITHDRAWN = "granted", "confirmed", "withdrawn"
    DECISIONS = ((GRANTED, "granted"), (CONFIRMED, "turned down"), (WITHDRAWN, "withdrawn"))
    LONGEST = 2000

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="appeals")
    ban = models.OneToOneField("ranking.Ban", models.PROTECT, null=True, related_name="appeal")
    incident = models.OneToOneField("ranking.Incident", models.PROTECT, null=True, related_name="appeal")
    words = models.CharField(max_length=LONGEST)
    made_at = models.DateTimeField()
    decision = models.CharField(max_length=9, choices=DECISIONS, blank=True)
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    answer = models.CharField(max_length=200, blank=True)
    note = models.CharField(max_length=NOTE, blank=True, default="", db_default="")
    assigned_to = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta:
        permissions = [("decide_appeal", "Can decide appeals")]
        indexes = [
            models.Index(
                fields=["assigned_to", "made_at", "id"], condition=Q(decided_at__isnull=True), name="appeal_open_of"
            ),
            models.Index(fields=["made_at", "id"], condition=Q(decided_at__isnull=True), name="appeal_open"),
            models.Index(fields=["decided_at"], condition=Q(decided_at__isnull=False), name="appeal_decided"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(ban__isnull=True, incident__isnull=False) | Q(ban__isnull=False, incident__isnull=True),
                name="appeal_of_a_ban_or_a_lockout",
            ),
            models.CheckConstraint(condition=~Q(words=""), name="appeal_words_given"),
            models.CheckConstraint(
                condition=Q(decided_at__isnull=True, decision="", answer="")
                | Q(decided_at__isnull=False, decision__in=["granted", "confirmed", "withdrawn"]) & ~Q(answer=""),
                name="appeal_decided_with_an_answer",
            ),
            models.CheckConstraint(
                condition=Q(decided_at__isnull=True) | Q(decided_at__gte=F("made_at")), name="appeal_decided_afterwards"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player} against {self.subject}"

    @property
    def subject(self) -> str:
        """Return what the appeal is against, in the audit log's words."""
        return f"ban {self.ban_id}" if self.ban_id is not None else f"incident {self.incident_id}"


class Reopening(models.Model):
    """A decided appeal was opened again. The row keeps the decision that no longer holds: its first five columns.

    The player reads `reason`; only moderators read `note`.
    """

    appeal = models.ForeignKey(Appeal, models.PROTECT, related_name="reopenings")
    decision = models.CharField(max_length=9, choices=Appeal.DECISIONS)
    decided_at = models.DateTimeField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    answer = models.CharField(max_length=200)
    decision_note = models.CharField(max_length=NOTE, blank=True, default="")
    reopened_at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=200)
    note = models.CharField(max_length=NOTE, blank=True, default="")

    class Meta:
        indexes = [models.Index(fields=["reopened_at"], name="reopening_recent")]
        constraints = [
            models.CheckConstraint(condition=Q(decision__in=["granted", "confirmed"]), name="reopening_of_a_decision"),
            models.CheckConstraint(condition=~Q(reason="") & ~Q(answer=""), name="reopening_reason_given"),
            models.CheckConstraint(condition=Q(reopened_at__gte=F("decided_at")), name="reopening_afterwards"),
        ]

    def __str__(self) -> str:
        return f"{self.appeal_id}: {self.reason}"


class CannedAnswer(models.Model):
    """A text that moderators keep ready for players to read: in answers to appeals, bans and warnings.

    `offered`: forms offer it. An answer that isn't wanted any more stays, and is no longer offered.
    """

    title = models.CharField(max_length=60, unique=True, help_text="For moderators, who choose by it.")
    text = models.CharField(max_length=200, help_text="What the player reads, as it is written here.")
    offered = models.BooleanField(default=True, help_text="Forms offer it.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(title="") & ~Q(text=""), name="canned_answer_texts_given"),
        ]

    def __str__(self) -> str:
        return self.title
