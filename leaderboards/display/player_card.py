"""Draws a player's card as a picture for link previews: 1200 × 630 pixels, the size for Open Graph.

Texts use the site's own font. Shapes are drawn at twice the size and halved, which smooths them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from ranking.wording.translation import gettext, language

WIDTH, HEIGHT = 1200, 630
EDGE, TWICE = 72, 2
MEDAL = 46  # the radius of a medal

# The dark colours of static/css/tokens.css.
PAPER, SURFACE, INK, MUTED, ACCENT = "#0d1015", "#161a21", "#eceff4", "#9aa3b1", "#a3a6ff"
TIERS = {
    "bronze": "#dd9f68", "silver": "#b7c0ce", "gold": "#e8c14b",
    "platinum": "#62d6c8", "diamond": "#79d2ff", "master": "#ff8fbe",
}  # fmt: skip

MEDALS = {1: "#e3b53a", 2: "#a5aebc", 3: "#c98550"}

one_at_a_time = threading.Lock()  # fonts aren't safe for several threads


@dataclass(frozen=True, slots=True)
class Card:
    """The texts of a card, without empty ones. `curve`: ratings, oldest first; `absence`: why there is no rank.

    `language`: what the texts are in; pictures of two languages are never taken for each other.

    `medal`: the best rank of an archived season, if it won a medal, else 0; `medal_words`: its season in words.
    """

    name: str
    mode: str
    rank: str = ""
    listed: str = ""
    rating: str = ""
    top: str = ""
    tier: str = ""
    tier_colour: str = ""
    absence: str = ""
    curve: tuple[int, ...] = ()
    medal: int = 0
    medal_words: str = ""
    language: str = field(default_factory=language)


@lru_cache(maxsize=256)
def draw_card(card: Card, font_path: str) -> bytes:
    """The card as PNG, about 20 kB; the process caches it."""
    with one_at_a_time:
        picture = _shapes(card)
        CardWriter(picture, font_path).write(card)
        stored = BytesIO()
        picture.quantize(128, dither=Image.Dither.NONE).save(stored, "PNG", optimize=True)
        return stored.getvalue()


def _shapes(card: Card) -> Image.Image:
    picture = Image.new("RGB", (WIDTH * TWICE, HEIGHT * TWICE), PAPER)
    pen = ImageDraw.Draw(picture)
    draw_ladder(pen, EDGE, EDGE, 38)
    if len(card.curve) > 1:
        points = _points(card.curve)
        right, floor = WIDTH * TWICE, HEIGHT * TWICE
        pen.polygon([(0, floor), *points, (right, points[-1][1]), (right, floor)], fill=SURFACE)
        pen.line(points, fill=ACCENT, width=5 * TWICE, joint="curve")
        x, y = points[-1]
        radius = 10 * TWICE
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=ACCENT)
    if card.medal:
        _medal(pen, MEDALS[card.medal])
    return picture.reduce(TWICE)


def _medal_at() -> tuple[int, int]:
    """The middle of the medal, at the right of the name."""
    return WIDTH - EDGE - 3 * MEDAL // 2, 214


def _medal(pen: ImageDraw.ImageDraw, colour: str) -> None:
    """Draw a round medal without its number, and the two ends of its ribbon above."""
    x, y = (TWICE * each for each in _medal_at())
    radius = TWICE * MEDAL
    for side in (-1, 1):
        outer, inner = x + side * radius * 0.95, x + side * radius * 0.25
        high, low = y - radius * 1.6, y - radius * 0.6
        pen.polygon([(outer, high), (inner, high), (x - side * 8, low), (outer - side * 30, low)], fill=ACCENT)
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)


def draw_ladder(pen: ImageDraw.ImageDraw, x: int, y: int, size: int) -> None:
    """Draw the site's logo: two rails that lean towards each other, with three rungs between them."""

    def line(*points: tuple[float, float], colour: str) -> None:
        scaled = [((x + a * size / 24) * TWICE, (y + b * size / 24) * TWICE) for a, b in points]
        width = round(2.6 * size / 24 * TWICE)
        pen.line(scaled, fill=colour, width=width)
        for a, b in scaled:
            pen.ellipse((a - width / 2, b - width / 2, a + width / 2, b + width / 2), fill=colour)

    line((7, 2), (4, 22), colour=INK)
    line((17, 2), (20, 22), colour=INK)
    for left, right, height in ((6.4, 17.6, 6.5), (5.7, 18.3, 11.5), (5, 19, 16.5)):
        line((left, height), (right, height), colour=ACCENT)


def _points(curve: Sequence[int]) -> list[tuple[float, float]]:
    """The curve across the lower part of the picture, ending a little before its edge."""
    low, high = min(curve), max(curve)
    span, bottom, room = (high - low) or 1, HEIGHT - 40, 120
    step = (WIDTH - EDGE) / (len(curve) - 1)
    return [(index * step * TWICE, (bottom - (value - low) / span * room) * TWICE) for index, value in enumerate(curve)]


class CardWriter:
    """Writes a card's words on its picture."""

    def __init__(self, picture: Image.Image, font_path: str) -> None:
        self.pen, self.path = ImageDraw.Draw(picture), font_path

    def font(self, size: int, weight: int = 600, width: int = 100) -> ImageFont.FreeTypeFont:
        font = ImageFont.truetype(self.path, size)
        font.set_variation_by_axes([weight, width])
        return font

    def write(self, card: Card) -> None:
        self.pen.text((EDGE + 52, EDGE - 4), "Rungs", INK, self.font(38, 850, 116))
        headline = card.mode
        if self.can_write(card.name):
            headline, (mode, font) = card.name, self.fitted(card.mode, 34, 34, 700, 600, 100)
            self.pen.text((WIDTH - EDGE, EDGE), mode, MUTED, font, anchor="ra")
        room = 4 * MEDAL if card.medal else 0
        name, font = self.fitted(headline, 104, 56, WIDTH - 2 * EDGE - room, 850, 118)
        self.pen.text((EDGE - 4, 250), name, INK, font, anchor="ls")
        if card.medal:
            x, y = _medal_at()
            self.pen.text((x, y), str(card.medal), PAPER, self.font(58, 850, 108), anchor="mm")
            words, font = self.fitted(card.medal_words, 26, 26, 3 * MEDAL, 600, 100)
            self.pen.text((x, y + MEDAL + 36), words, MUTED, font, anchor="ms")
        if card.absence:
            self.pen.text((EDGE, 352), card.absence, MUTED, self.font(44, 650), anchor="ls")
            return
        x = EDGE
        for label, value, colour in self.facts(card):
            self.pen.text((x, 322), label, MUTED, self.font(26, 600), anchor="ls")
            font = self.font(64, 800, 108)
            self.pen.text((x - 2, 392), value, colour, font, anchor="ls")
            x += round(max(font.getlength(value), self.font(26, 600).getlength(label))) + 64

    def facts(self, card: Card) -> list[tuple[str, str, str]]:
        """The label, value and colour of each fact, from the left; as many as fit."""
        facts = [
            (gettext("Rank of %(listed)s") % {"listed": card.listed}, card.rank, ACCENT),
            (gettext("Rating"), card.rating, INK),
            (gettext("Tier"), card.tier, TIERS.get(card.tier_colour, INK)),
            (gettext("Top share"), card.top, INK),
        ]
        shown = [fact for fact in facts if fact[1]]
        font = self.font(64, 800, 108)
        while sum(font.getlength(value) + 64 for _, value, _ in shown) > WIDTH - 2 * EDGE + 64:
            shown.pop()
        return shown

    def fitted(
        self, text: str, largest: int, least: int, room: int, weight: int, width: int
    ) -> tuple[str, ImageFont.FreeTypeFont]:
        """The text in the largest size that fits; if even the least size doesn't fit, the text is shortened."""
        for size in range(largest, least - 1, -8):
            font = self.font(size, weight, width)
            if font.getlength(text) <= room:
                return text, font
        while text and font.getlength(text + "…") > room:
            text = text[:-1].rstrip()
        return text + "…", font

    def can_write(self, text: str) -> bool:
        """True if the font has every letter; otherwise the name appears only in the text beside the picture."""
        font = self.font(24)
        missing = bytes(font.getmask("\uffff"))
        return all(bytes(font.getmask(letter)) != missing for letter in set(text))
