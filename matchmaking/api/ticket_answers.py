"""A ticket as the API answers it."""

from __future__ import annotations

from rest_framework import serializers

from matchmaking import lifecycle
from matchmaking.queues.rank_window import RankWindow
from matchmaking.queues.ticket_page import TicketPage
from matchmaking.queues.waits import Estimate
from ranking.api.match_answers import PersonSerializer
from ranking.api.output import OutputSerializer

TICKET_STATES = lifecycle.TICKET.states


class WindowSerializer(OutputSerializer[RankWindow]):
    """Percentiles, both inclusive."""

    low = serializers.FloatField()
    high = serializers.FloatField()


class EstimateSerializer(OutputSerializer[Estimate]):
    """How many seconds similar tickets waited lately."""

    typical = serializers.IntegerField(help_text="Half of them waited at most so long.")
    low = serializers.IntegerField(help_text="One of ten waited less.")
    high = serializers.IntegerField(help_text="One of ten waited more.")
    of = serializers.IntegerField(help_text="How many tickets these are.")


class TicketSerializer(OutputSerializer[TicketPage]):
    """A ticket. `window` to `estimate` are null unless it waits. `window` and `widens_at` are null, too, in queues
    without a rank filter; so is `window` in modes that show no percentiles."""

    id = serializers.IntegerField(source="ticket.pk")
    mode = serializers.CharField(source="ticket.queue.mode.slug", help_text="Slug of its mode.")
    state = serializers.ChoiceField(TICKET_STATES, source="ticket.state")
    players = PersonSerializer(many=True)
    party = serializers.IntegerField(source="ticket.party_id", allow_null=True, help_text="Its number.")
    width = serializers.IntegerField(help_text="Percentiles up and down that were asked for.")
    strict = serializers.BooleanField()
    regions = serializers.DictField(
        source="ticket.pings",
        child=serializers.FloatField(),
        help_text="Good for all its players, with the worst ping; {}: any region.",
    )
    queued_at = serializers.DateTimeField(source="ticket.queued_at", help_text="When its players first queued.")
    waited = serializers.FloatField(help_text="Seconds in the queue; time in a lobby doesn't count.")
    window = WindowSerializer(source="waiting.shown_window", allow_null=True)
    widens_at = serializers.DateTimeField(
        source="waiting.widens_at", allow_null=True, help_text="When the window takes its next step."
    )
    within = serializers.IntegerField(
        source="waiting.within", allow_null=True, help_text="Other players who wait within the window."
    )
    others = serializers.IntegerField(source="waiting.others", allow_null=True, help_text="Other players who wait.")
    estimate = EstimateSerializer(source="waiting.estimate", allow_null=True)
    lobby = serializers.CharField(
        source="ticket.lobby_id", allow_null=True, help_text="Where a match was found: the lobby's id."
    )
    ending = serializers.CharField(
        source="ticket.ending", allow_blank=True, help_text="For its players: why it is over."
    )
    warning = serializers.CharField(allow_blank=True, help_text="For its players: what keeps a match from being found.")

    @staticmethod
    def fill_waited(page: TicketPage) -> float:
        return round(page.waited, 3)

    @staticmethod
    def fill_warning(page: TicketPage) -> str:
        return " ".join(page.warnings)
