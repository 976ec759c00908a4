"""Models of conduct: incidents, pardons, hidings, renamings, strikes, notes on players, the audit log.

The rows are facts, which are never deleted. Rules of effects: ranking.rules.conduct.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, FilteredRelation, OuterRef, Q

from ranking.models.player import Player
from ranking.models.void import NOTE, LiftableAct, Void, lifted_afterwards, once_at_a_time
from ranking.rules import conduct
from ranking.wording.dates import utc_text


class IncidentQuerySet(models.QuerySet["Incident"]):
    def counting(self) -> IncidentQuerySet:
        """Return the incidents that have consequences: not pardoned, and not of a void match or forfeit."""
        void = Void.objects.filter(lifted_at=None)
        of_match, of_forfeit = void.filter(match=OuterRef("match")), void.filter(forfeit=OuterRef("forfeit"))
        pardons = Pardon.objects.filter(incident=OuterRef("pk"), lifted_at=None)
        return self.filter(~Exists(of_match), ~Exists(of_forfeit), ~Exists(pardons))

    def with_pardon(self) -> models.QuerySet[Any, Any]:
        """Load the pardon in force as the attribute `pardon`, by a join. Incidents without one lack the attribute."""
        in_force = FilteredRelation("pardons", condition=Q(pardons__lifted_at=None))
        incidents: Any = self.annotate(pardon=in_force)
        return incidents.select_related("pardon")  # type: ignore[no-any-return]


class Incident(models.Model):
    """An early leave of a match, a drop-out of a lobby, or a missed accept; one for each player and occasion.

    `occasion`: an opaque key of the match or lobby. `happened_at`: when the player left or should have accepted.
    """

    LEAVE, DROPOUT, MISSED = conduct.KINDS
    KINDS = ((LEAVE, "left a match"), (DROPOUT, "dropped out of a lobby"), (MISSED, "missed an accept"))

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="incidents", db_index=False)
    kind = models.CharField(max_length=7, choices=KINDS)
    occasion = models.CharField(max_length=128)
    happened_at = models.DateTimeField()
    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="incidents", db_index=False)
    match = models.ForeignKey("ranking.Match", models.PROTECT, null=True, related_name="incidents")
    forfeit = models.OneToOneField("ranking.Forfeit", models.PROTECT, null=True, related_name="incident")

    objects = IncidentQuerySet.as_manager()

    class Meta:
        permissions = [("pardon_incident", "Can pardon incidents")]
        indexes = [
            models.Index(fields=["player", "happened_at"], name="incident_of_player"),
            models.Index(fields=["happened_at"], name="incident_recent"),
            models.Index(  # covers the query for the players who leave most
                fields=["happened_at"],
                include=["id", "player", "mode", "match", "forfeit"],
                condition=~Q(kind="missed"),
                name="incident_leaves",
            ),
            models.Index(fields=["mode", "happened_at"], name="incident_of_mode"),
            models.Index(fields=["kind", "happened_at"], name="incident_of_kind"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["player", "occasion"], name="incident_once_an_occasion"),
            models.CheckConstraint(condition=Q(kind__in=["leave", "dropout", "missed"]), name="incident_kind_known"),
            models.CheckConstraint(condition=~Q(occasion=""), name="incident_occasion_given"),
            models.CheckConstraint(
                condition=Q(kind="leave", match__isnull=False) | Q(~Q(kind="leave"), match__isnull=True),
                name="incident_leave_names_its_match",
            ),
            models.CheckConstraint(
                condition=Q(forfeit__isnull=True) | Q(kind="dropout"), name="incident_forfeit_of_a_dropout"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player} {self.get_kind_display()}, {utc_text(self.happened_at)}"


class Pardon(LiftableAct):
    """A pardon: while it is in force, the incident has no consequences, as if it had never happened."""

    incident = models.ForeignKey(Incident, models.PROTECT, related_name="pardons")
    pardoned_at = models.DateTimeField()

    class Meta:
        constraints = [
            *LiftableAct.Meta.constraints,
            once_at_a_time("incident", "pardon_once_at_a_time"),
            lifted_afterwards("pardoned_at", "pardon_lifted_afterwards"),
        ]

    def __str__(self) -> str:
        return f"{self.incident_id}: {self.reason}"


class Hiding(LiftableAct):
    """A player is hidden from every board by a moderator."""

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="hidings")
    hidden_at = models.DateTimeField()

    class Meta:
        constraints = [
            *LiftableAct.Meta.constraints,
            once_at_a_time("player", "hiding_once_at_a_time"),
            lifted_afterwards("hidden_at", "hiding_lifted_afterwards"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.reason}"


class Renaming(LiftableAct):
    """A moderator gave the player a name, which stays until this is lifted: see `Player.locked_name`.

    `former_name`: the name before. `undone`: the lifting gave it back; if not, it only let results change the name.
    """

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="renamings")
    former_name = models.CharField(max_length=64)
    name = models.CharField(max_length=64)
    renamed_at = models.DateTimeField()
    undone = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [
            *LiftableAct.Meta.constraints,
            once_at_a_time("player", "renaming_once_at_a_time"),
            lifted_afterwards("renamed_at", "renaming_lifted_afterwards"),
            models.CheckConstraint(condition=~Q(former_name="") & ~Q(name=""), name="renaming_names_given"),
            models.CheckConstraint(
                condition=Q(undone=False) | Q(lifted_at__isnull=False), name="renaming_undone_lifts"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.reason}"


class Strike(LiftableAct):
    """A player is struck from an archived season: the row keeps its rank, but earns no medal and no reward.

    `rating`: their row of the archive, which the strike leaves as it is. Only `ranking.seasons.strikes` adds rows: it
    makes sure that the season is archived.
    """

    rating = models.ForeignKey("ranking.Rating", models.PROTECT, related_name="strikes")
    struck_at = models.DateTimeField()

    class Meta:
        constraints = [
            *LiftableAct.Meta.constraints,
            once_at_a_time("rating", "strike_once_at_a_time"),
            lifted_afterwards("struck_at", "strike_lifted_afterwards"),
        ]

    def __str__(self) -> str:
        return f"{self.rating_id}: {self.reason}"


class AuditEntry(models.Model):
    """An act of a moderator or of the system. A row is written once; nobody changes it.

    `who`: the name of the account `by` at that time, which stays when the account is deleted. `via`: the API key
    through which they acted, by its source and prefix; "" in the admin. If nobody of the staff acted, "command line",
    "player" or, for the system, "".
    """

    LONGEST_SUBJECT = 160

    at = models.DateTimeField(db_index=True)
    who = models.CharField(max_length=150, blank=True, default="", db_default="")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")  # None: the system
    via = models.CharField(max_length=100, blank=True, default="", db_default="")
    act = models.CharField(max_length=32)
    player = models.ForeignKey("ranking.Player", models.PROTECT, null=True, related_name="audit")
    subject = models.CharField(max_length=LONGEST_SUBJECT)  # what the act changed, such as "match eu1-48213"
    reason = models.CharField(max_length=200)
    note = models.CharField(max_length=NOTE, blank=True, default="", db_default="")  # for moderators only

    class Meta:
        verbose_name_plural = "audit log"
        permissions = [("export_auditentry", "Can export the audit log")]
        indexes = [
            models.Index(fields=["act", "at"], name="audit_of_act"),
            models.Index(fields=["who", "at"], name="audit_of_person"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(act=""), name="audit_act_given"),
            models.CheckConstraint(condition=~Q(reason=""), name="audit_reason_given"),
        ]

    def __str__(self) -> str:
        return f"{self.act}: {self.subject}"

    def save(self, *args: object, **kwargs: object) -> None:
        if not self._state.adding:
            raise TypeError("The audit log is only added to.")
        super().save(*args, **kwargs)  # type: ignore[arg-type]

    def delete(self, *args: object, **kwargs: object) -> tuple[int, dict[str, int]]:
        raise TypeError("Nothing is taken out of the audit log.")

    @property
    def author(self) -> str:
        """Who acted, for moderators."""
        return self.who or {"command line": "A command line", "player": "The player"}.get(self.via, "The system")


class PlayerNote(models.Model):
    """A moderator's note on a player, which only moderators read. It is withdrawn, never changed or deleted."""

    LONGEST = 1000

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="notes")
    text = models.CharField(max_length=LONGEST)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    written_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    withdraw_reason = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        verbose_name = "note on a player"
        verbose_name_plural = "notes on players"
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="player_note_text_given"),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True, withdraw_reason="")
                | Q(withdrawn_at__isnull=False, withdrawn_at__gte=F("written_at")) & ~Q(withdraw_reason=""),
                name="player_note_withdrawn_with_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"Note {self.pk} on {self.player}"


class Leaver(Player):
    """A player in the admin pages of conduct, which have permissions of their own."""

    class Meta:
        proxy = True
