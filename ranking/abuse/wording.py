"""Writes the sentence about a case of abuse, and its scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any


def sentence_of(kind: str, names: Sequence[str], evidence: Mapping[str, object]) -> str:
    """The sentence about a case; `names`: those of its players, first the one who gains by it."""
    return _SENTENCES[kind](names, evidence)


def number_text(value: float | None) -> str:
    """A score as a text; a dash if it is unknown."""
    return "–" if value is None else f"{value:g}".replace("-", "−")


def scores_text(evidence: Mapping[str, Any]) -> str:
    """The scores of a case's matches in the order of history, each with the own score first; equal ones are counted.

    Nothing for a finding of an earlier version, which has no scores.
    """
    texts = (" : ".join(number_text(score) for score in scores) for scores in evidence.get("scores", ()))
    runs = ((text, len(list(run))) for text, run in groupby(texts))
    return ", ".join(text if count == 1 else f"{text} ({count} times)" for text, count in runs)


def _boosting(names: Sequence[str], facts: Mapping[str, Any]) -> str:
    boosted, booster = names
    share = f"{100 * facts['share']:.0f} % of all that {boosted} gained"
    if facts["by"] == "leaver":
        return (
            f"{booster} left fast in {facts['fled']} of {facts['count']} matches with {boosted}: {share} came of these."
        )
    return (
        f"{boosted} won {facts['won']} of {facts['count']} matches against {booster}, {facts['lopsided']} lopsidedly or"
        f" by their leaving: {share}."
    )


def _trading(names: Sequence[str], facts: Mapping[str, Any]) -> str:
    if "again" not in facts:  # a finding of an earlier version
        return (
            f"Of {facts['count']} matches against each other {names[0]} won {facts['wins'][0]} and {names[1]}"
            f" {facts['wins'][1]}; {facts['lopsided']} were lopsided, and the winner changed {facts['turns']} times."
        )
    return (
        f"Within {_span(facts)} {names[0]} won {facts['wins'][0]} and {names[1]} {facts['wins'][1]} of {facts['count']}"
        f" matches against each other, {facts['lopsided'][0]} and {facts['lopsided'][1]} of them lopsidedly or by the"
        f" other’s leaving (usual: {facts['usual_lopsided']:.0f} in all); they met again at once {facts['again']} times"
        f" (usual: {facts['usual_again']:.0f})."
    )


def _span(facts: Mapping[str, Any]) -> str:
    """The time from the first of the matches to the last, in words."""
    minutes = (facts["until"] - facts["since"]) / 60
    for unit, length in (("days", 1_440), ("hours", 60)):
        if minutes >= 2 * length:
            return f"{minutes / length:.0f} {unit}"
    return f"{minutes:.0f} minutes"


def _delevelling(names: Sequence[str], facts: Mapping[str, object]) -> str:
    manners = {"negative": "with a strongly negative score", "fled": "by leaving fast"}
    how = ", ".join(f"{facts[key]} {words}" for key, words in manners.items() if facts[key])
    return (
        f"{names[0]} lost {facts['lost']} of {facts['count']} matches in a row, where {facts['expected']:g} were to be"
        f" expected{f': {how}' if how else ''}; {facts['thrown']} look thrown."
    )


def _newcomer(names: Sequence[str], facts: Mapping[str, object]) -> str:
    by_far = f"; {facts['dominated']} of them by a wide margin" if facts["dominated"] else ""
    return (
        f"{names[0]} won {facts['won']} of {facts['count']} of their first matches, where a newcomer wins"
        f" {facts['expected']:g}{by_far}."
    )


def _smurfing(names: Sequence[str], facts: Mapping[str, object]) -> str:
    return f"{_newcomer(names, facts)} An older account played on the same device."


def _sharing(names: Sequence[str], facts: Mapping[str, object]) -> str:
    if facts["by"] == "device":
        return f"{names[0]} played {facts['borrowed']} of {facts['count']} matches on a device that is {names[1]}’s."
    return (
        f"{names[0]} changed between {facts['devices']} devices {facts['hops']} times within minutes, in"
        f" {facts['count']} matches."
    )


def _unreported(names: Sequence[str], facts: Mapping[str, object]) -> str:
    return (
        f"{names[0]} was behind in {facts['count']} of {facts['played']} successive matches when the server fell"
        f" silent; no results ever came (usual: {facts['usual']:g})."
    )


_SENTENCES = {
    "boosting": _boosting,
    "trading": _trading,
    "delevelling": _delevelling,
    "smurfing": _smurfing,
    "newcomer": _newcomer,
    "sharing": _sharing,
    "unreported": _unreported,
}
