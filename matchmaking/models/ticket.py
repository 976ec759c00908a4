"""Tickets (a player or a party waiting in a queue) and the players on each."""

from __future__ import annotations

import datetime as dt

from django.db import models
from django.db.models import Q

from matchmaking import lifecycle
from matchmaking.wording import ending_words


class Ticket(models.Model):
    """A player or a party waiting in a queue. `queued_at`: when it was made; it stays if a lobby falls through.

    `pings`: milliseconds of the player with the worst ping, for each region good for all; none = any region. `waited`:
    seconds in the state waiting before `waiting_since`; time in a lobby doesn't count. `team`: its team in the lobby (a
    party is never split). `ending_code`,
    `ending_values`: see matchmaking.wording.
    """

    queue = models.ForeignKey("matchmaking.Queue", models.PROTECT, related_name="tickets", db_index=False)
    state = models.CharField(
        max_length=9, default=lifecycle.WAITING, choices=[(name, name) for name in lifecycle.TICKET.states]
    )
    party = models.ForeignKey("matchmaking.Party", models.SET_NULL, null=True, related_name="tickets", db_index=False)
    size = models.PositiveSmallIntegerField()
    queued_at = models.DateTimeField()
    waiting_since = models.DateTimeField()
    waited = models.FloatField(default=0.0)
    pings = models.JSONField(default=dict)
    lobby = models.ForeignKey("matchmaking.Lobby", models.PROTECT, null=True, related_name="tickets", db_index=False)
    team = models.PositiveSmallIntegerField(null=True)
    matched_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    ending_code = models.CharField(max_length=200, blank=True, db_column="ending")
    ending_values = models.JSONField(default=dict, db_default={}, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["queue", "queued_at", "id"], condition=Q(state="waiting"), name="ticket_waiting"),
            models.Index(fields=["lobby"], condition=Q(lobby__isnull=False), name="ticket_of_lobby"),
            models.Index(fields=["party"], condition=Q(party__isnull=False), name="ticket_of_party"),
            models.Index(fields=["ended_at"], condition=Q(ended_at__isnull=False), name="ticket_ended"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=lifecycle.TICKET.states), name="ticket_state_known"),
            models.CheckConstraint(condition=Q(size__gte=1), name="ticket_of_somebody"),
            models.CheckConstraint(condition=Q(waited__gte=0), name="ticket_waited_not_negative"),
            models.CheckConstraint(
                condition=~Q(state__in=["matched", "playing"])
                | Q(lobby__isnull=False, team__isnull=False, matched_at__isnull=False),
                name="ticket_matched_has_a_lobby",
            ),
            models.CheckConstraint(
                condition=~Q(state="waiting") | Q(lobby__isnull=True, team__isnull=True, matched_at__isnull=True),
                name="ticket_waiting_has_no_lobby",
            ),
            models.CheckConstraint(
                condition=(~Q(state__in=lifecycle.TICKET.going_on) | Q(ended_at__isnull=True))
                & (~Q(state__in=lifecycle.TICKET.ends) | Q(ended_at__isnull=False)),
                name="ticket_ended_at_some_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pk}: {self.state}"

    @property
    def is_live(self) -> bool:
        return self.state in lifecycle.TICKET.going_on

    @property
    def ending(self) -> str:
        """How it ended, in a sentence for its players; "" if it goes on."""
        return ending_words(self.ending_code, self.ending_values)

    def waited_at(self, now: dt.datetime) -> float:
        """Seconds in the state waiting, in all."""
        until = now if self.state == lifecycle.WAITING else (self.matched_at or self.ended_at or now)
        return self.waited + max(0.0, (until - self.waiting_since).total_seconds())


class TicketMember(models.Model):
    """A player on a ticket, with the skill and rank filter at the time when the ticket was made.

    `strength`: see matchmaking.queues._skills; `percentile`: the one that matchmaking assumes; `width`: half the rank
    window. `live`: the ticket goes on; a player has one live ticket at most. `seen_at`, `accepted_at`: when the player
    saw the lobby's prompt, and accepted.
    """

    ticket = models.ForeignKey(Ticket, models.CASCADE, related_name="members", db_index=False)
    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="tickets")
    strength = models.FloatField()
    display_hundredths = models.BigIntegerField()
    percentile = models.PositiveSmallIntegerField()
    width = models.PositiveSmallIntegerField()
    strict = models.BooleanField(default=False)
    live = models.BooleanField(default=True)
    seen_at = models.DateTimeField(null=True)
    accepted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["player"], condition=Q(live=True), name="ticket_one_live_a_player"),
            models.UniqueConstraint(fields=["ticket", "player"], name="ticket_each_player_once"),
            models.CheckConstraint(
                condition=Q(percentile__gte=1, percentile__lte=100), name="ticket_percentile_is_one"
            ),
            models.CheckConstraint(condition=Q(width__gte=1, width__lte=100), name="ticket_width_within_bounds"),
            models.CheckConstraint(
                condition=Q(accepted_at__isnull=True) | Q(seen_at__isnull=False), name="ticket_accepted_what_was_seen"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} on {self.ticket_id}"
