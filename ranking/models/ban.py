"""Models of bans, of who may ban how long, and of warnings.

A ban is a fact, never deleted; what changes its end is a row of its own beside it.
"""

from __future__ import annotations

import datetime as dt

from django.conf import settings
from django.db import models
from django.db.models import Expression, F, Q
from django.db.models.expressions import Combinable

from ranking.models.void import NOTE, LiftableAct, lifted_afterwards
from ranking.rules.ban_lengths import LONGEST_HOURS, length_of, length_words
from ranking.wording.dates import utc_text


class BanQuerySet(models.QuerySet["Ban"]):
    def running(self, now: dt.datetime | Expression) -> BanQuerySet:
        ends = Q(ends_at__isnull=True) | Q(ends_at__gt=now)
        return self.filter(ends, lifted_at=None, starts_at__lte=now)

    def ran_at(self, moment: dt.datetime | Combinable) -> BanQuerySet:
        """Bans that ran at a moment of the past, lifted since or not."""
        lifted = Q(lifted_at__isnull=True) | Q(lifted_at__gt=moment)
        return self.filter(lifted, Q(ends_at__isnull=True) | Q(ends_at__gt=moment), starts_at__lte=moment)

    def from_queues(self) -> BanQuerySet:
        return self.filter(scope__in=(Ban.QUEUE, Ban.BOTH))

    def from_boards(self) -> BanQuerySet:
        return self.filter(scope__in=(Ban.BOARDS, Ban.BOTH))


class Ban(models.Model):
    """A ban of a player from queues, boards or both, in [starts_at, ends_at); `ends_at` None = for good.

    The player reads `reason` and `lift_reason`; only moderators read `note` and `lift_note`.
    """

    QUEUE, BOARDS, BOTH = "queue", "boards", "both"
    SCOPES = ((QUEUE, "queues"), (BOARDS, "boards"), (BOTH, "queues and boards"))

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="bans")
    scope = models.CharField(max_length=6, choices=SCOPES)
    reason = models.CharField(max_length=200)
    note = models.CharField(max_length=NOTE, blank=True, default="", db_default="")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    lift_reason = models.CharField(max_length=200, blank=True)
    lift_note = models.CharField(max_length=NOTE, blank=True, default="", db_default="")

    objects = BanQuerySet.as_manager()

    class Meta:
        permissions = [("extend_ban", "Can extend bans"), ("lift_ban", "Can lift bans")]
        indexes = [
            models.Index(fields=["ends_at"], condition=Q(lifted_at__isnull=True), name="ban_ends"),
            models.Index(fields=["lifted_at"], condition=Q(lifted_at__isnull=False), name="ban_lifted"),
            models.Index(fields=["starts_at"], name="ban_since"),
            models.Index(fields=["by", "starts_at"], name="ban_of_moderator"),
            models.Index(fields=["starts_at"], condition=Q(scope__in=["boards", "both"]), name="ban_boards_starts"),
            models.Index(fields=["ends_at"], condition=Q(scope__in=["boards", "both"]), name="ban_boards_ends"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(scope__in=["queue", "boards", "both"]), name="ban_scope_known"),
            models.CheckConstraint(condition=~Q(reason=""), name="ban_reason_given"),
            models.CheckConstraint(
                condition=Q(ends_at__isnull=True) | Q(ends_at__gt=F("starts_at")), name="ban_ends_after_start"
            ),
            models.CheckConstraint(
                condition=Q(lifted_at__isnull=True, lift_reason="") | Q(lifted_at__isnull=False) & ~Q(lift_reason=""),
                name="ban_lifted_with_a_reason",
            ),
        ]

    def __str__(self) -> str:
        until = f"until {utc_text(self.ends_at)}" if self.ends_at else "for good"
        return f"{self.player} banned from {self.get_scope_display()} {until}"

    def runs(self, now: dt.datetime) -> bool:
        return self.lifted_at is None and self.starts_at <= now and (self.ends_at is None or now < self.ends_at)


class BanAct(models.Model):
    """What was done to a ban after it began: it was extended, shortened, lifted, or put in force again.

    `ended_at`, `ends_at`: the ban's end before and after; None = for good. The player reads `reason`; only moderators
    read `note`.
    """

    EXTEND, SHORTEN, LIFT, RESUME = "extend", "shorten", "lift", "resume"
    ACTS = ((EXTEND, "extended"), (SHORTEN, "shortened"), (LIFT, "lifted"), (RESUME, "put in force again"))

    ban = models.ForeignKey(Ban, models.PROTECT, related_name="acts")
    act = models.CharField(max_length=7, choices=ACTS)
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=200)
    note = models.CharField(max_length=NOTE, blank=True, default="")
    ended_at = models.DateTimeField(null=True)
    ends_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["at"], name="ban_act_recent")]
        constraints = [
            models.CheckConstraint(condition=Q(act__in=["extend", "shorten", "lift", "resume"]), name="ban_act_known"),
            models.CheckConstraint(condition=~Q(reason=""), name="ban_act_reason_given"),
        ]

    def __str__(self) -> str:
        return f"{self.get_act_display()}: {self.reason}"


class BanLimit(models.Model):
    """How long the members of a group may ban, and from what. A group without a row has no limit.

    `hours`: of the longest ban; None = no limit.
    """

    group = models.OneToOneField("auth.Group", models.CASCADE, primary_key=True, related_name="ban_limit")
    hours = models.PositiveIntegerField(null=True)
    from_queues = models.BooleanField(default=True)
    from_boards = models.BooleanField(default=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(hours=None) | Q(hours__gte=1, hours__lte=LONGEST_HOURS), name="ban_limit_in_range"
            ),
            models.CheckConstraint(condition=Q(from_queues=True) | Q(from_boards=True), name="ban_limit_allows_one"),
            models.CheckConstraint(
                condition=Q(hours__isnull=False) | Q(from_queues=False) | Q(from_boards=False),
                name="ban_limit_limits_something",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.group_id}: {length_words(length_of(None, self.hours))}"


class BanProposal(models.Model):
    """A ban that a moderator proposes, and that another one confirms or refuses. One at a time for each player.

    `hours`: how long it lasts from the confirmation on; None = for good. The player reads `reason` once the ban is in
    force; only moderators read `note` and `answer`, which says why it was decided so. `ban`: what it became.
    """

    CONFIRMED, REFUSED, WITHDRAWN = "confirmed", "refused", "withdrawn"
    DECISIONS = ((CONFIRMED, "confirmed"), (REFUSED, "refused"), (WITHDRAWN, "withdrawn"))

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="ban_proposals")
    scope = models.CharField(max_length=6, choices=Ban.SCOPES)
    hours = models.PositiveIntegerField(null=True)
    reason = models.CharField(max_length=200)
    note = models.CharField(max_length=NOTE, blank=True, default="")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    proposed_at = models.DateTimeField()
    decision = models.CharField(max_length=9, choices=DECISIONS, blank=True, default="")
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    answer = models.CharField(max_length=200, blank=True, default="")
    ban = models.ForeignKey(Ban, models.PROTECT, null=True, related_name="proposals")

    class Meta:
        verbose_name = "proposed ban"
        default_permissions = ("add", "view")
        indexes = [
            models.Index(fields=["proposed_at", "id"], condition=Q(decided_at__isnull=True), name="proposal_open"),
            models.Index(fields=["decided_at"], condition=Q(decided_at__isnull=False), name="proposal_decided"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["player"], condition=Q(decided_at__isnull=True), name="proposal_open_once_a_player"
            ),
            models.CheckConstraint(condition=Q(scope__in=["queue", "boards", "both"]), name="proposal_scope_known"),
            models.CheckConstraint(
                condition=Q(hours=None) | Q(hours__gte=1, hours__lte=LONGEST_HOURS), name="proposal_length_in_range"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="proposal_reason_given"),
            models.CheckConstraint(
                condition=Q(decided_at__isnull=True, decision="", answer="", decided_by__isnull=True)
                | Q(decided_at__isnull=False, decision__in=["confirmed", "refused", "withdrawn"]) & ~Q(answer=""),
                name="proposal_decided_with_an_answer",
            ),
            models.CheckConstraint(
                condition=Q(decided_at__isnull=True) | Q(decided_at__gte=F("proposed_at")),
                name="proposal_decided_afterwards",
            ),
            models.CheckConstraint(
                condition=Q(decision="confirmed", ban__isnull=False) | ~Q(decision="confirmed") & Q(ban__isnull=True),
                name="proposal_with_a_ban_if_confirmed",
            ),
            models.CheckConstraint(
                condition=Q(decision="withdrawn")
                | Q(by__isnull=True)
                | Q(decided_by__isnull=True)
                | ~Q(decided_by=F("by")),
                name="proposal_decided_by_another",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player} from {self.get_scope_display()} {self.length_text}"

    @property
    def length(self) -> dt.timedelta | None:
        """How long the ban will last; None for good."""
        return length_of(None, self.hours)

    @property
    def length_text(self) -> str:
        return length_words(self.length)


class PlayerWarning(LiftableAct):
    """A moderator's warning, which the player reads. It has no other effect, and can be withdrawn."""

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="warnings")
    warned_at = models.DateTimeField()

    class Meta:
        verbose_name = "warning"
        indexes = [
            models.Index(fields=["warned_at"], name="warning_recent"),
            models.Index(fields=["lifted_at"], condition=Q(lifted_at__isnull=False), name="warning_withdrawn"),
        ]
        constraints = [
            *LiftableAct.Meta.constraints,
            lifted_afterwards("warned_at", "playerwarning_lifted_afterwards"),
        ]

    def __str__(self) -> str:
        return f"{self.player} warned: {self.reason}"
