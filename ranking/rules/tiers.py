"""Tiers: names for percentiles, by a scheme that each mode chooses: 1 to 100, 1 to 50, or named tiers.

A named tier reaches from its first percentile up to the next tier's. Every tier but the last has the divisions III,
II and I, a third of its percentiles each: floor(3 · (percentile − from) / (next − from)), III first.

A new scheme of numbered tiers is a line in NUMBERED and one in SCHEME_LABELS; the mode's table asks for a migration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ranking.wording.names import read_names
from ranking.wording.tiers import tier_name_text
from ranking.wording.translation import gettext

HUNDRED, FIFTY, NAMED = "1-100", "1-50", "named"
NUMBERED = {HUNDRED: 1, FIFTY: 2}  # a scheme of numbered tiers → the percentiles of each tier
SCHEMES = (*NUMBERED, NAMED)
SCHEME_LABELS = {  # in the order in which the admin offers them
    NAMED: "Named tiers with divisions",
    HUNDRED: "1 to 100: the percentile",
    FIFTY: "1 to 50: half of it",
}
DIVISIONS = ("III", "II", "I")
# The colours of style sheets. Every tier of any scheme takes one of them.
COLOURS = ("bronze", "silver", "gold", "platinum", "diamond", "master")
EMBLEMS = 12  # drawings for other numbers of tiers than six
LONGEST_NAME = 24


class NamedTier(NamedTuple):
    """A named tier and its first percentile. `names`: its names by language, as pairs."""

    name: str
    first: int
    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Tier:
    """A tier as people see it. `index` orders a scheme's tiers and divisions, 0 = lowest.

    `emblem`: the id of its drawing, see `_emblem`.
    """

    name: str
    division: str | None
    label: str
    index: int
    colour: str
    emblem: str
    names: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The label in the language of the reader."""
        return f"{tier_name_text(self.name, dict(self.names))} {self.division or ''}".rstrip()


@dataclass(frozen=True, slots=True)
class TierBound:
    """The first percentile of a tier, with its looks; `share`: the per cent of the listed players that it holds.

    Equal ratings share a tier, so a tier may hold more or fewer. `emblem`: that of the tier without division.
    """

    name: str
    first: int
    colour: str
    share: int
    emblem: str
    names: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The name in the language of the reader."""
        return tier_name_text(self.name, dict(self.names))


DEFAULT_TIERS = (
    NamedTier("Bronze", 1),
    NamedTier("Silver", 20),
    NamedTier("Gold", 45),
    NamedTier("Platinum", 70),
    NamedTier("Diamond", 88),
    NamedTier("Master", 97),
)


def tier_of(percentile: int, scheme: str = NAMED, named: Sequence[NamedTier] = DEFAULT_TIERS) -> Tier:
    """The tier of a percentile (1 to 100); `named`: the tiers of the scheme NAMED, unused in the others."""
    if not 1 <= percentile <= 100:
        raise ValueError(f"A percentile is 1 to 100, not {percentile}.")
    if _check_scheme(scheme) == NAMED:
        return _named_tier(percentile, named)
    number = -(-percentile // NUMBERED[scheme])
    alike = _named_tier(percentile, DEFAULT_TIERS)
    return Tier(str(number), None, str(number), number - 1, alike.colour, f"{alike.colour}-0")


@lru_cache(maxsize=256)
def ladder(scheme: str = NAMED, named: tuple[NamedTier, ...] = DEFAULT_TIERS) -> tuple[Tier, ...]:
    """The tiers of the percentiles 1 to 100, in that order."""
    return tuple(tier_of(percentile, scheme, named) for percentile in range(1, 101))


def tier_bounds(scheme: str = NAMED, named: Sequence[NamedTier] = DEFAULT_TIERS) -> tuple[TierBound, ...]:
    """The first percentile of each tier, lowest tier first, without divisions."""
    if _check_scheme(scheme) == NAMED:
        ends = [*(tier.first for tier in named[1:]), 101]
        return tuple(
            TierBound(
                tier.name, tier.first, _colour(index, named), end - tier.first, _emblem(index, len(named)), tier.names
            )
            for index, (tier, end) in enumerate(zip(named, ends, strict=True))
        )
    share = NUMBERED[scheme]
    tiers = [(first, tier_of(first, scheme)) for first in range(1, 101, share)]
    return tuple(TierBound(tier.name, first, tier.colour, share, tier.emblem) for first, tier in tiers)


def shares_text(scheme: str = NAMED, named: Sequence[NamedTier] = DEFAULT_TIERS) -> str:
    """What share of the ranked players each tier holds, in a sentence or two."""
    *others, lowest = reversed(tier_bounds(scheme, named))
    if scheme != NAMED:
        return gettext(
            "Each of the %(number)s tiers holds %(share)s %% of the ranked players. Equal ratings share a tier."
        ) % {"number": len(others) + 1, "share": lowest.share}
    if not others:
        return gettext("%(tier)s holds all ranked players. Equal ratings share a tier.") % {"tier": lowest.text}
    highest, *middle = others
    next_one = gettext("%(tier)s the next %(share)s %%")
    values = {
        "highest": highest.text,
        "share": highest.share,
        "middle": ", ".join(next_one % {"tier": tier.text, "share": tier.share} for tier in middle),
        "lowest": lowest.text,
        "rest": lowest.share,
    }
    if not middle:
        words = gettext(
            "%(highest)s holds the top %(share)s %% of the ranked players, %(lowest)s the lowest %(rest)s %%."
            " Equal ratings share a tier."
        )
    else:
        words = gettext(
            "%(highest)s holds the top %(share)s %% of the ranked players, %(middle)s, %(lowest)s"
            " the lowest %(rest)s %%."
            " Equal ratings share a tier."
        )
    return words % values


def _check_scheme(scheme: str) -> str:
    if scheme not in SCHEMES:
        raise ValueError(f"There is no tier scheme {scheme!r}; choose one of {', '.join(SCHEMES)}.")
    return scheme


def _named_tier(percentile: int, named: Sequence[NamedTier]) -> Tier:
    index = max(i for i, tier in enumerate(named) if tier.first <= percentile)
    tier, base, colour = named[index], index * len(DIVISIONS), _colour(index, named)
    if index == len(named) - 1:
        return Tier(tier.name, None, tier.name, base, colour, _emblem(index, len(named)), tier.names)
    step = len(DIVISIONS) * (percentile - tier.first) // (named[index + 1].first - tier.first)
    emblem = _emblem(index, len(named), step + 1)
    label = f"{tier.name} {DIVISIONS[step]}"
    return Tier(tier.name, DIVISIONS[step], label, base + step, colour, emblem, tier.names)


def _colour(index: int, named: Sequence[NamedTier]) -> str:
    """The colour that bears the tier's name, if there is one, else a colour by the tier's height."""
    own = named[index].name.casefold()
    if own in COLOURS:
        return own
    return COLOURS[index * (len(COLOURS) - 1) // max(1, len(named) - 1)]


def _emblem(index: int, count: int, rungs: int = 0) -> str:
    """The id of an emblem in static/emblems.svg: the drawing, "-", and how many rungs its division has (0 = none).

    Six tiers have the drawings named like COLOURS. Other numbers of tiers share twelve, of which the last is the top's.
    """
    drawing = COLOURS[index] if count == len(COLOURS) else str((index + 1) * EMBLEMS // count or 1)
    return f"{drawing}-{rungs}"


def read_named_tiers(value: object) -> tuple[NamedTier, ...]:
    """Named tiers from JSON, [{"name": "Bronze", "from": 1}, …]; raises ValueError with a sentence.

    A tier may have "names" by language: {"de": "Bronze"}.
    """
    if not isinstance(value, list) or not value:
        raise ValueError(
            'Named tiers are a list such as [{"name": "Bronze", "from": 1}, {"name": "Gold", "from": 50}].'
        )
    tiers = tuple(_read_tier(number, fields) for number, fields in enumerate(value, 1))
    if tiers[0].first != 1:
        raise ValueError(f"The lowest tier begins at percentile 1; {tiers[0].name} begins at {tiers[0].first}.")
    seen: set[str] = set()
    for lower, tier in zip((None, *tiers), tiers, strict=False):
        if lower is not None and tier.first <= lower.first:
            raise ValueError(f"{tier.name} must begin above {lower.name}, which begins at {lower.first}.")
        if tier.name.casefold() in seen:
            raise ValueError(f"Two tiers are named {tier.name}; each needs a name of its own.")
        seen.add(tier.name.casefold())
    return tiers


def _read_tier(number: int, fields: object) -> NamedTier:
    if not isinstance(fields, dict) or not {"name", "from"} <= set(fields) <= {"name", "from", "names"}:
        raise ValueError(f'Tier {number} needs a "name" and a "from", and may have "names".')
    name, first = fields["name"], fields["from"]
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise ValueError(f"Tier {number} needs a name of 1 to {LONGEST_NAME} printable characters.")
    if isinstance(first, bool) or not isinstance(first, int) or not 1 <= first <= 100:
        raise ValueError(f"{name.strip()} must begin at a whole percentile from 1 to 100.")
    return NamedTier(name.strip(), first, tuple(read_names(fields.get("names", {}), LONGEST_NAME).items()))
