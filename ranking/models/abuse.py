"""Models of abuse: findings for moderators, the last search of each mode, players' devices, and players' reports."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from ranking.models.player import Player
from ranking.wording.dates import utc_text


class Finding(models.Model):
    """A suspected case of abuse in a mode, one for each kind and players. `player` is the player who gains by it.

    `other` is the second account of kinds that have one. A search that finds the case again refreshes its row. A
    moderator's verdict stands, with the score at that time, until the score is markedly higher. Nothing follows from
    a finding by itself. A strong newcomer isn't suspected of anything, so lists show those apart.
    """

    OPEN, CONFIRMED, DISMISSED = "open", "confirmed", "dismissed"
    VERDICTS = ((OPEN, "not reviewed"), (CONFIRMED, "confirmed"), (DISMISSED, "dismissed"))
    NEWCOMER = "newcomer"
    KINDS = (
        ("boosting", "boosting"),
        ("trading", "win trading"),
        ("delevelling", "de-levelling"),
        ("smurfing", "smurfing"),
        (NEWCOMER, "strong newcomer"),
        ("sharing", "shared account"),
        ("unreported", "unreported losses"),
    )

    kind = models.CharField(max_length=11, choices=KINDS)
    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="findings", db_index=False)
    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="findings")
    other = models.ForeignKey("ranking.Player", models.PROTECT, null=True, related_name="findings_beside")
    score = models.FloatField()  # the exponent of a power of ten; see ranking.abuse
    evidence = models.JSONField()
    found_at = models.DateTimeField()  # when a search found it first
    seen_at = models.DateTimeField()  # when a search found it last

    verdict = models.CharField(max_length=9, choices=VERDICTS, default=OPEN)
    reviewed_score = models.FloatField(null=True)
    reviewed_at = models.DateTimeField(null=True)
    reviewed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name = "abuse report"
        indexes = [
            models.Index(F("score").desc(), F("id").desc(), name="finding_strongest"),
            models.Index(fields=["mode", "kind"], name="finding_of_mode"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "mode", "player"], condition=Q(other__isnull=True), name="finding_once_a_player"
            ),
            models.UniqueConstraint(fields=["kind", "mode", "player", "other"], name="finding_once_a_pair"),
            models.CheckConstraint(
                condition=Q(
                    kind__in=["boosting", "trading", "delevelling", "smurfing", "newcomer", "sharing", "unreported"]
                ),
                name="finding_kind_known",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["boosting", "trading"], other__isnull=False)
                | Q(kind__in=["delevelling", "smurfing", "newcomer", "unreported"], other__isnull=True)
                | Q(kind="sharing"),
                name="finding_of_one_or_two",
            ),
            models.CheckConstraint(
                condition=Q(other__isnull=True) | ~Q(other=F("player")), name="finding_of_two_different"
            ),
            models.CheckConstraint(condition=Q(seen_at__gte=F("found_at")), name="finding_seen_after_found"),
            models.CheckConstraint(
                condition=Q(verdict="open", reviewed_at__isnull=True, reviewed_score__isnull=True, reason="")
                | Q(verdict__in=["confirmed", "dismissed"], reviewed_at__isnull=False, reviewed_score__isnull=False)
                & ~Q(reason=""),
                name="finding_reviewed_with_a_reason",
            ),
        ]

    def __str__(self) -> str:
        beside = f" and {self.other}" if self.other_id else ""
        return f"{self.get_kind_display().capitalize()}: {self.player}{beside}"

    @property
    def players(self) -> list[Player]:
        return [self.player] if self.other is None else [self.player, self.other]


class AbuseRun(models.Model):
    """The last search of a mode for abuse: when it ran, and how much it read."""

    mode = models.OneToOneField("ranking.Mode", models.PROTECT, primary_key=True, related_name="abuse_run")
    ran_at = models.DateTimeField()
    parts = models.PositiveBigIntegerField()  # participations that were read
    seconds = models.FloatField()

    def __str__(self) -> str:
        return f"{self.mode_id}, {utc_text(self.ran_at)}"


class DeviceUse(models.Model):
    """The device on which a player played a match, as a keyed digest; deleted after RUNGS_DEVICES_KEPT days."""

    match = models.ForeignKey("ranking.Match", models.PROTECT, related_name="devices", db_index=False)
    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="devices")
    digest = models.CharField(max_length=32)
    used_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "player"], name="device_once_a_match"),
            models.CheckConstraint(condition=~Q(digest=""), name="device_digest_given"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} in {self.match_id}"


class ComplaintCase(models.Model):
    """What players reported about one player: all complaints since the last review. One case of a player is open.

    `complaints_count`: how many. `reason`: the reviewer's note, which only moderators read.
    """

    OPEN, UPHELD, DISMISSED = "open", "upheld", "dismissed"
    VERDICTS = ((OPEN, "not reviewed"), (UPHELD, "upheld"), (DISMISSED, "dismissed"))

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="complaint_cases")
    complaints_count = models.PositiveIntegerField(default=0)
    newest_at = models.DateTimeField()
    verdict = models.CharField(max_length=9, choices=VERDICTS, default=OPEN)
    reviewed_at = models.DateTimeField(null=True)
    reviewed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        verbose_name = "reported player"
        indexes = [
            models.Index(
                F("complaints_count").desc(), F("newest_at").desc(), F("id").desc(), condition=Q(verdict="open"),
                name="complaint_case_open",
            ),
            models.Index(
                fields=["reviewed_at"], condition=Q(reviewed_at__isnull=False), name="complaint_case_reviewed"
            ),
        ]  # fmt: skip
        constraints = [
            models.UniqueConstraint(fields=["player"], condition=Q(verdict="open"), name="complaint_case_one_open"),
            models.CheckConstraint(
                condition=Q(verdict="open", reviewed_at__isnull=True, reason="")
                | Q(verdict__in=["upheld", "dismissed"], reviewed_at__isnull=False) & ~Q(reason=""),
                name="complaint_case_reviewed_with_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player}, reported {self.complaints_count:,} times"


class Complaint(models.Model):
    """A player's report of another player of the same match; one for each pair and match."""

    REASONS = (
        ("cheating", "cheating"),
        ("leaving", "leaving or idling on purpose"),
        ("sabotage", "losing on purpose, or against their own team"),
        ("words", "abusive words"),
        ("name", "an offensive name"),
        ("other", "something else"),
    )
    LONGEST = 500

    case = models.ForeignKey(ComplaintCase, models.PROTECT, related_name="complaints")
    match = models.ForeignKey("ranking.Match", models.PROTECT, related_name="complaints", db_index=False)
    reporter = models.ForeignKey("ranking.Player", models.PROTECT, related_name="complaints_made", db_index=False)
    reported = models.ForeignKey("ranking.Player", models.PROTECT, related_name="complaints_about")
    reason = models.CharField(max_length=8, choices=REASONS)
    text = models.CharField(max_length=LONGEST, blank=True, default="")
    made_at = models.DateTimeField()

    class Meta:
        verbose_name = "player's report"
        verbose_name_plural = "players' reports"
        indexes = [models.Index(fields=["reporter", "made_at"], name="complaint_of_reporter")]
        constraints = [
            models.UniqueConstraint(fields=["match", "reporter", "reported"], name="complaint_once_a_pair_and_match"),
            models.CheckConstraint(condition=~Q(reporter=F("reported")), name="complaint_of_two"),
            models.CheckConstraint(
                condition=Q(reason__in=["cheating", "leaving", "sabotage", "words", "name", "other"]),
                name="complaint_reason_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_reason_display().capitalize()}: {self.reported}, by {self.reporter}"
