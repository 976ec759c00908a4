"""Rank filters in players' words: how close opponents are to one's own rank. Pure."""

from __future__ import annotations

from matchmaking.matcher.widening import LADDER
from ranking.wording.translation import gettext, pgettext

_EVERYBODY = 100
_MUCH_WIDER = 5  # times the queue's own width


def search_choices(default_width: int) -> list[tuple[int, str]]:
    """The widths that a player chooses from, with their names: the queue's own, one closer, and one much wider.

    There are two if the queue's own width is the least or the largest.
    """
    names = pgettext("rank filter", "Close"), pgettext("rank filter", "Balanced"), pgettext("rank filter", "Fast")
    steps = [int(step) for step in LADDER]
    close = max((step for step in steps if step < default_width), default=default_width)
    fast = min((step for step in steps if step >= _MUCH_WIDER * default_width), default=_EVERYBODY)
    if default_width in (close, fast):
        return [(close, names[0]), (fast, names[2])]
    return [(close, names[0]), (default_width, names[1]), (fast, names[2])]


def reach_words(low: float, high: float) -> str:
    """How far a rank window reaches, in a few words; `low` and `high` are percentiles."""
    share = high - low
    if share >= _EVERYBODY - 1:
        return gettext("Everybody")
    if share <= 10:
        return gettext("Very close to your rank")
    if share <= 25:
        return gettext("Close to your rank")
    return gettext("Around your rank") if share <= 50 else gettext("A wide range")
