"""Models of players: a player is one person in one game, identified by the game's own key."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from ranking.models.void import LiftableAct, lifted_afterwards, once_at_a_time


@dataclass(frozen=True, slots=True)
class ReadAccess:
    """Whose hidden matches a reader may see: their own, nobody's (None) or, with `everything`, everybody's."""

    player_id: int | None = None
    everything: bool = False

    def sees_matches_of(self, player_id: int, *, hidden: bool) -> bool:
        """True if they may see a player's list of matches and history; `hidden`: the player hides both."""
        return self.everything or not hidden or player_id == self.player_id


STRANGER = ReadAccess()


class Player(models.Model):
    """A player. `search_name`: the name folded for search; `skeleton`: how it looks (see ranking.rules.names).

    `lookalike`: when the player took the name, another player had a name that looks the same. `anonymised_at`: the
    player has left for good; the ledger's rows stay, personal data is gone. `merged_into`: the row keeps only the
    key, which belongs to the other player from then on. `avatar`: names the picture that pages show beside the name;
    empty: they draw a crest. `is_bot`: a program plays; it is rated, and never listed, ranked, followed or found.
    `locked_name`: the name that a moderator gave, while nothing else may change it; else empty.
    """

    key = models.CharField(max_length=128, unique=True)
    name = models.CharField(max_length=64)
    search_name = models.CharField(max_length=128)
    # The database has the defaults, too: processes of the previous version may still add players during an upgrade.
    skeleton = models.CharField(max_length=128, blank=True, default="", db_default="")
    lookalike = models.BooleanField(default=False, db_default=False)
    locked_name = models.CharField(max_length=64, blank=True, default="", db_default="")
    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="player")
    hidden_at = models.DateTimeField(null=True, blank=True)  # off the boards: by a moderator, anonymised or merged
    hides_matches = models.BooleanField(
        _("Hide my matches"),
        default=False,
        db_default=False,
        help_text=_(
            "Only you and moderators see your list of matches, your form and how your rating moved. Your rank stays on"
            " the board, and a match that you played stays on its own page: it is the other players’ too."
        ),
    )
    hides_from_friends = models.BooleanField(
        _("Stay off friends boards"),
        default=False,
        db_default=False,
        help_text=_("You are on nobody else’s friends board, whoever follows you."),
    )
    hides_playing = models.BooleanField(
        _("Hide when I play"),
        default=False,
        db_default=False,
        help_text=_(
            "Nobody sees that you are in a match before it is over. Otherwise players whom you follow, and who follow"
            " you, see it at once, and everybody else three minutes later."
        ),
    )
    avatar = models.CharField(max_length=16, blank=True, default="", db_default="")
    anonymised_at = models.DateTimeField(null=True, blank=True)
    merged_into = models.ForeignKey("self", models.PROTECT, null=True, db_index=False, related_name="aliases")
    is_bot = models.BooleanField(default=False, db_default=False)
    created_at = models.DateTimeField()

    class Meta:
        permissions = [
            ("hide_player", "Can hide players from boards"),
            ("rename_player", "Can rename players and lock their names"),
        ]
        indexes = [
            models.Index(fields=["merged_into"], condition=Q(merged_into__isnull=False), name="player_aliases"),
            models.Index(fields=["id"], condition=Q(hidden_at__isnull=False), name="player_hidden"),
            models.Index(fields=["id"], condition=Q(is_bot=True), name="player_bot"),
            models.Index(fields=["skeleton", "lookalike"], name="player_looks"),
            # Sorts names by code point in any locale, for searches by prefix (ranking.players.search.ByName).
            models.Index(
                fields=["search_name", "id"], opclasses=["varchar_pattern_ops", "int8_ops"], name="player_by_name"
            ),
            models.Index(fields=["id"], condition=Q(lookalike=True), name="player_lookalike"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(key=""), name="player_key_given"),
            models.CheckConstraint(condition=~Q(name=""), name="player_name_given"),
            models.CheckConstraint(
                condition=Q(locked_name="") | Q(locked_name=F("name")), name="player_keeps_a_locked_name"
            ),
            models.CheckConstraint(
                condition=Q(anonymised_at__isnull=True)
                | Q(user__isnull=True, hidden_at__isnull=False, hides_matches=True),
                name="player_gone_is_hidden",
            ),
            models.CheckConstraint(
                condition=Q(anonymised_at__isnull=True, merged_into__isnull=True) | Q(avatar=""),
                name="player_gone_has_no_avatar",
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
        """Return the player to whom this row's key belongs. Load `merged_into` with select_related."""
        return self.merged_into or self

    def shows_matches_to(self, access: ReadAccess) -> bool:
        """True if the viewer may see the player's list of matches and everything that is made from it."""
        return access.sees_matches_of(self.pk, hidden=self.hides_matches)


class PlayerName(models.Model):
    """A name that a player has or had. `since`: when this site learned it. Players who never changed have no rows.

    `search_name`: the name folded for search. `taken_away`: a moderator took the name away, so only moderators find the
    player by it.
    """

    player = models.ForeignKey(Player, models.PROTECT, related_name="names")
    name = models.CharField(max_length=64)
    search_name = models.CharField(max_length=128, blank=True, default="", db_default="")
    since = models.DateTimeField()
    taken_away = models.BooleanField(default=False, db_default=False)

    class Meta:
        indexes = [
            models.Index(
                fields=["search_name", "id"], opclasses=["varchar_pattern_ops", "int8_ops"], name="former_name"
            )
        ]
        constraints = [models.CheckConstraint(condition=~Q(name=""), name="player_name_of_history_given")]

    def __str__(self) -> str:
        return self.name


class AcceptedName(models.Model):
    """A moderator accepted how the name of the player looks; that is over once it looks otherwise."""

    player = models.OneToOneField(Player, models.PROTECT, primary_key=True, related_name="accepted_name")
    skeleton = models.CharField(max_length=128)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(skeleton=""), name="accepted_name_given")]

    def __str__(self) -> str:
        return self.skeleton


class ClaimCode(models.Model):
    """The only valid code by which an account claims a player. The row holds its digest, and is deleted on use."""

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


class Merge(LiftableAct):
    """A merge: `merged` is the same person as `kept`, who gets their matches and every later result with their key.

    `sequence`: the last event in which `merged` may have taken part. `Participation.played_as` says which matches
    were theirs; `forfeits` holds the ids of the forfeits in whose teams they were. `taken` holds what a split needs to
    give back, as ranking.moderation.merges writes it; None: an earlier version merged them, and nobody can split them.
    A split is the lifting of the merge.
    """

    kept = models.ForeignKey("ranking.Player", models.PROTECT, related_name="merges")
    merged = models.ForeignKey("ranking.Player", models.PROTECT, related_name="merges_away", db_index=False)
    sequence = models.BigIntegerField()
    forfeits = models.JSONField(default=list)
    taken = models.JSONField(null=True)
    merged_at = models.DateTimeField()

    class Meta:
        constraints = [
            *LiftableAct.Meta.constraints,
            once_at_a_time("merged", "merge_once_at_a_time"),
            models.CheckConstraint(condition=~Q(kept=F("merged")), name="merge_of_two"),
            lifted_afterwards("merged_at", "merge_lifted_afterwards"),
        ]

    def __str__(self) -> str:
        return f"{self.merged} into {self.kept}"
