"""Lays out a player's badge for other sites: one plate with the mode, one with the player's standing in it.

The font of the other page is unknown, so the width of words is estimated, and the SVG makes the browser fit the words
to it (`textLength`).
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from leaderboards.display.numbers import ordinal
from leaderboards.display.player_card import MEDALS, Card

_NARROW, _WIDE = frozenset("iIjl.,:;'|!()[]tfr 1·"), frozenset("mwMWQO@%&")
_PAD = 9
_MEDAL = 19  # the width that a medal takes


@dataclass(frozen=True, slots=True)
class Plate:
    """A plate of this width, with the text in its middle; `words`: the text's width; `room`: kept free before it."""

    text: str
    left: int
    width: int
    room: int = 0

    @property
    def words(self) -> int:
        return self.width - 2 * _PAD - self.room

    @property
    def middle(self) -> float:
        return self.left + (self.width + self.room) / 2


@dataclass(frozen=True, slots=True)
class Badge:
    label: Plate
    value: Plate
    tier_colour: str
    medal: int = 0
    medal_words: str = ""

    @property
    def width(self) -> int:
        return self.label.width + self.value.width

    @property
    def words(self) -> str:
        medal = f" · {ordinal(self.medal)} in {self.medal_words}" if self.medal else ""
        return f"{self.label.text}: {self.value.text}{medal}"

    @property
    def medal_colour(self) -> str:
        return MEDALS[self.medal]

    @property
    def medal_at(self) -> int:
        """The middle of the medal."""
        return self.value.left + _PAD + 6


def make_badge(card: Card) -> Badge:
    """The badge, such as “Duel | Gold II · #17 · 1,021”, with the best medal; without a rank it gives the reason."""
    value = " · ".join(text for text in (card.tier, card.rank, card.rating) if text) or card.absence or "unranked"
    label = Plate(card.mode, 0, _width(card.mode))
    room = _MEDAL if card.medal else 0
    plate = Plate(value, label.width, _width(value) + room, room)
    return Badge(label, plate, card.tier_colour, card.medal, card.medal_words)


def _width(text: str) -> int:
    """The estimated width of a plate with this text in 11 px Verdana or a similar font."""
    return 2 * _PAD + round(sum(_letter(letter) for letter in text))


def _letter(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 11.5
    return 4.0 if letter in _NARROW else 9.5 if letter in _WIDE else 7.2 if letter.isupper() else 6.6
