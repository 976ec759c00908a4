"""Words of a match's outcome, and of other changes of a rating, by their codes."""

from __future__ import annotations

from collections.abc import Callable

from ranking.wording.translation import gettext, pgettext

_WORDS: dict[str, Callable[[], str]] = {
    "win": lambda: pgettext("outcome", "Won"),
    "draw": lambda: pgettext("outcome", "Drew"),
    "loss": lambda: pgettext("outcome", "Lost"),
    "left": lambda: pgettext("outcome", "Left"),
    "forfeit": lambda: pgettext("outcome", "Forfeit"),
    "reset": lambda: pgettext("outcome", "Reset"),
    "seed": lambda: pgettext("outcome", "Brought along"),
    "void": lambda: pgettext("match", "Void"),
}
_LETTERS: dict[str, Callable[[], str]] = {
    "win": lambda: pgettext("letter for a win", "W"),
    "draw": lambda: pgettext("letter for a draw", "D"),
    "loss": lambda: pgettext("letter for a loss", "L"),
}


def outcome_word(outcome: str) -> str:
    """Won, Drew, Lost, Left; Forfeit, Reset, Brought along; Void."""
    return _WORDS[outcome]()


def outcome_letter(outcome: str) -> str:
    """W, D, L; a cross for a match that the player left."""
    return _LETTERS[outcome]() if outcome in _LETTERS else "×"


def outcome_title(outcome: str) -> str:
    """The outcome of a mark in somebody's form, for those who can't see its colour."""
    titles = {
        "win": gettext("win"),
        "draw": gettext("draw"),
        "loss": gettext("loss"),
        "left": gettext("left"),
    }
    return titles.get(outcome, outcome)
