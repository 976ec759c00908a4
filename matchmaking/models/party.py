"""Parties (players who queue together and are never split), their members and invitations."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class Party(models.Model):
    """A party; it is deleted when one member is left and nobody is invited."""

    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "parties"

    def __str__(self) -> str:
        return f"party {self.pk}"


class PartyMember(models.Model):
    """A player in a party. A player is in one party at most; one member leads. `pings`: measured last by the game."""

    party = models.ForeignKey(Party, models.CASCADE, related_name="members")
    player = models.OneToOneField("ranking.Player", models.PROTECT, related_name="party_membership")
    leads = models.BooleanField(default=False)
    joined_at = models.DateTimeField()
    pings = models.JSONField(default=dict)
    ping_limit = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["joined_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["party"], condition=Q(leads=True), name="party_one_leader"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} in {self.party_id}"


class Invitation(models.Model):
    """An open invitation of a player to a party, made by one of its members (`by`)."""

    party = models.ForeignKey(Party, models.CASCADE, related_name="invitations", db_index=False)
    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="invitations")
    by = models.ForeignKey("ranking.Player", models.PROTECT, related_name="+")
    invited_at = models.DateTimeField()

    class Meta:
        ordering = ["-invited_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["party", "player"], name="invitation_once_a_party"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} to {self.party_id}"
