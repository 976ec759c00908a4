"""Exports players, a line of JSON each: who they are, and what they were called. It holds a chunk of them in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Prefetch

from ranking.models import Player, PlayerName, Rating

CHUNK = 1_000  # players in memory at once


def export_players() -> Iterator[str]:
    names = Prefetch("names", PlayerName.objects.order_by("pk"))
    regions = Prefetch("ratings", Rating.objects.select_related("mode").filter(season__current=True).order_by("pk"))
    players = Player.objects.select_related("merged_into").prefetch_related(names, regions).order_by("pk")
    for player in players.iterator(CHUNK):
        yield json.dumps(_row(player), cls=DjangoJSONEncoder, ensure_ascii=False) + "\n"


def _row(player: Player) -> dict[str, object]:
    """`names`: all that the player has had, with the time since when; none if the player never changed it. `regions`:
    by mode, in the current season.
    """
    return {
        "key": player.key,
        "name": player.name,
        "names": [{"name": row.name, "since": row.since, "taken_away": row.taken_away} for row in player.names.all()],
        "created_at": player.created_at,
        "merged_into": None if player.merged_into is None else player.merged_into.key,
        "bot": player.is_bot,
        "hidden_at": player.hidden_at,
        "anonymised_at": player.anonymised_at,
        "regions": {rating.mode.slug: rating.region for rating in player.ratings.all() if rating.region},
    }
