"""What a mode learns about itself: how noisy its matches are, how sure a lead is to win, how high its margins are.

Matches are collected in blocks of 50; when a block is full, its sums are folded into the learnt values, so that
these stay the same within a block. Old blocks are forgotten by e^(−50/10,000). A mode that learns about luck begins
with blocks of 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from typing import Any

from ranking.systems.shared import fields as read
from ranking.systems.shared.learning import Lesson

BLOCK = 50  # matches
MEMORY = 10_000  # matches
PRIOR = 20  # matches that the first guesses weigh
MOST_NOISE = 1.5
SLOPES = (0.5, 6.0)
LONGEST_RAMP = 10 * BLOCK  # matches, after which blocks grow no longer
SHORTEST_BLOCK = 5  # matches, of a mode that learns about luck
LUCK_PRIOR = 1  # match that says nothing of luck
LARGEST = 1e12  # of any number that is read
MOST_VARIANTS = 1_000

Margins = Mapping[str, tuple[float, float]]  # by variant: the sum of squared margins, and how many
LuckSums = tuple[float, float, float, int]  # gradient and information, shares of shared last places, and how many
NO_LUCK: LuckSums = (0.0, 0.0, 0.0, 0)


@dataclass(frozen=True, slots=True)
class Block:
    """The sums of a block that isn't full yet."""

    n: int = 0
    ed: float = 0.0
    dd: float = 0.0
    g: float = 0.0
    i: float = 0.0
    margins: Margins = field(default_factory=dict)
    luck: LuckSums = NO_LUCK

    def with_matches(self, lessons: Iterable[Lesson]) -> Block:
        n, ed, dd, g, i = self.n, self.ed, self.dd, self.g, self.i
        margins, luck = dict(self.margins), self.luck
        for variant, squares, noise, spread, slope, information, gradient, known, shared in lessons:
            if squares is not None:
                total, count = margins.get(variant, (0.0, 0))
                margins[variant] = total + squares, count + 1
            if gradient is not None and known is not None and shared is not None:
                luck = luck[0] + gradient, luck[1] + known, luck[2] + shared, luck[3] + 1
            n, ed, dd, g, i = n + 1, ed + noise, dd + spread, g + slope, i + information
        return Block(n, ed, dd, g, i, margins, luck)


@dataclass(frozen=True, slots=True)
class Luck:
    """What a mode has learnt about luck in matches of more than four sides; see "Luck" in docs/formulas/margin.md.

    `share`: how much of a last place that several share is luck; `n`: how much of it comes from matches. `shared`: the
    sum, over matches, of the share of decided pairs with a side that shares the last place; `fields`: how many matches.
    `matches`: how many were learnt from in all, at most as many as make a block as long as any.
    """

    share: float = 0.0
    n: float = 0.0
    shared: float = 0.0
    fields: float = 0.0
    matches: int = 0

    @property
    def block(self) -> int:
        """How many matches fill the open block."""
        return max(SHORTEST_BLOCK, self.matches // 10)

    @property
    def of_pairs(self) -> float:
        """The share of the pairs of a match that luck decides."""
        return self.share * self.shared / self.fields if self.fields else 0.0

    def folded(self, block: Block, kept: float) -> Luck:
        gradient, information, shared, fields = block.luck
        n = kept * self.n + information
        share = self.share + gradient / (LUCK_PRIOR + n)
        matches = min(LONGEST_RAMP, self.matches + block.n)
        return Luck(min(1.0, max(0.0, share)), n, kept * self.shared + shared, kept * self.fields + fields, matches)


@dataclass(frozen=True, slots=True)
class Learnt:
    """A mode's learnt values. `noise` is L and `slope` b of the formulas; `noise_n` and `slope_n` say how much of each
    comes from matches and not from the first guess.
    """

    slope: float
    noise: float = 0.0
    noise_n: float = 0.0
    slope_n: float = 0.0
    margins: Margins = field(default_factory=dict)
    block: Block = field(default_factory=Block)
    luck: Luck | None = None  # None: the mode doesn't learn about it

    @property
    def block_size(self) -> int:
        """How many matches fill the open block."""
        return BLOCK if self.luck is None else self.luck.block

    def typical_square(self, variant: str, scale: float) -> float:
        """s²: the mean square of a variant's margins, at first the square of `scale`."""
        total, count = self.margins.get(variant, (0.0, 0.0))
        return (PRIOR * scale * scale + total) / (PRIOR + count)

    def after(self, lessons: Iterable[Lesson]) -> Learnt:
        """The values after more matches, at most those that fill the block."""
        learnt = replace(self, block=self.block.with_matches(lessons))
        return learnt.folded() if learnt.block.n >= self.block_size else learnt

    def folded(self, lessons: Sequence[Lesson] = ()) -> Learnt:
        """The values once the block, with these matches, is learnt."""
        block = self.block.with_matches(lessons)
        kept = exp(-block.n / MEMORY)
        noise_n, slope_n = kept * self.noise_n + block.dd, kept * self.slope_n + block.i
        noise = self.noise + block.ed / (PRIOR + noise_n)
        slope = self.slope + block.g / (PRIOR + slope_n)
        least, most = SLOPES
        margins = {name: (kept * total, kept * count) for name, (total, count) in self.margins.items()}
        for name, (total, count) in block.margins.items():
            old_total, old_count = margins.get(name, (0.0, 0.0))
            margins[name] = old_total + total, old_count + count
        return Learnt(
            slope=min(most, max(least, slope)),
            noise=min(MOST_NOISE, max(-MOST_NOISE, noise)),
            noise_n=noise_n,
            slope_n=slope_n,
            margins=margins,
            luck=None if self.luck is None else self.luck.folded(block, kept),
        )


def block_starts(luck: bool, matches: int) -> Iterator[int]:
    """The numbers of the matches with which the blocks of a new mode begin; `luck`: it learns about luck."""
    first = 0
    while first < matches:
        yield first
        first += Luck(matches=min(first, LONGEST_RAMP)).block if luck else BLOCK


class LearningSystem:
    """Base class of a frozen system that learns: `learnt` is what it has learnt, None for a new mode."""

    __slots__ = ()
    slope: float
    luck: bool
    adapt: bool
    learnt: Learnt | None

    @property
    def learns(self) -> bool:
        return self.adapt

    @property
    def learning(self) -> Learnt:
        """The learnt values in force: the first guesses for a new mode."""
        if self.learnt is None:
            return Learnt(self.slope, luck=Luck() if self.luck else None)
        return self.learnt

    @property
    def luck_of_pairs(self) -> float:
        luck = self.learning.luck
        return 0.0 if luck is None else luck.of_pairs

    def with_learning(self: Any, learning: Learnt) -> Any:
        return replace(self, learnt=learning)

    def after(self: Any, result: Any) -> Any:
        return self.with_learning(self.learning.after([self.lesson(result)])) if self.adapt else self

    def folded(self: Any, lessons: Sequence[Lesson]) -> Any:
        return self.with_learning(self.learning.folded(lessons))

    def with_mode_state(self, value: Any, path: str) -> Any:
        learnt = read_learnt(value, path)
        if learnt.luck is not None and not self.luck:
            raise read.Malformed(f"{path}.luck", "%(field)s is for modes that learn about luck (parameter luck).")
        return self.with_learning(replace(learnt, luck=learnt.luck or Luck()) if self.luck else learnt)

    def mode_state(self) -> dict[str, Any]:
        return write_learnt(self.learning)


def read_learnt(value: Any, path: str) -> Learnt:
    """A mode's learnt values from JSON; raises Malformed naming the field."""
    fields = read.mapping(value, path)
    luck = _luck(fields["luck"], f"{path}.luck") if "luck" in fields else None
    names = ("noise", "noise_n", "slope", "slope_n", "margins", "block")
    read.only_known(fields, names if luck is None else (*names, "luck"), path)
    block = read.mapping(fields.get("block"), f"{path}.block")
    names = ("n", "ed", "dd", "g", "i", "margins")
    read.only_known(block, names if luck is None else (*names, "luck"), f"{path}.block")
    sums = {name: _number(block, name, f"{path}.block") for name in ("ed", "dd", "g", "i")}
    # A mode that begins to learn about luck may have an open block that the next match fills.
    size = luck.block if luck and luck.matches else BLOCK
    return Learnt(
        slope=_number(fields, "slope", path, least=SLOPES[0], most=SLOPES[1]),
        noise=_number(fields, "noise", path, least=-MOST_NOISE, most=MOST_NOISE),
        noise_n=_number(fields, "noise_n", path, least=0),
        slope_n=_number(fields, "slope_n", path, least=0),
        margins=_margins(fields.get("margins"), f"{path}.margins"),
        block=Block(
            n=read.integer(block.get("n"), f"{path}.block.n", least=0, most=size - 1),
            margins=_margins(block.get("margins"), f"{path}.block.margins"),
            luck=_luck_sums(block.get("luck"), f"{path}.block.luck") if luck else NO_LUCK,
            **sums,
        ),
        luck=luck,
    )


def write_learnt(learnt: Learnt) -> dict[str, Any]:
    """The values as JSON; the inverse of `read_learnt`."""
    block, luck = learnt.block, learnt.luck
    written: dict[str, Any] = {
        "noise": learnt.noise,
        "noise_n": learnt.noise_n,
        "slope": learnt.slope,
        "slope_n": learnt.slope_n,
        "margins": {name: list(sums) for name, sums in learnt.margins.items()},
        "block": {
            "n": block.n, "ed": block.ed, "dd": block.dd, "g": block.g, "i": block.i,
            "margins": {name: list(sums) for name, sums in block.margins.items()},
        },
    }  # fmt: skip
    if luck is not None:
        gradient, information, shared, fields = block.luck
        written["luck"] = {"share": luck.share, "n": luck.n, "shared": [luck.shared, luck.fields]}
        written["luck"]["matches"] = luck.matches
        written["block"]["luck"] = {"g": gradient, "i": information, "shared": [shared, fields]}
    return written


def _luck(value: Any, path: str) -> Luck:
    fields = read.mapping(value, path)
    read.only_known(fields, ("share", "n", "shared", "matches"), path)
    shared, matches = _sums(fields.get("shared"), f"{path}.shared")
    return Luck(
        share=_number(fields, "share", path, least=0, most=1),
        n=_number(fields, "n", path, least=0),
        shared=shared,
        fields=matches,
        matches=read.integer(fields.get("matches"), f"{path}.matches", least=0, most=LONGEST_RAMP),
    )


def _luck_sums(value: Any, path: str) -> LuckSums:
    fields = read.mapping(value, path)
    read.only_known(fields, ("g", "i", "shared"), path)
    shared, matches = _sums(fields.get("shared"), f"{path}.shared")
    return _number(fields, "g", path), _number(fields, "i", path, least=0), shared, int(matches)


def _number(
    fields: Mapping[str, Any], name: str, path: str, *, least: float = -LARGEST, most: float = LARGEST
) -> float:
    return float(read.number(fields.get(name), f"{path}.{name}", least=least, most=most))


def _margins(value: Any, path: str) -> Margins:
    margins = read.mapping(value, path)
    if len(margins) > MOST_VARIANTS:
        sentence = "%(field)s must have at most %(most)s variants, not %(count)s."
        raise read.Malformed(path, sentence, most=f"{MOST_VARIANTS:,}", count=f"{len(margins):,}")
    return {_variant(name, path): _sums(sums, f"{path}.{name}") for name, sums in margins.items()}


def _variant(name: Any, path: str) -> str:
    return read.text(name, path) if name else ""


def _sums(value: Any, path: str) -> tuple[float, float]:
    pair = read.sequence(value, path)
    if len(pair) != 2:
        raise read.Malformed(path, "%(field)s must be a sum and a count, not %(value)s.", value=read.shown(value))
    return (
        float(read.number(pair[0], f"{path}[0]", least=0, most=LARGEST)),
        float(read.number(pair[1], f"{path}[1]", least=0, most=LARGEST)),
    )
