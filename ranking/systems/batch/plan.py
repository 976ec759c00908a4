"""The order in which a part of a history is rated: groups of matches of one wave and a similar shape.

From here on matches, teams and seats (participations) are numbered in this order, so that a group is a slice of each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ranking.systems.batch.columns import Bools, Ints, spread, starts_of
from ranking.systems.batch.history import History
from ranking.systems.batch.waves import links_of, waves_of


@dataclass(frozen=True, slots=True)
class Plan:
    players: Ints  # those who play
    matches: Ints  # as the history numbers them
    teams: Ints
    seats: Ints
    team_starts: Ints  # by match: its first team
    starts: Ints  # by team: its first seat
    match_starts: Ints  # by match: its first seat
    number: Ints  # by seat: which of the players
    previous: Ints  # by participation as the history numbers them: the player's one before; −1 for none
    groups: Ints  # the first match of each, and the number of matches
    by_hand: Bools  # by match


def plan_of(history: History, by_hand: Bools) -> Plan:
    """`by_hand`: by match, whether the system rates it as it stands."""
    links = links_of(history)
    matches, wave = waves_of(history, links)
    team_counts = np.diff(history.team_starts)
    kind = np.where(by_hand, 0, _shapes(history, team_counts))[matches]
    if kind.size and (kind != kind[0]).any():
        order = np.lexsort((kind, wave))
        matches, wave, kind = matches[order], wave[order], kind[order]
    edges = np.flatnonzero((wave[1:] != wave[:-1]) | (kind[1:] != kind[:-1])) + 1
    team_starts = starts_of(team_counts[matches])
    teams = spread(history.team_starts[matches], team_counts[matches])
    sizes = np.diff(history.starts)[teams]
    seats = spread(history.starts[teams], sizes)
    starts = starts_of(sizes)
    return Plan(
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
        by_hand=by_hand[matches],
    )


def _shapes(history: History, team_counts: Ints) -> Ints:
    """By match, a number for how many teams it has and how large the largest is, to a power of two.

    Rated together, matches are padded to the largest team of any: to less than twice their size, therefore.
    """
    if not len(team_counts):
        return team_counts
    widest = np.maximum.reduceat(np.diff(history.starts), history.team_starts[:-1])
    return 64 * team_counts + np.frexp(widest.astype(np.float64))[1]
