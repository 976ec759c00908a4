"""Plans what a file of ratings will do: each player's state by the mode's system, and what stands against it.

A plan is made of a whole file. Nothing of a file with a fault is written.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

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
    for line, display in zip(lines, scale.displays([line.rating for line in lines], system), strict=True):
        try:
            state = system.to_state(system.seed(display, line.deviation, line.matches))
        except Refused as refused:
            found.append(LineFault(line.number, str(refused)))
            continue
        seeds.append(PlannedSeed(line.number, line.key, line.name, state, line.matches))
    known = 0
    for start in range(0, len(seeds), CHECKED):
        chunk = seeds[start : start + CHECKED]
        written, refused_lines = sort_out(chunk, season, placed=placed)
        known += len(written)
        found += refused_lines
    return Plan(season.mode, season, version.pk, placed, seeds, sorted(found, key=lambda fault: fault.number), known)


def sort_out(seeds: Sequence[PlannedSeed], season: Season, *, placed: bool) -> tuple[set[str], list[LineFault]]:
    """The keys of those that are written already, and what stands against others. Three queries."""
    rows = Player.objects.select_related("merged_into").filter(key__in=[seed.key for seed in seeds])
    players = {player.key: player for player in rows}
    owners = {player.owner.pk for player in players.values()}
    written = {seed.player_id: seed for seed in Seed.objects.filter(season=season, player__in=owners)}
    live = Change.objects.live().filter(player=OuterRef("pk"), season=season, kind__in=[Change.MATCH, Change.FORFEIT])
    played = set(Player.objects.filter(Exists(live), pk__in=owners).values_list("pk", flat=True))
    known = {
        seed.key for seed in seeds
        if seed.key in players and _is_written(seed, written.get(players[seed.key].owner.pk), placed=placed)
    }  # fmt: skip
    faults = [
        LineFault(seed.line, sentence)
        for seed, sentence in _objections([seed for seed in seeds if seed.key not in known], players, written, played)
    ]
    return known, faults


def _is_written(seed: PlannedSeed, row: Seed | None, *, placed: bool) -> bool:
    """True if this row says the same; the mean follows from the rest."""
    return row is not None and (row.display_hundredths, row.sigma, row.matches, row.placed) == (
        seed.state.display_hundredths, seed.state.sigma, seed.matches, placed
    )  # fmt: skip


def _objections(
    seeds: Sequence[PlannedSeed], players: dict[str, Player], written: dict[int, Seed], played: set[int]
) -> Iterator[tuple[PlannedSeed, str]]:
    keys: dict[int, str] = {}
    for seed in seeds:
        player = players.get(seed.key)
        if player is None:
            continue
        owner = player.owner
        if owner.anonymised_at is not None:
            yield seed, f"the player {seed.key!r} has left for good."
        elif (other := keys.setdefault(owner.pk, seed.key)) != seed.key:
            yield seed, f"{other!r} and {seed.key!r} are one player: a moderator merged them."
        elif owner.pk in written:
            other_rating = f"{written[owner.pk].display_hundredths / 100:,.2f}"
            yield seed, f"{seed.key!r} has brought along another rating, {other_rating}: take that back first."
        elif owner.pk in played:
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
