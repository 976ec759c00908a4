"""What webhooks tell of lobbies. Rows hold players' ids; their names are read when the message is sent."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboards.models import Delivery
from leaderboards.webhooks.events import LOBBY_ABORTED, MATCH_FOUND
from ranking.models import Player


def read_lobbies(deliveries: Sequence[Delivery]) -> None:
    """Set the data of messages about lobbies as it is sent. One query at most, however many messages there are.

    Players who hide their matches or when they play, are hidden, or have left for good have neither id nor name.
    """
    told = [(delivery, delivery.data or {}) for delivery in deliveries]
    found = [(delivery, data) for delivery, data in told if delivery.type == MATCH_FOUND]
    ids = {player for _, data in found for team in data["teams"] for player in team}
    people = Player.objects.select_related("merged_into").in_bulk(ids)
    for delivery, data in found:
        teams = [{"players": [_person_data(people.get(player)) for player in team]} for team in data["teams"]]
        delivery.data = {**data, "teams": teams}
    for delivery, data in told:
        if delivery.type == LOBBY_ABORTED:
            delivery.data = {name: value for name, value in data.items() if name != "players"}


def _person_data(row: Player | None) -> dict[str, str | None]:
    player = row and row.owner
    if player is None or player.hides_matches or player.hides_playing or player.hidden_at is not None:
        return {"id": None, "name": None}
    return {"id": player.key, "name": player.name}
