"""The order in which a part of a history is rated: groups of matches of one wave and a similar shape.

A plan numbers matches, teams and seats (participations) in this order, so that a group is a slice of each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ranking.systems.batch.columns import Bools, Column, Ints, spread, starts_of
from ranking.systems.batch.history import History
from ranking.systems.batch.waves import links_of, waves_of


@dataclass(frozen=True, slots=True)
class RatingPlan:
    """The plan's order as indices into the history, and the bounds of matches, teams and groups in it."""

    players: Ints  # numbers of the players who play at all
    matches: Ints  # by match: its index in the history; teams and seats likewise
    teams: Ints
    seats: Ints
    team_starts: Ints  # by match: its first team
    starts: Ints  # by team: its first seat
    match_starts: Ints  # by match: its first seat
    number: Ints  # by seat: the index in `players`
    previous: Ints  # by participation, in the history's order: the player's previous one; −1 for none
    groups: Ints  # by group: its first match; then the number of matches
    scalar: Bools  # by match: True if only the scalar face can rate it

    def by_seat(self, by_match: Column) -> Column:
        """Repeat each match's value for each of its seats."""
        return np.repeat(by_match, np.diff(self.match_starts))


def plan_of(history: History, scalar: Bools) -> RatingPlan:
    """Plan a history; `scalar`: by match, True if only the scalar face can rate it."""
    links = links_of(history)
    matches, wave = waves_of(history, links)
    team_counts = np.diff(history.team_starts)
    kind = np.where(scalar, 0, _shapes(history, team_counts))[matches]
    if kind.size and (kind != kind[0]).any():
        order = np.lexsort((kind, wave))
        matches, wave, kind = matches[order], wave[order], kind[order]
    edges = np.flatnonzero((wave[1:] != wave[:-1]) | (kind[1:] != kind[:-1])) + 1
    team_starts = starts_of(team_counts[matches])
    teams = spread(history.team_starts[matches], team_counts[matches])
    sizes = np.diff(history.starts)[teams]
    seats = spread(history.starts[teams], sizes)
    starts = starts_of(sizes)
    return RatingPlan(
        players=links.players,
        matches=matches,
        teams=teams,
        seats=seats,
        team_starts=team_starts,
        starts=starts,
        match_starts=starts[team_starts],
        number=links.number.take(seats).astype(np.intp),
        previous=links.previous,
        groups=np.concatenate([[0], edges, [len(matches)]]) if len(matches) else np.zeros(1, np.int64),
        scalar=scalar[matches],
    )


def _shapes(history: History, team_counts: Ints) -> Ints:
    """By match: a number that encodes its count of teams and the size of its largest team, to a power of two.

    Matches that are rated together are padded to the largest team among them, so padding never doubles their size.
    """
    if not len(team_counts):
        return team_counts
    widest = np.maximum.reduceat(np.diff(history.starts), history.team_starts[:-1])
    return 64 * team_counts + np.frexp(widest.astype(np.float64))[1]
