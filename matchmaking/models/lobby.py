"""Lobbies: matches that the tick has formed, from acceptance to result."""

from __future__ import annotations

import secrets

from django.db import models
from django.db.models import F, Q

from matchmaking import lifecycle
from matchmaking.wording import ending_words


def new_key() -> str:
    return secrets.token_hex(10)


class Lobby(models.Model):
    """A match that the tick has formed. `key`: the lobby's public id, which results name.

    `teams`: player ids by team, as proposed. `places`, in the same shape: each player's place among all by display
    rating when the lobby formed ("ranked 3rd of 8"). `difference`: between the teams' mean strengths. `region`: "" =
    any. `variant`: drawn at random. `blind`: players see neither teams nor variant; until all have accepted, or for
    ever. `scores`: of each team, as the server told last. `silent_at`: when the server was last
    heard of, if it fell silent during the match. `missing_at`: since when its server, which is heard of, no longer
    lists it. `failed_server`: the one that had it before and didn't begin the match, given up at `failed_at`.
    """

    key = models.CharField(max_length=20, primary_key=True, default=new_key)
    queue = models.ForeignKey("matchmaking.Queue", models.PROTECT, related_name="lobbies", db_index=False)
    state = models.CharField(
        max_length=9, default=lifecycle.ACCEPTING, choices=[(name, name) for name in lifecycle.LOBBY.states]
    )
    region = models.CharField(max_length=32, blank=True)
    variant = models.CharField(max_length=64, blank=True)
    teams = models.JSONField()
    places = models.JSONField()
    difference = models.FloatField()
    # The database has the default, too: a process of the previous version, which still runs during an upgrade, knows no
    # blind lobbies.
    blind = models.BooleanField(default=False, db_default=False)
    server = models.ForeignKey("matchmaking.Server", models.PROTECT, null=True, related_name="lobbies", db_index=False)
    match = models.OneToOneField("ranking.Match", models.PROTECT, null=True, related_name="played_lobby")
    formed_at = models.DateTimeField()
    accept_until = models.DateTimeField(null=True)  # None: nobody is asked
    ready_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    scores = models.JSONField(null=True)
    silent_at = models.DateTimeField(null=True)
    missing_at = models.DateTimeField(null=True)
    failed_server = models.ForeignKey("matchmaking.Server", models.PROTECT, null=True, related_name="+", db_index=False)
    failed_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    ending_code = models.CharField(max_length=200, blank=True, db_column="ending")
    ending_values = models.JSONField(default=dict, db_default={}, blank=True)

    class Meta:
        verbose_name_plural = "lobbies"
        indexes = [
            models.Index(
                fields=["state", "formed_at"], condition=Q(state__in=lifecycle.LOBBY.going_on), name="lobby_going_on"
            ),
            models.Index(
                fields=["server"],
                condition=Q(server__isnull=False, state__in=["ready", "live"]),
                name="lobby_on_server",
            ),
            models.Index(fields=["queue", "-formed_at"], name="lobby_recent"),
            models.Index(fields=["formed_at", "key"], name="lobby_latest"),  # the admin's list
        ]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=lifecycle.LOBBY.states), name="lobby_state_known"),
            models.CheckConstraint(condition=~Q(key=""), name="lobby_key_given"),
            models.CheckConstraint(
                condition=~Q(state="ready") | Q(ready_at__isnull=False), name="lobby_ready_at_some_time"
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["live", "lost"]) | Q(started_at__isnull=False), name="lobby_live_has_started"
            ),
            models.CheckConstraint(
                condition=(~Q(state__in=lifecycle.LOBBY.going_on) | Q(closed_at__isnull=True))
                & (~Q(state__in=lifecycle.LOBBY.ends) | Q(closed_at__isnull=False)),
                name="lobby_closed_at_some_time",
            ),
            models.CheckConstraint(
                condition=~Q(state="accepting") | Q(server__isnull=True), name="lobby_server_once_accepted"
            ),
            models.CheckConstraint(
                condition=Q(failed_server__isnull=True, failed_at__isnull=True)
                | Q(failed_server__isnull=False, failed_at__isnull=False),
                name="lobby_server_failed_at_some_time",
            ),
            models.CheckConstraint(
                condition=Q(failed_server__isnull=True) | Q(server__isnull=True) | ~Q(server=F("failed_server")),
                name="lobby_not_on_failed_server",
            ),
            models.CheckConstraint(
                condition=Q(blind=False) | Q(state__in=["accepting", "cancelled"]), name="lobby_blind_until_accepted"
            ),
            models.CheckConstraint(
                condition=Q(match__isnull=True) | Q(state__in=["finished", "aborted"]), name="lobby_played_finished"
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def players(self) -> list[int]:
        return [player for team in self.teams for player in team]

    @property
    def ending(self) -> str:
        """How it ended, in a sentence for its players; "" if it goes on."""
        return ending_words(self.ending_code, self.ending_values)
