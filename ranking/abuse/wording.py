"""A case in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def sentence_of(kind: str, names: Sequence[str], evidence: Mapping[str, Any]) -> str:
    """What was seen; `names` of the players, first who gains by it."""
    return _SENTENCES[kind](names, evidence)


def _boosting(names: Sequence[str], said: Mapping[str, Any]) -> str:
    boosted, booster = names
    share = f"{100 * said['share']:.0f} % of all that {boosted} gained"
    if said["by"] == "leaver":
        return (
            f"{booster} left fast in {said['fled']} of {said['count']} matches with {boosted}: {share} came of these."
        )
    return (
        f"{boosted} won {said['won']} of {said['count']} matches against {booster}, {said['lopsided']} lopsidedly or by"
        f" their leaving: {share}."
    )


def _trading(names: Sequence[str], said: Mapping[str, Any]) -> str:
    return (
        f"Of {said['count']} matches against each other {names[0]} won {said['wins'][0]} and {names[1]}"
        f" {said['wins'][1]}; {said['lopsided']} were lopsided, and the winner changed {said['turns']} times."
    )


def _delevelling(names: Sequence[str], said: Mapping[str, Any]) -> str:
    manners = {"negative": "with a strongly negative score", "fled": "by leaving fast"}
    how = ", ".join(f"{said[key]} {words}" for key, words in manners.items() if said[key])
    return (
        f"{names[0]} lost {said['lost']} of {said['count']} matches in a row, where {said['expected']:g} were to be"
        f" expected{f': {how}' if how else ''}; {said['thrown']} look thrown."
    )


def _smurfing(names: Sequence[str], said: Mapping[str, Any]) -> str:
    return (
        f"{names[0]} won {said['won']} of {said['count']} of their first matches, where a newcomer wins"
        f" {said['expected']:g}; {said['dominated']} of them by far."
    )


def _sharing(names: Sequence[str], said: Mapping[str, Any]) -> str:
    if said["by"] == "device":
        return f"{names[0]} played {said['borrowed']} of {said['count']} matches on a device that is {names[1]}’s."
    return (
        f"{names[0]} changed between {said['devices']} devices {said['hops']} times within minutes, in"
        f" {said['count']} matches."
    )


_SENTENCES = {
    "boosting": _boosting,
    "trading": _trading,
    "delevelling": _delevelling,
    "smurfing": _smurfing,
    "sharing": _sharing,
}
