"""The bodies of messages: for a game, the API's public representation as JSON; for Discord, an embed."""

from __future__ import annotations

import datetime as dt
import json

from rest_framework.utils.encoders import JSONEncoder

from leaderboards.models import Delivery, Webhook
from leaderboards.webhooks._sending import Message
from leaderboards.webhooks.events import MATCH_RATED, PLAYER_PROMOTED
from leaderboards.webhooks.registry import PAYLOADS
from leaderboards.webhooks.signing import signature_headers
from ranking.api.match_answers import RatedMatchSerializer
from ranking.matches.records import MatchRecord

_COLOURS = {MATCH_RATED: 0x3D3BD0, PLAYER_PROMOTED: 0xC28E00}
_JSON = {"Content-Type": "application/json"}


def write_message(delivery: Delivery, record: MatchRecord | None, now: dt.datetime) -> Message:
    """Write the message of a delivery as it is sent now. `record`: the match, for a delivery about a match."""
    webhook = delivery.webhook
    if webhook.kind == Webhook.DISCORD:
        return Message(_encode(_discord(delivery, record)), _JSON)
    at = record.match.event.happened_at if record is not None and record.match.event else delivery.created_at
    body = _encode({"type": delivery.type, "timestamp": at, "data": _data(delivery, record)})
    return Message(body, _JSON | signature_headers(webhook, delivery.message_id, body, now))


def _encode(data: object) -> bytes:
    return json.dumps(data, cls=JSONEncoder, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _data(delivery: Delivery, record: MatchRecord | None) -> object:
    if record is None:
        return delivery.data or {}
    return RatedMatchSerializer.fill(record)


def _discord(delivery: Delivery, record: MatchRecord | None) -> dict[str, object]:
    """Make an embed. Players' names are escaped, and no name can mention anybody."""
    embed = PAYLOADS[delivery.type].embed(delivery.data or {} if record is None else record)
    embed["color"] = _COLOURS.get(delivery.type, _COLOURS[MATCH_RATED])
    return {"embeds": [embed], "allowed_mentions": {"parse": []}}
