"""A group of matches as a table: a row a match, in it teams, in these seats; what a formula is computed on.

Shorter teams are padded, by seats of which `present` is 0. Below the matches come rows for their leavers, one for
each team that someone left: the same match had nobody left and had this team alone come last (see rules.py). So one
pass of a formula over all rows serves those who stayed and those who left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np

from ranking.systems.batch.columns import Column, Floats, Ints
from ranking.systems.batch.facts import Facts


@dataclass(frozen=True, slots=True)
class Group:
    """`matches`, `teams` and `seats` as the plan numbers them; rows × teams × seats is its shape."""

    matches: slice
    teams: slice
    seats: slice
    shape: tuple[int, int, int]
    by_hand: bool
    cells: Ints | None = None  # by cell, the seat, from the group's first; None where they just follow each other
    present: Floats | None = None  # by cell; None where all are
    source: Ints | None = None  # by seat, the cell that its player is rated in
    match_of: Ints | None = None  # by row of leavers, the match, from the group's first
    team_of: Ints | None = None  # and the team that comes last

    @property
    def count(self) -> int:
        """How many matches: the first rows."""
        count: int = self.matches.stop - self.matches.start
        return count

    def table(self, by_seat: Column) -> Column:
        """A column of the group's seats as rows × teams × seats."""
        return (by_seat if self.cells is None else by_seat.take(self.cells)).reshape(self.shape)

    def seated(self, table: Column) -> Column:
        """The inverse: by seat, from the row that its player is rated in."""
        return table.reshape(-1) if self.source is None else table.reshape(-1).take(self.source)

    def by_team(self, column: Column) -> Column:
        """A column of all teams as rows × teams."""
        own = column[self.teams].reshape(self.count, self.shape[1])
        return own if self.match_of is None else np.concatenate([own, own.take(self.match_of, axis=0)])

    def places(self, facts: Facts) -> Floats:
        """Rows × teams."""
        places = self.by_team(facts.effective_place)
        if self.match_of is not None:
            places[self.count :] = facts.place[self.teams].reshape(self.count, -1).take(self.match_of, axis=0)
            places[np.arange(self.count, self.shape[0]), self.team_of] = inf
        return places

    def outcomes(self, facts: Facts) -> Floats:
        """By row of two teams: 1 the first won, 0 drawn, −1 the second."""
        own = facts.outcome[self.matches]
        return own if self.team_of is None else np.concatenate([own, 2.0 * self.team_of - 1])


def groups_of(facts: Facts, leavers_apart: bool) -> Iterator[Group]:
    """The plan's groups in order; with rows for leavers if the system's formula wants them."""
    plan, sizes = facts.plan, facts.sizes
    if not len(plan.matches):
        return
    bounds = plan.groups
    teams, seats = plan.team_starts[bounds], plan.match_starts[bounds]
    widest, narrowest = np.maximum.reduceat(sizes, teams[:-1]), np.minimum.reduceat(sizes, teams[:-1])
    lefts = np.flatnonzero(facts.someone_of_team_left) if leavers_apart and facts.someone_left else plan.matches[:0]
    left_bounds = np.searchsorted(lefts, teams)
    edges = zip(*(x.tolist() for x in (bounds, teams, seats, left_bounds)), strict=True)
    ahead = iter(list(edges))
    match, team, seat, left = next(ahead)
    for (to_match, to_team, to_seat, to_left), width, least in zip(
        ahead, widest.tolist(), narrowest.tolist(), strict=True
    ):
        slices = slice(match, to_match), slice(team, to_team), slice(seat, to_seat)
        count = to_match - match
        shape = count, (to_team - team) // count, width
        if plan.by_hand[match]:
            yield Group(*slices, shape, by_hand=True)
        elif left == to_left and width == least:
            yield Group(*slices, shape, by_hand=False)
        else:
            yield _table(facts, slices, shape, width == least, lefts[left:to_left] - team)
        match, team, seat, left = to_match, to_team, to_seat, to_left


def _table(
    facts: Facts, slices: tuple[slice, slice, slice], shape: tuple[int, int, int], even: bool, lefts: Ints
) -> Group:
    """A group with padding or leavers; `lefts`: teams that someone left, from the group's first."""
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
    match_of, team_of = np.divmod(lefts, per_match)
    if len(lefts):
        rows = np.concatenate([np.arange(count), match_of])
        cells = own.take(rows, axis=0)
        mask = None if mask is None else mask.take(rows, axis=0)
        first = ((count + np.arange(len(lefts))) * per_match + team_of) * width
        at = (first[:, None] + offsets).reshape(-1)
        who = cells.reshape(-1).take(at)
        gone = facts.left[seats].take(who)
        if mask is not None:
            gone &= mask.reshape(-1).take(at)
        source[who[gone]] = at[gone]
    else:
        cells = own
    table = (count + len(lefts), per_match, width)
    return Group(
        *slices,
        table,
        by_hand=False,
        cells=cells.reshape(-1),
        present=None if mask is None else mask.reshape(table).astype(np.float64),
        source=source,
        match_of=match_of if len(lefts) else None,
        team_of=team_of if len(lefts) else None,
    )
