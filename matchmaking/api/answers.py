"""What the API says of tickets, parties, lobbies and servers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from leaderboards.display.numbers import DOWN, SAME, UP, Delta
from matchmaking import lifecycle
from matchmaking.lobbies.page import LobbyPage, LobbySeat
from matchmaking.models import Invitation, Party, PartyMember, Server
from matchmaking.queues.ticket_page import TicketPage
from ranking.api.match_answers import PersonSerializer
from ranking.models import Player
from ranking.systems.shared.explanations import MINUS

TICKET_STATES, LOBBY_STATES = lifecycle.TICKET.states, lifecycle.LOBBY.states


class WindowSerializer(serializers.Serializer[Any]):
    """Percentiles, both inclusive."""

    low = serializers.FloatField()
    high = serializers.FloatField()


class EstimateSerializer(serializers.Serializer[Any]):
    """Seconds that similar tickets waited of late."""

    typical = serializers.IntegerField(help_text="Half of them waited at most so long.")
    low = serializers.IntegerField(help_text="One of ten waited less.")
    high = serializers.IntegerField(help_text="One of ten waited more.")
    of = serializers.IntegerField(help_text="How many tickets these are.")


class TicketSerializer(serializers.Serializer[Any]):
    """`window` to `estimate`: null unless it waits; the first two, too, in queues without a rank filter, and `window`
    in modes that show no percentiles."""

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
    warning = serializers.CharField(allow_blank=True, help_text="For its players: a filter that fits nobody.")


def ticket_data(waiting: TicketPage) -> dict[str, Any]:
    ticket = waiting.ticket
    waits = ticket.state == lifecycle.WAITING
    told = waiting.estimate if waits else None
    return {
        "id": ticket.pk,
        "mode": ticket.queue.mode.slug,
        "state": ticket.state,
        "players": people(waiting.players),
        "party": ticket.party_id,
        "width": waiting.width,
        "strict": waiting.strict,
        "regions": ticket.pings,
        "queued_at": ticket.queued_at,
        "waited": round(waiting.waited, 3),
        "window": {"low": waiting.window.low, "high": waiting.window.high}
        if waits and waiting.window and waiting.shown
        else None,
        "widens_at": waiting.widens_at if waits else None,
        "within": waiting.within if waits else None,
        "others": waiting.others if waits else None,
        "estimate": told and {"typical": told.typical, "low": told.low, "high": told.high, "of": told.of},
        "lobby": ticket.lobby_id,
        "ending": ticket.ending,
        "warning": waiting.warning,
    }


def people(players: Sequence[Player]) -> list[dict[str, Any]]:
    return [{"id": player.key, "name": player.name} for player in players]


class MemberSerializer(PersonSerializer):
    leads = serializers.BooleanField()
    joined_at = serializers.DateTimeField()


class InvitedSerializer(PersonSerializer):
    invited_at = serializers.DateTimeField()


class PartySerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(help_text="Its number, with which its leader queues it.")
    players = MemberSerializer(many=True, help_text="The longest there first.")
    invited = InvitedSerializer(many=True)


class InvitationSerializer(serializers.Serializer[Any]):
    party = serializers.IntegerField(help_text="Its number.")
    by = PersonSerializer()
    invited_at = serializers.DateTimeField()


class OwnPartySerializer(serializers.Serializer[Any]):
    party = PartySerializer(allow_null=True, help_text="Null: one is in none.")
    invitations = InvitationSerializer(many=True, help_text="To other parties, the latest first.")


def party_data(party: Party, members: Sequence[PartyMember], invited: Sequence[Invitation]) -> dict[str, Any]:
    return {
        "id": party.pk,
        "players": [
            {"id": row.player.key, "name": row.player.name, "leads": row.leads, "joined_at": row.joined_at}
            for row in members
        ],
        "invited": [{"id": row.player.key, "name": row.player.name, "invited_at": row.invited_at} for row in invited],
    }


def invitation_data(invitation: Invitation) -> dict[str, Any]:
    by = {"id": invitation.by.key, "name": invitation.by.name}
    return {"party": invitation.party_id, "by": by, "invited_at": invitation.invited_at}


class LobbyPlayerSerializer(PersonSerializer):
    """Null is what the mode doesn't show, and the standing of whoever has none."""

    place = serializers.IntegerField(allow_null=True, help_text="Rank among all here as the lobby formed.")
    rank = serializers.IntegerField(allow_null=True, help_text="On the board as published.")
    rating = serializers.CharField(allow_null=True, help_text="As published.")
    percentile = serializers.IntegerField(allow_null=True, help_text="As published.")
    tier = serializers.CharField(allow_null=True)
    party = serializers.IntegerField(allow_null=True, help_text="The same for all of one party.")
    accepted = serializers.BooleanField()


class LobbyTeamSerializer(serializers.Serializer[Any]):
    win_probability = serializers.FloatField(allow_null=True, help_text="By the ratings now.")
    players = LobbyPlayerSerializer(many=True)


class StakesSerializer(serializers.Serializer[Any]):
    """What each end would do to one's rating, by the ratings now: +1.11."""

    win = serializers.CharField()
    draw = serializers.CharField()
    loss = serializers.CharField()


class YouSerializer(serializers.Serializer[Any]):
    """The caller: "ranked 3rd of 8"."""

    ranked = serializers.IntegerField(allow_null=True)
    of = serializers.IntegerField()
    accepted = serializers.BooleanField()
    ping = serializers.FloatField(allow_null=True, help_text="To the region, of the worst-placed in the party.")
    stakes = StakesSerializer(allow_null=True, help_text="Null where ratings aren't shown, and when it is over.")


class HostSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(allow_blank=True)
    region = serializers.CharField(allow_blank=True)
    address = serializers.CharField(help_text="Where to connect.")


class LobbySerializer(serializers.Serializer[Any]):
    id = serializers.CharField(help_text="A result that names it as `lobby` finishes it.")
    mode = serializers.CharField(help_text="Slug of its mode.")
    state = serializers.ChoiceField(LOBBY_STATES)
    region = serializers.CharField(allow_blank=True)
    variant = serializers.CharField(allow_blank=True, help_text="The map, say: drawn at random.")
    teams = LobbyTeamSerializer(many=True)
    server = HostSerializer(allow_null=True, help_text="Null until all have accepted, and where games need none.")
    formed_at = serializers.DateTimeField()
    accept_until = serializers.DateTimeField(allow_null=True, help_text="Null: nobody is asked.")
    started_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    ending = serializers.CharField(allow_blank=True, help_text="For its players: why it fell through.")
    match = serializers.IntegerField(allow_null=True, help_text="Once finished: the site's own number of the match.")
    you = YouSerializer(allow_null=True, help_text="Null for game servers.")


def lobby_data(page: LobbyPage) -> dict[str, Any]:
    lobby = page.lobby
    told = ("state", "region", "variant", "formed_at", "accept_until", "started_at", "closed_at", "ending")
    return {
        "id": lobby.pk,
        "mode": page.mode.slug,
        **{name: getattr(lobby, name) for name in told},
        "server": None if lobby.server is None else _host_data(lobby.server),
        "match": lobby.match_id,
        "teams": [
            {"win_probability": side.probability, "players": [_seat_data(seat) for seat in side.seats]}
            for side in page.sides
        ],
        "you": page.own and _you_data(page, page.own),
    }


def _host_data(server: Server) -> dict[str, str]:
    return {"name": server.name, "region": server.region, "address": server.address}


def _seat_data(seat: LobbySeat) -> dict[str, Any]:
    standing = seat.standing
    return {
        "id": seat.player.key,
        "name": seat.player.name,
        "place": seat.place,
        "rank": standing and standing.rank,
        "rating": seat.rating.replace(",", "").replace(MINUS, "-") or None,
        "percentile": standing and standing.percentile,
        "tier": standing.tier.label if standing and standing.tier else None,
        "party": seat.party,
        "accepted": seat.accepted,
    }


def _you_data(page: LobbyPage, own: LobbySeat) -> dict[str, Any]:
    said = page.stakes
    stakes = said and {"win": said.won, "draw": said.drew, "loss": said.lost}
    return {
        "ranked": own.place,
        "of": page.size,
        "accepted": own.accepted,
        "ping": page.ping,
        "stakes": stakes and {name: _change_text(delta) for name, delta in stakes.items()},
    }


def _change_text(delta: Delta) -> str:
    """A change as programs read it: +1.11, 0.00, -1.07."""
    return {UP: "+", DOWN: "-", SAME: ""}[delta.direction] + delta.size.replace(",", "")


class ServerSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(allow_blank=True)
    region = serializers.CharField(allow_blank=True)
    address = serializers.CharField()
    capacity = serializers.IntegerField()
    modes = serializers.ListField(child=serializers.CharField())
    heartbeat_seconds = serializers.IntegerField(help_text="Be heard from again within so many.")
    lobby = LobbySerializer(allow_null=True, help_text="The one to begin, else one that is being played here.")
    lobbies = LobbySerializer(many=True, help_text="All that are to be played or being played here.")
