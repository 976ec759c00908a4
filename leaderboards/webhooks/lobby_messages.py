"""What webhooks tell of lobbies. Rows hold players' ids; their names are read when the message is sent."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from rest_framework import serializers

from leaderboards.display.regions import region_name
from leaderboards.models import Delivery
from leaderboards.webhooks.discord import MOST_TEAMS, MOST_TEXT, MOST_TITLE, Embed, names_of, plain
from leaderboards.webhooks.events import LOBBY_ABORTED, MATCH_FOUND
from leaderboards.webhooks.payloads import NamedModeSerializer, Payload
from ranking.api.output import OutputSerializer
from ranking.models import Mode, Player


class FoundSeat(NamedTuple):
    """A player of a found match; None if nobody may learn who it is."""

    player: Player | None


class FoundTeam(NamedTuple):
    players: Sequence[FoundSeat]


class FoundMatch(NamedTuple):
    """A lobby that became ready for the first time."""

    lobby: str
    mode: Mode
    region: str
    teams: Sequence[FoundTeam] = ()


class AbortedMatch(NamedTuple):
    """A lobby that was aborted in this `state`. `reason`: as its players read it."""

    lobby: str
    mode: Mode
    reason: str
    state: str


class FoundSeatSerializer(OutputSerializer[FoundSeat]):
    """A player; both are null if they hide their matches or when they play, are hidden, or have left for good."""

    id = serializers.CharField(source="player.key", allow_null=True)
    name = serializers.CharField(source="player.name", allow_null=True)


class FoundTeamSerializer(OutputSerializer[FoundTeam]):
    players = FoundSeatSerializer(many=True)


class FoundNewsSerializer(OutputSerializer[FoundMatch]):
    """Everybody has accepted, and a server is there if the queue needs one. Told once a lobby."""

    lobby = serializers.CharField(help_text="Its id.")
    mode = NamedModeSerializer()
    region = serializers.CharField(allow_blank=True, help_text="Of the server, else of the lobby.")
    teams = FoundTeamSerializer(many=True)


class AbortNewsSerializer(OutputSerializer[AbortedMatch]):
    """The server or a moderator called a match off, before its start or while it ran."""

    first = ("lobby", "mode", "from")

    lobby = serializers.CharField(help_text="Its id.")
    mode = NamedModeSerializer()
    reason = serializers.CharField(allow_blank=True, help_text="As its players read it.")
    vars()["from"] = serializers.ChoiceField(["ready", "live"], source="state", help_text="Its state before.")


def found_to_keep(lobby: str, mode: Mode, region: str, teams: Sequence[Sequence[int]]) -> dict[str, object]:
    """Return what a message about a found match keeps until it is sent: `teams` are players' ids."""
    return {**FoundNewsSerializer.fill(FoundMatch(lobby, mode, region)), "teams": [list(team) for team in teams]}


def read_lobbies(deliveries: Sequence[Delivery]) -> None:
    """Set the data of messages about lobbies as it is sent. One query at most, however many messages there are.

    Players who hide their matches or when they play, are hidden, or have left for good have neither id nor name.
    """
    told = [(delivery, delivery.data or {}) for delivery in deliveries]
    found = [(delivery, data) for delivery, data in told if delivery.type == MATCH_FOUND]
    ids = {player for _, data in found for team in data["teams"] for player in team}
    people = Player.objects.select_related("merged_into").in_bulk(ids)
    for delivery, data in found:
        teams = [FoundTeam([_seat_of(people.get(player)) for player in team]) for team in data["teams"]]
        delivery.data = {**data, "teams": FoundTeamSerializer.fill_many(teams)}
    for delivery, data in told:
        if delivery.type == LOBBY_ABORTED:
            delivery.data = {name: value for name, value in data.items() if name != "players"}


def _seat_of(row: Player | None) -> FoundSeat:
    player = row and row.owner
    hidden = player is None or player.hides_matches or player.hides_playing or player.hidden_at is not None
    return FoundSeat(None if hidden else player)


def _embed(what: str, data: dict[str, Any]) -> Embed:
    """Tell that a match was found or called off. The reason is for its players, not for all."""
    mode, region = plain(data["mode"]["name"]), plain(region_name(data.get("region", "")))
    lines = [names_of(team["players"]) for team in data.get("teams", ())[:MOST_TEAMS]]
    title = f"{mode}: {what}" + (f" in {region}" if region else "")
    return {"title": title[:MOST_TITLE], "description": "\n".join(lines)[:MOST_TEXT]}


PAYLOADS = {
    MATCH_FOUND: Payload(FoundNewsSerializer, partial(_embed, "a match was found")),
    LOBBY_ABORTED: Payload(AbortNewsSerializer, partial(_embed, "a match was called off")),
}
