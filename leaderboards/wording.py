"""What notices say. Pure: from a notice's kind and data, and the name of its mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from leaderboards.feats import BY_KEY
from leaderboards.figures import ordinal

TIER, TOP, RANK, ACHIEVEMENT = "tier", "top", "rank", "achievement"

Data = Mapping[str, Any]


def _tier(data: Data, mode: str) -> str:
    return f"You reached {data['tier']} in {mode}"


def _top(data: Data, mode: str) -> str:
    return f"You entered the top {data['percent']} % of {mode}"


def _rank(data: Data, mode: str) -> str:
    way, ranks = ("Up", data["by"]) if data["by"] > 0 else ("Down", -data["by"])
    return f"{way} {ranks:,} rank{'' if ranks == 1 else 's'} since yesterday in {mode}: {ordinal(data['rank'])}"


def _achievement(data: Data, mode: str) -> str:
    feat = BY_KEY[data["feat"]]
    return f"{feat.name} in {mode}: {feat.words[0].lower()}{feat.words[1:]}"


WORDS: dict[str, Callable[[Data, str], str]] = {TIER: _tier, TOP: _top, RANK: _rank, ACHIEVEMENT: _achievement}


def words_of(kind: str, data: Data, mode: str) -> str:
    """The sentence of a notice, without a full stop; raises KeyError for a kind that nobody has words for."""
    return WORDS[kind](data, mode)
