"""A ticket as the API answers it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from matchmaking import lifecycle
from matchmaking.queues.ticket_page import TicketPage
from ranking.api.match_answers import PersonSerializer

TICKET_STATES = lifecycle.TICKET.states


class WindowSerializer(serializers.Serializer[Any]):
    """Percentiles, both inclusive."""

    low = serializers.FloatField()
    high = serializers.FloatField()


class EstimateSerializer(serializers.Serializer[Any]):
    """How many seconds similar tickets waited lately."""

    typical = serializers.IntegerField(help_text="Half of them waited at most so long.")
    low = serializers.IntegerField(help_text="One of ten waited less.")
    high = serializers.IntegerField(help_text="One of ten waited more.")
    of = serializers.IntegerField(help_text="How many tickets these are.")


class TicketSerializer(serializers.Serializer[Any]):
    """A ticket. `window` to `estimate` are null unless it waits. `window` and `widens_at` are null, too, in queues
    without a rank filter; so is `window` in modes that show no percentiles."""

    id = serializers.IntegerField()
    mode = serializers.CharField(help_text="Slug of its mode.")
    state = serializers.ChoiceField(TICKET_STATES)
    players = PersonSerializer(many=True)
    party = serializers.IntegerField(allow_null=True, help_text="Its number.")
    width = serializers.IntegerField(help_text="Percentiles up and down that were asked for.")
    strict = serializers.BooleanField()
    regions = serializers.DictField(
        child=serializers.FloatField(), help_text="Good for all its players, with the worst ping; {}: any region."
    )
    queued_at = serializers.DateTimeField(help_text="When its players first queued.")
    waited = serializers.FloatField(help_text="Seconds in the queue; time in a lobby doesn't count.")
    window = WindowSerializer(allow_null=True)
    widens_at = serializers.DateTimeField(allow_null=True, help_text="When the window takes its next step.")
    within = serializers.IntegerField(allow_null=True, help_text="Other players who wait within the window.")
    others = serializers.IntegerField(allow_null=True, help_text="Other players who wait.")
    estimate = EstimateSerializer(allow_null=True)
    lobby = serializers.CharField(allow_null=True, help_text="Where a match was found: the lobby's id.")
    ending = serializers.CharField(allow_blank=True, help_text="For its players: why it is over.")
    warning = serializers.CharField(allow_blank=True, help_text="For its players: what keeps a match from being found.")


def ticket_data(page: TicketPage) -> dict[str, Any]:
    """TicketSerializer's data."""
    ticket = page.ticket
    return {
        "id": ticket.pk,
        "mode": ticket.queue.mode.slug,
        "state": ticket.state,
        "players": [{"id": player.key, "name": player.name} for player in page.players],
        "party": ticket.party_id,
        "width": page.width,
        "strict": page.strict,
        "regions": ticket.pings,
        "queued_at": ticket.queued_at,
        "waited": round(page.waited, 3),
        **(_waiting_data(page) if ticket.state == lifecycle.WAITING else _NOT_WAITING),
        "lobby": ticket.lobby_id,
        "ending": ticket.ending,
        "warning": " ".join(page.warnings),
    }


_ESTIMATED = ("typical", "low", "high", "of")
_NOT_WAITING = dict.fromkeys(("window", "widens_at", "within", "others", "estimate"))


def _waiting_data(page: TicketPage) -> dict[str, Any]:
    """The fields that only a waiting ticket has."""
    window, estimate = page.window if page.shown else None, page.estimate
    return {
        "window": None if window is None else {"low": window.low, "high": window.high},
        "widens_at": page.widens_at,
        "within": page.within,
        "others": page.others,
        "estimate": None if estimate is None else {name: getattr(estimate, name) for name in _ESTIMATED},
    }
