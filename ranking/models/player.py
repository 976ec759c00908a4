"""A player: one person of one game, known by the game's own key."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import models
from django.db.models import F, Q


@dataclass(frozen=True, slots=True)
class Sight:
    """Who looks: a player, or a stranger (None). Moderators and keys with `ratings:hidden` see everything."""

    player_id: int | None = None
    everything: bool = False

    def sees_matches_of(self, player_id: int, *, hidden: bool) -> bool:
        """True if they may see a player's list of matches and history; `hidden`: the player hides both."""
        return self.everything or not hidden or player_id == self.player_id


STRANGER = Sight()


class Player(models.Model):
    """`search_name` is the name folded for search, `skeleton` its look (ranking.rules.names.fold and skeleton).

    `lookalike`: when they took their name, somebody else had one that looks the same. One who has left for good
    (`anonymised_at`) keeps the ledger's rows and nothing of the person. One that was merged into another is
    nobody any more: their row holds the key, which is the other's from then on.
    """

    key = models.CharField(max_length=128, unique=True)
    name = models.CharField(max_length=64)
    search_name = models.CharField(max_length=128)
    # Defaults in the database, too: processes of the version before go on adding players.
    skeleton = models.CharField(max_length=128, blank=True, default="", db_default="")
    lookalike = models.BooleanField(default=False, db_default=False)
    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="player")
    hidden_at = models.DateTimeField(null=True, blank=True)  # taken off the boards, by a moderator or by leaving
    hides_matches = models.BooleanField(
        "Hide my matches",
        default=False,
        db_default=False,
        help_text="Only you see your list of matches, your form and how your rating moved. Your rank stays on the"
        " board, and a match that you played stays on its own page: it is the other players’ too.",
    )
    hides_from_friends = models.BooleanField(
        "Stay off friends boards",
        default=False,
        db_default=False,
        help_text="You are on nobody else’s friends board, whoever follows you.",
    )
    anonymised_at = models.DateTimeField(null=True, blank=True)
    merged_into = models.ForeignKey("self", models.PROTECT, null=True, db_index=False, related_name="aliases")
    created_at = models.DateTimeField()

    class Meta:
        permissions = [("hide_player", "Can hide players from boards")]
        indexes = [
            models.Index(fields=["merged_into"], condition=Q(merged_into__isnull=False), name="player_aliases"),
            models.Index(fields=["id"], condition=Q(hidden_at__isnull=False), name="player_hidden"),
            models.Index(fields=["skeleton", "lookalike"], name="player_looks"),
            # By code point, whatever the locale: names that begin alike, in order (ranking.players.search.ByName).
            models.Index(
                fields=["search_name", "id"], opclasses=["varchar_pattern_ops", "int8_ops"], name="player_by_name"
            ),
            models.Index(fields=["id"], condition=Q(lookalike=True), name="player_lookalike"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(key=""), name="player_key_given"),
            models.CheckConstraint(condition=~Q(name=""), name="player_name_given"),
            models.CheckConstraint(
                condition=Q(anonymised_at__isnull=True)
                | Q(user__isnull=True, hidden_at__isnull=False, hides_matches=True),
                name="player_gone_is_hidden",
            ),
            models.CheckConstraint(
                condition=Q(merged_into__isnull=True) | Q(user__isnull=True, hidden_at__isnull=False),
                name="player_merged_is_hidden",
            ),
            models.CheckConstraint(
                condition=Q(merged_into__isnull=True) | ~Q(merged_into=F("id")), name="player_merged_into_another"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def owner(self) -> Player:
        """Whose key this row's is; read `merged_into` along."""
        return self.merged_into or self

    def shows_matches_to(self, sight: Sight) -> bool:
        """May they see the player's list of matches and history: form, curves, with and against whom, when?"""
        return sight.sees_matches_of(self.pk, hidden=self.hides_matches)


class PlayerName(models.Model):
    """A name that a player has or had, `since` when it was taken over here; none of players who kept their first."""

    player = models.ForeignKey(Player, models.PROTECT, related_name="names")
    name = models.CharField(max_length=64)
    since = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(name=""), name="player_name_of_history_given")]

    def __str__(self) -> str:
        return self.name


class ClaimCode(models.Model):
    """The one live code by which an account claims a player; known only by its digest, gone once used."""

    player = models.OneToOneField(Player, models.CASCADE, primary_key=True, related_name="claim_code")
    digest = models.CharField(max_length=64)
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="claim_code_digest_once"),
            models.CheckConstraint(condition=~Q(digest=""), name="claim_code_digest_given"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id}, until {self.expires_at:%H:%M}"


class Merge(models.Model):
    """`merged` turned out to be `kept`: whose matches theirs are, and whose any result is that names their key.

    `sequence`: the last step of history of which `merged` may have been a part. Which matches were theirs, their
    participations know (`played_as`); `forfeits` are the ids of those in whose teams they were.
    """

    kept = models.ForeignKey("ranking.Player", models.PROTECT, related_name="merges")
    merged = models.ForeignKey("ranking.Player", models.PROTECT, related_name="merges_away", db_index=False)
    sequence = models.BigIntegerField()
    forfeits = models.JSONField(default=list)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=200)
    merged_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["merged"], name="merge_once_a_player"),
            models.CheckConstraint(condition=~Q(kept=F("merged")), name="merge_of_two"),
            models.CheckConstraint(condition=~Q(reason=""), name="merge_reason_given"),
        ]

    def __str__(self) -> str:
        return f"{self.merged} into {self.kept}"
