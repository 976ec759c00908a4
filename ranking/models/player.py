"""A player: one person of one game, known by the game's own key."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class Player(models.Model):
    """`search_name` is the name folded for search (ranking.names.fold)."""

    key = models.CharField(max_length=128, unique=True)
    name = models.CharField(max_length=64)
    search_name = models.CharField(max_length=128, db_index=True)
    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="player")
    hidden_at = models.DateTimeField(null=True, blank=True)  # taken off the boards by a moderator
    hides_from_friends = models.BooleanField(default=False, db_default=False)  # on nobody else's friends board
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["id"], condition=Q(hidden_at__isnull=False), name="player_hidden")]
        constraints = [
            models.CheckConstraint(condition=~Q(key=""), name="player_key_given"),
            models.CheckConstraint(condition=~Q(name=""), name="player_name_given"),
        ]

    def __str__(self) -> str:
        return self.name
