"""The sentences of notices and announcements. Pure: made from their kind and data, and the name of their mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from leaderboards.display.numbers import ordinal
from leaderboards.rules.achievements import BY_KEY

TIER, TOP, RANK, ACHIEVEMENT = "tier", "top", "rank", "achievement"
LOCKOUT, BAN, PARDON, APPEAL = "lockout", "ban", "pardon", "appeal"
UNPARDON, BAN_ACT, REOPENED, HIDDEN, SHOWN = "unpardon", "ban act", "reopened", "hidden", "shown"
STRUCK, UNSTRUCK = "struck", "unstruck"
CONDUCT = (LOCKOUT, BAN, PARDON, APPEAL, UNPARDON, BAN_ACT, REOPENED, HIDDEN, SHOWN, STRUCK, UNSTRUCK)

Data = Mapping[str, Any]


def _tier(data: Data, mode: str) -> str:
    return f"You reached {data['tier']} in {mode}"


def _top(data: Data, mode: str) -> str:
    return f"You entered the top {data['percent']} % of {mode}"


def _rank(data: Data, mode: str) -> str:
    way, ranks = ("Up", data["by"]) if data["by"] > 0 else ("Down", -data["by"])
    return f"{way} {ranks:,} rank{'' if ranks == 1 else 's'} since yesterday in {mode}: {ordinal(data['rank'])}"


def _achievement(data: Data, mode: str) -> str:
    kind = BY_KEY[data["feat"]]
    words = kind.words_for(by_place=data.get("by_place", False))
    return f"{kind.name} in {mode}: {words[0].lower()}{words[1:]}"


def _lockout(data: Data, mode: str) -> str:
    return "Your lockout is over: you can queue again"


def _ban(data: Data, mode: str) -> str:
    how = f"was lifted: {_plain(data['reason'])}" if data["reason"] else "is over"
    return f"Your ban from {data['scope']} {how}"


def _pardon(data: Data, mode: str) -> str:
    what = "An incident of yours was" if data["incidents"] == 1 else f"{data['incidents']:,} incidents of yours were"
    return f"{what} pardoned: {_plain(data['reason'])}"


def _appeal(data: Data, mode: str) -> str:
    stays = "" if data["granted"] else f", and the {data['against']} stays"
    return f"Your appeal was {'granted' if data['granted'] else 'turned down'}{stays}: {_plain(data['answer'])}"


def _unpardon(data: Data, mode: str) -> str:
    what = "The pardon of an incident" if data["incidents"] == 1 else f"The pardons of {data['incidents']:,} incidents"
    return f"{what} of yours {'was' if data['incidents'] == 1 else 'were'} taken back: {_plain(data['reason'])}"


def _ban_act(data: Data, mode: str) -> str:
    return f"Your ban from {data['scope']} was {data['act']}: {_plain(data['reason'])}"


def _reopened(data: Data, mode: str) -> str:
    return f"Your appeal is being looked at again: {_plain(data['reason'])}"


def _hidden(data: Data, mode: str) -> str:
    return f"A moderator took you off the boards: {_plain(data['reason'])}"


def _shown(data: Data, mode: str) -> str:
    return f"You are back on the boards: {_plain(data['reason'])}"


def _struck(data: Data, mode: str) -> str:
    return f"A moderator struck you from {data['season']} of {data['mode']}: {_plain(data['reason'])}"


def _unstruck(data: Data, mode: str) -> str:
    return f"You count in {data['season']} of {data['mode']} again: {_plain(data['reason'])}"


def _plain(text: str) -> str:
    """A moderator's text without its full stop, for the end of a sentence."""
    return text.rstrip(". ")


WORDS: dict[str, Callable[[Data, str], str]] = {
    TIER: _tier, TOP: _top, RANK: _rank, ACHIEVEMENT: _achievement,
    LOCKOUT: _lockout, BAN: _ban, PARDON: _pardon, APPEAL: _appeal, UNPARDON: _unpardon, BAN_ACT: _ban_act,
    REOPENED: _reopened, HIDDEN: _hidden, SHOWN: _shown, STRUCK: _struck, UNSTRUCK: _unstruck,
}  # fmt: skip


def words_of(kind: str, data: Data, mode: str) -> str:
    """The sentence of a notice, without a full stop. Raises KeyError for an unknown kind."""
    return WORDS[kind](data, mode)


def _ends_within(time: str) -> Callable[[Data, str], str]:
    return lambda data, mode: (
        f"{data['season']} of {mode} ends within {time}: on {data['ends_at']:%-d %b %Y, %H:%M} UTC"
    )


def _over(data: Data, mode: str) -> str:
    words = f"{data['season']} of {mode} is over"
    if "rank" not in data:
        return words
    tier = f", {data['tier']}" if data["tier"] else ""
    return f"{words}: you ended {ordinal(data['rank'])} of {data['listed']:,}{tier}"


def _begun(data: Data, mode: str) -> str:
    return f"{data['following']} of {mode} has begun"


ANNOUNCEMENTS: dict[str, Callable[[Data, str], str]] = {
    "week": _ends_within("7 days"),
    "day": _ends_within("a day"),
    "over": _over,
    "begun": _begun,
}


def announcement_words(kind: str, data: Data, mode: str) -> str:
    """The sentence of an announcement, without a full stop. Raises KeyError for an unknown kind."""
    return ANNOUNCEMENTS[kind](data, mode)
