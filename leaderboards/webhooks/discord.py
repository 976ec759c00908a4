"""What embeds for Discord have in common: the limits, and texts in which no name is markup or mentions anybody."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.conf import settings

Embed = dict[str, object]

MOST_TEAMS, MOST_PLAYERS = 8, 12
MOST_TITLE, MOST_TEXT = 256, 4_096  # Discord's own limits


def link_to(path: str) -> Embed:
    """Return the part of an embed that leads to a page of this site; empty if the site has no address."""
    return {"url": settings.SITE_URL + path} if settings.SITE_URL else {}


def plain(text: str) -> str:
    """Escape a text, so that Discord shows it as it is."""
    return re.sub(r"([\\*_~`|>#\[\]()<@:-])", r"\\\1", text)


def names_of(players: Sequence[dict[str, Any]]) -> str:
    """Return the names of players as payloads have them."""
    names = ["Somebody" if player["name"] is None else plain(player["name"]) for player in players[:MOST_PLAYERS]]
    return ", ".join(names) + (" …" if len(players) > MOST_PLAYERS else "")
