"""What each message holds, by its event: the tables of all modules `*_messages`."""

from __future__ import annotations

from leaderboards.webhooks import lobby_messages, match_messages, player_messages, season_messages, trial_messages
from leaderboards.webhooks.payloads import Payload

PAYLOADS: dict[str, Payload] = {
    **match_messages.PAYLOADS,
    **lobby_messages.PAYLOADS,
    **player_messages.PAYLOADS,
    **season_messages.PAYLOADS,
    **trial_messages.PAYLOADS,
}
