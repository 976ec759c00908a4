"""Draws the picture of a match for sharing, 1200 × 630 pixels: the result, and who played."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageDraw

from leaderboards.display.player_card import (
    ACCENT,
    EDGE,
    HEIGHT,
    INK,
    MUTED,
    PAPER,
    SURFACE,
    TWICE,
    WIDTH,
    CardWriter,
    draw_ladder,
    one_at_a_time,
)

NAMES = 6  # of a team
PLACES = 6  # of teams, if there are more than two
_TOP = 190


@dataclass(frozen=True, slots=True)
class CardTeam:
    """A team; `score` may be empty, `word` is "Won" or a place. `players`: the best first, NAMES at most."""

    name: str
    score: str
    word: str
    first: bool
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchCard:
    """The texts of a picture; `about`: the mode, the map and the day. `teams`: in the order of the page."""

    headline: str
    about: str
    teams: tuple[CardTeam, ...]


@lru_cache(maxsize=256)
def draw_match_card(card: MatchCard, font_path: str) -> bytes:
    """The picture as PNG, about 20 kB; the process caches it."""
    with one_at_a_time:
        picture = Image.new("RGB", (WIDTH * TWICE, HEIGHT * TWICE), PAPER)
        pen = ImageDraw.Draw(picture)
        draw_ladder(pen, EDGE, EDGE, 38)
        pen.rounded_rectangle(
            (EDGE * TWICE, _TOP * TWICE, (WIDTH - EDGE) * TWICE, (HEIGHT - 48) * TWICE), 24 * TWICE, fill=SURFACE
        )
        picture = picture.reduce(TWICE)
        writer = CardWriter(picture, font_path)
        writer.pen.text((EDGE + 52, EDGE - 4), "Rungs", INK, writer.font(38, 850, 116))
        about, font = writer.fitted(card.about, 30, 22, 760, 600, 100)
        writer.pen.text((WIDTH - EDGE, EDGE + 4), about, MUTED, font, anchor="ra")
        headline, font = writer.fitted(_plain(writer, card.headline), 52, 30, WIDTH - 2 * EDGE, 800, 112)
        writer.pen.text((EDGE, 166), headline, INK, font, anchor="ls")
        if len(card.teams) == 2:
            for index, team in enumerate(card.teams):
                _side(writer, team, index)
        else:
            _places(writer, card.teams)
        stored = BytesIO()
        picture.quantize(128, dither=Image.Dither.NONE).save(stored, "PNG", optimize=True)
        return stored.getvalue()


def _side(writer: CardWriter, team: CardTeam, index: int) -> None:
    """One of two teams, in the left or the right half."""
    left = EDGE + 40 + index * (WIDTH - 2 * EDGE) // 2
    colour = ACCENT if team.first else MUTED
    name, font = writer.fitted(_plain(writer, team.name), 34, 22, 300, 700, 106)
    writer.pen.text((left, _TOP + 62), name, INK, font, anchor="ls")
    result, font = writer.fitted(team.score or team.word, 86, 38, 440, 850, 118)
    writer.pen.text((left, _TOP + 150), result, colour, font, anchor="ls")
    for line, player in enumerate(team.players[:NAMES]):
        words, font = writer.fitted(_plain(writer, player), 26, 20, 420, 600, 100)
        writer.pen.text((left, _TOP + 200 + 34 * line), words, INK if line == 0 else MUTED, font, anchor="ls")


def _places(writer: CardWriter, teams: tuple[CardTeam, ...]) -> None:
    """The first of more than two teams, one below the other."""
    for line, team in enumerate(teams[:PLACES]):
        y = _TOP + 68 + 58 * line
        writer.pen.text(
            (EDGE + 40, y), team.word, ACCENT if team.first else MUTED, writer.font(36, 800, 108), anchor="ls"
        )
        name, font = writer.fitted(_plain(writer, ", ".join(team.players) or team.name), 36, 24, 640, 700, 104)
        writer.pen.text((EDGE + 180, y), name, INK, font, anchor="ls")
        writer.pen.text((WIDTH - EDGE - 40, y), team.score, MUTED, writer.font(32, 650), anchor="rs")


def _plain(writer: CardWriter, text: str) -> str:
    """The text without the letters that the font doesn't have."""
    return text if writer.can_write(text) else "".join(each for each in text if writer.can_write(each)).strip() or "?"
