"""Groups of matches as tables, rows × teams × seats: a kernel computes its formula on one table at a time.

Each match is a row. Shorter teams are padded with cells whose `present` is 0. Below the matches come rows for leavers,
one for each team that somebody left: the same match as if nobody had left and this team alone had come last (see
shared/rules.py). So one pass of a formula over all rows rates both the players who stayed and the leavers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np

from ranking.systems.batch.columns import Column, Floats, Ints
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.leavers import Leavers


@dataclass(frozen=True, slots=True)
class MatchGroup:
    """Slices of the plan's matches, teams and seats, and the shape of their table: rows × teams × seats."""

    matches: slice
    teams: slice
    seats: slice
    shape: tuple[int, int, int]
    scalar: bool
    cells: Ints | None = None  # by cell: its seat, counted from the group's first; None if cells are the seats in order
    present: Floats | None = None  # by cell: 1 for a player, 0 for padding; None if there is no padding
    source: Ints | None = None  # by seat: the cell that its player is rated in
    match_of: Ints | None = None  # by leavers' row: its match, counted from the group's first
    team_of: Ints | None = None  # by leavers' row: the team that comes last
    leavers: Leavers | None = None  # None if there are none, or if they have rows of their own

    @property
    def count(self) -> int:
        """The number of matches, which are the first rows."""
        count: int = self.matches.stop - self.matches.start
        return count

    def table(self, by_seat: Column) -> Column:
        """A column of the group's seats as rows × teams × seats."""
        return (by_seat if self.cells is None else by_seat.take(self.cells)).reshape(self.shape)

    def weights(self, by_seat: Floats | None) -> Floats | None:
        """Weights of all seats as rows × teams × seats, 0 for padding; None if all are 1 (as `by_seat` None says)."""
        if by_seat is None:
            return self.present
        weights = self.table(by_seat[self.seats])
        return weights if self.present is None else weights * self.present

    def seated(self, table: Column) -> Column:
        """The inverse of `table`: by seat, the value in the cell that its player is rated in."""
        return table.reshape(-1) if self.source is None else table.reshape(-1).take(self.source)

    def by_team(self, column: Column) -> Column:
        """A column of all teams as rows × teams."""
        own = column[self.teams].reshape(self.count, self.shape[1])
        return own if self.match_of is None else np.concatenate([own, own.take(self.match_of, axis=0)])

    def places(self, facts: Facts) -> Floats:
        """The teams' places, rows × teams."""
        places = self.by_team(facts.effective_place)
        if self.match_of is not None:
            beside_last = facts.place_beside_last[self.teams].reshape(self.count, -1)
            places[self.count :] = beside_last.take(self.match_of, axis=0)
            places[np.arange(self.count, self.shape[0]), self.team_of] = inf
        return places

    def outcomes(self, facts: Facts) -> Floats:
        """By row of two teams: 1 if the first won, 0 for a draw, −1 if the second won."""
        own = facts.outcome[self.matches]
        return own if self.team_of is None else np.concatenate([own, 2.0 * self.team_of - 1])


def groups_of(facts: Facts, leavers_apart: bool) -> Iterator[MatchGroup]:
    """The plan's groups in order; with rows for leavers if `leavers_apart`, else with their leavers."""
    plan, sizes = facts.plan, facts.sizes
    if not len(plan.matches):
        return
    bounds = plan.groups
    teams, seats = plan.team_starts[bounds], plan.match_starts[bounds]
    widest, narrowest = np.maximum.reduceat(sizes, teams[:-1]), np.minimum.reduceat(sizes, teams[:-1])
    abandoned = np.flatnonzero(facts.someone_of_team_left) if leavers_apart and facts.someone_left else plan.matches[:0]
    left_bounds = np.searchsorted(abandoned, teams)
    left_by_group = None if leavers_apart or facts.leavers is None else facts.leavers.by_group(plan)
    edges = zip(*(x.tolist() for x in (bounds, teams, seats, left_bounds)), strict=True)
    following = iter(list(edges))
    match, team, seat, left = next(following)
    for (to_match, to_team, to_seat, to_left), width, least in zip(
        following, widest.tolist(), narrowest.tolist(), strict=True
    ):
        slices = slice(match, to_match), slice(team, to_team), slice(seat, to_seat)
        count = to_match - match
        shape = count, (to_team - team) // count, width
        leavers = None if left_by_group is None else next(left_by_group)
        if plan.scalar[match]:
            yield MatchGroup(*slices, shape, scalar=True)
        elif left == to_left and width == least:
            yield MatchGroup(*slices, shape, scalar=False, leavers=leavers)
        else:
            yield _table(facts, slices, shape, leavers, width == least, abandoned[left:to_left] - team)
        match, team, seat, left = to_match, to_team, to_seat, to_left


def _table(
    facts: Facts,
    slices: tuple[slice, slice, slice],
    shape: tuple[int, int, int],
    leavers: Leavers | None,
    even: bool,
    abandoned: Ints,
) -> MatchGroup:
    """A group with padding or leavers; `abandoned`: the teams that somebody left, counted from the group's first."""
    _, teams, seats = slices
    count, per_match, width = shape
    sizes = facts.sizes[teams]
    starts = facts.plan.starts[teams] - seats.start
    offsets = np.arange(width)
    own = np.arange(seats.stop - seats.start).reshape(count, -1) if even else None
    if own is None:
        present = offsets < sizes[:, None]
        own = np.where(present, starts[:, None] + offsets, starts[:, None]).reshape(count, -1)
        source = np.flatnonzero(present)
        mask = present.reshape(count, -1)
    else:
        source, mask = np.arange(own.size), None
    match_of, team_of = np.divmod(abandoned, per_match)
    if len(abandoned):
        rows = np.concatenate([np.arange(count), match_of])
        cells = own.take(rows, axis=0)
        mask = None if mask is None else mask.take(rows, axis=0)
        first = ((count + np.arange(len(abandoned))) * per_match + team_of) * width
        last_cells = (first[:, None] + offsets).reshape(-1)  # of the teams that come last
        last_seats = cells.reshape(-1).take(last_cells)
        left = facts.left[seats].take(last_seats)
        if mask is not None:
            left &= mask.reshape(-1).take(last_cells)
        source[last_seats[left]] = last_cells[left]
    else:
        cells = own
    table = (count + len(abandoned), per_match, width)
    return MatchGroup(
        *slices,
        table,
        scalar=False,
        leavers=leavers,
        cells=cells.reshape(-1),
        present=None if mask is None else mask.reshape(table).astype(np.float64),
        source=source,
        match_of=match_of if len(abandoned) else None,
        team_of=team_of if len(abandoned) else None,
    )
