"""The ledger's tables: facts, what is derived from them, and what was published."""

from ranking.models.access import Key, Source
from ranking.models.change import Change
from ranking.models.match import Event, Match, Participation
from ranking.models.mode import Mode, ParameterVersion, Season
from ranking.models.outbox import OutboxEntry
from ranking.models.player import STRANGER, Player, Sight
from ranking.models.rating import Rating
from ranking.models.snapshot import Snapshot

__all__ = [
    "STRANGER",
    "Change",
    "Event",
    "Key",
    "Match",
    "Mode",
    "OutboxEntry",
    "ParameterVersion",
    "Participation",
    "Player",
    "Rating",
    "Season",
    "Sight",
    "Snapshot",
    "Source",
]
