"""Plans what a file of ratings will do: each player's state by the mode's system, and what stands against it.

A plan is made of a whole file. Nothing of a file with a fault is written.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ranking.models import Change, Mode, Player, Season, Seed
from ranking.modes.parameters import Rules, current_parameters, system_of
from ranking.systems.base import Refused, State
from ranking.systems.foreign_scales import ForeignScale
from ranking.validation.rating_files import LineFault, RatingLine

CHECKED = 2_000  # lines a query


@dataclass(frozen=True, slots=True)
class PlannedSeed:
    """A line of a file: the player, and the state that they begin with. `line` is its number."""

    line: int
    key: str
    name: str
    state: State
    matches: int

    @property
    def rating(self) -> str:
        """The rating that people see."""
        return f"{self.state.display_hundredths / 100:,.2f}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a file will do in a season of a mode; with `faults`, nothing. `placed`: placement doesn't apply.

    `known`: so many of the seeds are written already.
    """

    mode: Mode
    season: Season
    parameters: int  # the id of the version by which the states were solved
    placed: bool
    seeds: Sequence[PlannedSeed]
    faults: Sequence[LineFault]
    known: int = 0


def plan_seeds(
    mode: Mode, lines: Sequence[RatingLine], faults: Sequence[LineFault], scale: ForeignScale, *, placed: bool
) -> Plan:
    """Plan what the lines of a file will do; `faults`: those of its other lines. Raises Refused.

    Three queries, and three more for each CHECKED lines.
    """
    season = Season.objects.select_related("mode").get(mode=mode, current=True)
    version = current_parameters(mode)
    system = system_of(version)
    seeds, found = [], list(faults)
    for line, skill in zip(lines, scale.skills([line.given for line in lines], system), strict=True):
        if isinstance(skill, Refused):
            found.append(LineFault(line.number, str(skill)))
            continue
        state = system.to_state(skill)
        seeds.append(PlannedSeed(line.number, line.key, line.name, state, line.given.matches))
    known = 0
    for start in range(0, len(seeds), CHECKED):
        chunk = seeds[start : start + CHECKED]
        sorted_seeds = sort_out(chunk, season, placed=placed)
        known += len(sorted_seeds.written)
        found += sorted_seeds.faults
    return Plan(season.mode, season, version.pk, placed, seeds, sorted(found, key=lambda fault: fault.number), known)


@dataclass(frozen=True, slots=True)
class SortedSeeds:
    """What the database says about some seeds. `owners`: the players whom the keys belong to, by key, by id; newcomers
    have none. `written`: the keys whose seeds are written already. `faults`: what stands against other seeds.
    """

    owners: Mapping[str, int]
    written: Collection[str]
    faults: Sequence[LineFault]


def sort_out(seeds: Sequence[PlannedSeed], season: Season, *, placed: bool) -> SortedSeeds:
    """Sort out which seeds are written already, and what stands against others. Three queries."""
    players = Player.objects.filter(key__in=[seed.key for seed in seeds])
    rows = list(players.values_list("key", "pk", "anonymised_at", "merged_into", "merged_into__anonymised_at"))
    owners = {key: merged_into or pk for key, pk, _, merged_into, _ in rows}
    gone = {merged_into or pk for _, pk, at, merged_into, into_at in rows if (into_at if merged_into else at)}
    of_owners = Seed.objects.filter(season=season, player__in=owners.values())
    written = {row.player_id: row for row in of_owners.values_list(*_Written._fields, named=True)}
    live = Change.objects.live().filter(mode=season.mode_id, season=season, kind__in=[Change.MATCH, Change.FORFEIT])
    played = set(live.filter(player__in=owners.values()).values_list("player", flat=True))
    known = {
        seed.key for seed in seeds
        if seed.key in owners and _is_written(seed, written.get(owners[seed.key]), placed=placed)
    }  # fmt: skip
    new = [seed for seed in seeds if seed.key not in known]
    faults = [LineFault(seed.line, sentence) for seed, sentence in _objections(new, owners, gone, written, played)]
    return SortedSeeds(owners, known, faults)


class _Written(NamedTuple):
    """A seed that is written already."""

    player_id: int
    display_hundredths: int
    mu: float | None
    sigma: float | None
    volatility: float | None
    matches: int
    placed: bool


def _is_written(seed: PlannedSeed, row: _Written | None, *, placed: bool) -> bool:
    """True if this row says the same."""
    state = seed.state
    same = (state.display_hundredths, state.mu, state.sigma, state.volatility, seed.matches, placed)
    return row is not None and row[1:] == same


def _objections(
    seeds: Sequence[PlannedSeed],
    owners: Mapping[str, int],
    gone: Collection[int],
    written: Mapping[int, _Written],
    played: Collection[int],
) -> Iterator[tuple[PlannedSeed, str]]:
    keys: dict[int, str] = {}
    for seed in seeds:
        owner = owners.get(seed.key)
        if owner is None:
            continue
        if owner in gone:
            yield seed, f"the player {seed.key!r} has left for good."
        elif (other := keys.setdefault(owner, seed.key)) != seed.key:
            yield seed, f"{other!r} and {seed.key!r} are one player: a moderator merged them."
        elif owner in written:
            other_rating = f"{written[owner].display_hundredths / 100:,.2f}"
            yield seed, f"{seed.key!r} has brought along another rating, {other_rating}: take that back first."
        elif owner in played:
            yield seed, f"{seed.key!r} has rated matches in this season."


def find_hindrance(rules: Rules, plan: Plan, now: dt.datetime) -> str:
    """A sentence if the plan can't be carried out at this moment; else ""."""
    slug = plan.mode.slug
    if rules.lease or rules.closing or rules.waits(now):
        return f"{slug} is being rated anew, or its season ends: do it again when that is done."
    if rules.season_id != plan.season.pk:
        return f"{plan.season.name} of {slug} is over: do it again for the season that runs now."
    if rules.parameters.pk != plan.parameters:
        return f"{slug} got other parameters meanwhile: do it again."
    return ""
