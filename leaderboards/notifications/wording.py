"""The sentences of notices and announcements, in the language of their reader.

Pure: made from their kind and data, and the name of their mode. Rows of earlier versions hold the words of a ban's
scope, of an act and of a tier; these are read like the codes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from leaderboards.display.numbers import place_text, ranked_words
from leaderboards.display.spans import minutes
from leaderboards.rules.achievements import BY_KEY
from ranking.wording.names import stored_name_text, stored_season_text
from ranking.wording.tiers import tier_text
from ranking.wording.translation import gettext, gettext_noop, language, ngettext, number_text, ordinal_text, pgettext

TIER, TOP, RANK, ACHIEVEMENT = "tier", "top", "rank", "achievement"
LOCKED, LOCKOUT, BAN, PARDON, APPEAL = "locked", "lockout", "ban", "pardon", "appeal"
UNPARDON, BAN_ACT, REOPENED, HIDDEN, SHOWN = "unpardon", "ban act", "reopened", "hidden", "shown"
STRUCK, UNSTRUCK = "struck", "unstruck"
WARNED, UNWARNED, REVIEWED, BANNED = "warned", "unwarned", "reviewed", "banned"
RENAMED, UNLOCKED = "renamed", "unlocked"
CONDUCT = (
    LOCKED, LOCKOUT, BAN, PARDON, APPEAL, UNPARDON, BAN_ACT, REOPENED, HIDDEN, SHOWN, STRUCK, UNSTRUCK, WARNED,
    UNWARNED, REVIEWED, BANNED, RENAMED, UNLOCKED,
)  # fmt: skip

# What players may turn off: the name of each topic, and the kinds of notices in it.
TOPICS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "tiers": (gettext_noop("New tiers and top shares"), (TIER, TOP)),
    "ranks": (gettext_noop("Moves up and down the board"), (RANK,)),
    "achievements": (gettext_noop("Achievements"), (ACHIEVEMENT,)),
}

Data = Mapping[str, Any]
_SCOPES = {"queues": "queue", "queues and boards": "both"}
_ACTS = {"extended": "extend", "shortened": "shorten", "put in force again": "resume"}


def _tier(data: Data, mode: str) -> str:
    return gettext("You reached %(tier)s in %(mode)s") % {"tier": _tier_reached(data), "mode": mode}


def _tier_reached(data: Data) -> str:
    name = data.get("names", {}).get(language())
    return f"{name} {data['division'] or ''}".rstrip() if name else _tier_words(data["tier"])


def _tier_words(label: str) -> str:
    """The label of a tier inside a sentence: Gold II, in the reader's language; a studio's names stay."""
    name, _, rest = label.partition(" ")
    if name == "tier":
        return gettext("tier %(number)s") % {"number": rest}
    return tier_text(label)


def _top(data: Data, mode: str) -> str:
    return gettext("You entered the top %(percent)s %% of %(mode)s") % {"percent": data["percent"], "mode": mode}


def _rank(data: Data, mode: str) -> str:
    ranks = abs(data["by"])
    if data["by"] > 0:
        words = ngettext(
            "Up %(ranks)s rank since yesterday in %(mode)s, now rank %(rank)s",
            "Up %(ranks)s ranks since yesterday in %(mode)s, now rank %(rank)s",
            ranks,
        )
    else:
        words = ngettext(
            "Down %(ranks)s rank since yesterday in %(mode)s, now rank %(rank)s",
            "Down %(ranks)s ranks since yesterday in %(mode)s, now rank %(rank)s",
            ranks,
        )
    return words % {"ranks": number_text(ranks), "mode": mode, "rank": number_text(data["rank"])}


def _achievement(data: Data, mode: str) -> str:
    kind = BY_KEY[data["feat"]]
    words = kind.words_for(by_place=data.get("by_place", False))
    if pgettext("first letter of an achievement's description after its name: small or as it is", "small") == "small":
        words = f"{words[0].lower()}{words[1:]}"
    return gettext("%(name)s in %(mode)s: %(words)s") % {"name": gettext(kind.name), "mode": mode, "words": words}


def _locked(data: Data, mode: str) -> str:
    sentences = {
        "leave": gettext("You left a match: locked out for %(time)s"),
        "dropout": gettext("You dropped out of a lobby: locked out for %(time)s"),
        "missed": gettext("You missed an accept: locked out for %(time)s"),
    }
    return sentences[data["kind"]] % {"time": minutes(data["minutes"])}


def _lockout(data: Data, mode: str) -> str:
    return gettext("Your lockout is over: you can queue again")


def _banned(data: Data, mode: str) -> str:
    sentences = {
        "queue": gettext("You are banned from queues: %(why)s"),
        "boards": gettext("You are banned from boards: %(why)s"),
        "both": gettext("You are banned from queues and boards: %(why)s"),
    }
    return sentences[data["scope"]] % {"why": _plain(data["reason"])}


def _ban(data: Data, mode: str) -> str:
    scope, lifted = _scope_of(data), bool(data["reason"])
    sentences = {
        ("queue", False): gettext("Your ban from queues is over"),
        ("queue", True): gettext("Your ban from queues was lifted: %(why)s"),
        ("boards", False): gettext("Your ban from boards is over"),
        ("boards", True): gettext("Your ban from boards was lifted: %(why)s"),
        ("both", False): gettext("Your ban from queues and boards is over"),
        ("both", True): gettext("Your ban from queues and boards was lifted: %(why)s"),
    }
    return sentences[scope, lifted] % {"why": _plain(data["reason"])}


def _scope_of(data: Data) -> str:
    scope: str = data["scope"]
    return _SCOPES.get(scope, scope)


def _pardon(data: Data, mode: str) -> str:
    words = ngettext(
        "%(number)s incident of yours was pardoned: %(why)s",
        "%(number)s incidents of yours were pardoned: %(why)s",
        data["incidents"],
    )
    if data["incidents"] == 1:
        words = gettext("An incident of yours was pardoned: %(why)s")
    return words % {"number": number_text(data["incidents"]), "why": _plain(data["reason"])}


def _appeal(data: Data, mode: str) -> str:
    words = gettext("Your appeal was granted: %(why)s")
    if not data["granted"] and data["against"] == "ban":
        words = gettext("Your appeal was turned down, and the ban stays: %(why)s")
    elif not data["granted"]:
        words = gettext("Your appeal was turned down, and the lockout stays: %(why)s")
    return words % {"why": _plain(data["answer"])}


def _unpardon(data: Data, mode: str) -> str:
    words = ngettext(
        "The pardon of %(number)s incident of yours was taken back: %(why)s",
        "The pardons of %(number)s incidents of yours were taken back: %(why)s",
        data["incidents"],
    )
    if data["incidents"] == 1:
        words = gettext("The pardon of an incident of yours was taken back: %(why)s")
    return words % {"number": number_text(data["incidents"]), "why": _plain(data["reason"])}


def _ban_act(data: Data, mode: str) -> str:
    act: str = data["act"]
    sentences = {
        ("queue", "extend"): gettext("Your ban from queues was extended: %(why)s"),
        ("queue", "shorten"): gettext("Your ban from queues was shortened: %(why)s"),
        ("queue", "resume"): gettext("Your ban from queues was put in force again: %(why)s"),
        ("boards", "extend"): gettext("Your ban from boards was extended: %(why)s"),
        ("boards", "shorten"): gettext("Your ban from boards was shortened: %(why)s"),
        ("boards", "resume"): gettext("Your ban from boards was put in force again: %(why)s"),
        ("both", "extend"): gettext("Your ban from queues and boards was extended: %(why)s"),
        ("both", "shorten"): gettext("Your ban from queues and boards was shortened: %(why)s"),
        ("both", "resume"): gettext("Your ban from queues and boards was put in force again: %(why)s"),
    }
    return sentences[_scope_of(data), _ACTS.get(act, act)] % {"why": _plain(data["reason"])}


def _reopened(data: Data, mode: str) -> str:
    return gettext("Your appeal is being looked at again: %(why)s") % {"why": _plain(data["reason"])}


def _hidden(data: Data, mode: str) -> str:
    return gettext("A moderator took you off the boards: %(why)s") % {"why": _plain(data["reason"])}


def _shown(data: Data, mode: str) -> str:
    return gettext("You are back on the boards: %(why)s") % {"why": _plain(data["reason"])}


def _struck(data: Data, mode: str) -> str:
    return gettext("A moderator struck you from %(season)s of %(mode)s: %(why)s") % _season_values(data)


def _unstruck(data: Data, mode: str) -> str:
    return gettext("You count in %(season)s of %(mode)s again: %(why)s") % _season_values(data)


def _season_values(data: Data) -> dict[str, str]:
    season = stored_season_text(data["season"], data.get("number", 0))  # earlier versions kept no number
    return {"season": season, "mode": stored_name_text(data["mode"]), "why": _plain(data["reason"])}


def _warned(data: Data, mode: str) -> str:
    return gettext("A moderator warned you: %(why)s") % {"why": _plain(data["reason"])}


def _unwarned(data: Data, mode: str) -> str:
    return gettext("A warning was withdrawn: %(why)s") % {"why": _plain(data["reason"])}


def _reviewed(data: Data, mode: str) -> str:
    return gettext("Moderators have looked into what you reported. Thank you")


def _renamed(data: Data, mode: str) -> str:
    words = gettext("A moderator gave you the name %(name)s: %(why)s")
    return words % {"name": data["name"], "why": _plain(data["reason"])}


def _unlocked(data: Data, mode: str) -> str:
    words = gettext("You can change your name again: %(why)s")
    if data["undone"]:
        words = gettext("Your name is %(name)s again: %(why)s")
    return words % {"name": data["former_name"], "why": _plain(data["reason"])}


def _plain(text: str) -> str:
    """A moderator's text without its full stop, for the end of a sentence."""
    return text.rstrip(". ")


WORDS: dict[str, Callable[[Data, str], str]] = {
    TIER: _tier, TOP: _top, RANK: _rank, ACHIEVEMENT: _achievement,
    LOCKED: _locked, LOCKOUT: _lockout, BAN: _ban, PARDON: _pardon, APPEAL: _appeal, UNPARDON: _unpardon,
    BAN_ACT: _ban_act, REOPENED: _reopened, HIDDEN: _hidden, SHOWN: _shown, STRUCK: _struck, UNSTRUCK: _unstruck,
    WARNED: _warned, UNWARNED: _unwarned, REVIEWED: _reviewed, BANNED: _banned,
    RENAMED: _renamed, UNLOCKED: _unlocked,
}  # fmt: skip


def words_of(kind: str, data: Data, mode: str) -> str:
    """The sentence of a notice, without a full stop. Raises KeyError for an unknown kind."""
    return WORDS[kind](data, mode)


def _week(data: Data, mode: str) -> str:
    return gettext("%(season)s of %(mode)s ends within 7 days") % {"season": data["season"], "mode": mode}


def _day(data: Data, mode: str) -> str:
    return gettext("%(season)s of %(mode)s ends within a day") % {"season": data["season"], "mode": mode}


def _over(data: Data, mode: str) -> str:
    words = _end(data, mode)
    if not data["following"]:
        return words
    return gettext("%(end)s. %(season)s has begun") % {"end": words, "season": data["following"]}


def _end(data: Data, mode: str) -> str:
    values = {"season": data["season"], "mode": mode}
    if "rank" not in data:
        return gettext("%(season)s of %(mode)s is over") % values
    won = data["rank"] == 1
    values |= {"rank": ordinal_text(data["rank"]), "listed": number_text(data["listed"])}
    if not data["tier"]:
        words = gettext("%(season)s of %(mode)s is over: you ended %(rank)s of %(listed)s")
        if won:
            words = gettext("You are the champion of %(mode)s, %(season)s: you ended %(rank)s of %(listed)s")
        return words % values
    words = gettext("%(season)s of %(mode)s is over: you ended %(rank)s of %(listed)s, %(tier)s")
    if won:
        words = gettext("You are the champion of %(mode)s, %(season)s: you ended %(rank)s of %(listed)s, %(tier)s")
    return words % {**values, "tier": _tier_words(data["tier"])}


ANNOUNCEMENTS: dict[str, Callable[[Data, str], str]] = {"week": _week, "day": _day, "over": _over}


def announcement_words(kind: str, data: Data, mode: str) -> str:
    """The sentence of an announcement, without a full stop. Raises KeyError for an unknown kind."""
    return ANNOUNCEMENTS[kind](data, mode)


def part_words(data: Data, mode: str) -> str:
    """What a line among those of several modes says: the season, and where the player ended it if it is over."""
    if data.get("rank") == 1:
        return _end(data, mode)
    values = {"mode": mode, "season": data["season"]}
    if "rank" not in data:
        return gettext("%(mode)s, %(season)s") % values
    if data["tier"]:
        place = ranked_words(data["rank"], data["listed"], _tier_words(data["tier"]))
    else:
        place = place_text(data["rank"], data["listed"])
    return gettext("%(mode)s, %(season)s: %(place)s") % {**values, "place": place}


def event_words(kind: str, number: int) -> str:
    """The sentence over the announcements of several modes whose seasons end at one moment, without a full stop."""
    words = {
        "week": gettext("%(number)s seasons end within 7 days"),
        "day": gettext("%(number)s seasons end within a day"),
        "over": gettext("%(number)s seasons are over, and the next ones have begun"),
    }
    return words[kind] % {"number": number_text(number)}
