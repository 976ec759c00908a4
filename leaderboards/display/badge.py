"""A badge to put elsewhere: two plates, the mode and how somebody stands in it. Pure.

Nobody knows the letters of the page it will stand on, so widths are estimated, and the drawing tells the browser
to make the words as long as that (`textLength`).
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from leaderboards.display.player_card import Card

_NARROW, _WIDE = frozenset("iIjl.,:;'|!()[]tfr 1·"), frozenset("mwMWQO@%&")
_PAD = 9


@dataclass(frozen=True, slots=True)
class Plate:
    """Words from `x` on, so long, in the middle of a plate so wide."""

    text: str
    left: int
    width: int

    @property
    def words(self) -> int:
        return self.width - 2 * _PAD

    @property
    def middle(self) -> float:
        return self.left + self.width / 2


@dataclass(frozen=True, slots=True)
class Badge:
    label: Plate
    value: Plate
    tier_colour: str

    @property
    def width(self) -> int:
        return self.label.width + self.value.width

    @property
    def words(self) -> str:
        return f"{self.label.text}: {self.value.text}"


def make_badge(card: Card) -> Badge:
    """“Duel | Gold II · #17 · 1,021”; why there is no rank where there is none."""
    value = " · ".join(text for text in (card.tier, card.rank, card.rating) if text) or card.absence or "unranked"
    label = Plate(card.mode, 0, _width(card.mode))
    return Badge(label, Plate(value, label.width, _width(value)), card.tier_colour)


def _width(text: str) -> int:
    """About how wide a plate is whose words are set in 11 px Verdana or its like."""
    return 2 * _PAD + round(sum(_letter(letter) for letter in text))


def _letter(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 11.5
    return 4.0 if letter in _NARROW else 9.5 if letter in _WIDE else 7.2 if letter.isupper() else 6.6
