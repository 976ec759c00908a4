"""Shared accounts, where the game says on which device, or by which account of a platform, somebody plays.

Either one account that is played on another's device: the device belongs to who plays on it most. Or one account that
hops between devices within minutes, as several people would who play it. Both are weighed against how many do so.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ranking.abuse.detection.cases import Case, History, evidence_of
from ranking.abuse.detection.columns import Columns, Ints, heaviest_runs
from ranking.abuse.detection.features import frequency_of_players, weigh

KIND = "sharing"
BORROWS, HOPS = 0.7, 0.6  # how often a shared account is on another's device, and hops
LEAST_DEVICES = 3  # between which an account hops; two are a desk and a couch
MOST_ACCOUNTS = 8  # on a device; more, and it is a public place


def find(history: History) -> Iterator[Case]:
    columns = history.columns
    rows = np.flatnonzero(columns.device >= 0)
    rows = rows[np.argsort(columns.player[rows], kind="stable")]
    if len(rows):
        borrowed = list(_borrowed(history, rows))
        yield from borrowed
        told = {case.players[0] for case in borrowed}
        yield from (case for case in _hopping(history, rows) if case.players[0] not in told)


def _owners(columns: Columns, rows: Ints) -> Ints:
    """Whose the device of each row is; −1 where it is a public one."""
    pairs, counts = np.unique(np.stack([columns.device[rows], columns.player[rows]]), axis=1, return_counts=True)
    order = np.lexsort((-pairs[1], counts, pairs[0]))  # the last of each device plays on it most
    device, player = pairs[0][order], pairs[1][order]
    lasts = np.flatnonzero(np.r_[device[1:] != device[:-1], True])
    accounts = np.diff(np.r_[-1, lasts])
    owner = np.where(accounts <= MOST_ACCOUNTS, player[lasts], -1)
    return owner[np.searchsorted(device[lasts], columns.device[rows])]


def _borrowed(history: History, rows: Ints) -> Iterator[Case]:
    """Each player and each owner of a device that they play on: the stretch of the player's matches."""
    columns, thresholds = history.columns, history.thresholds
    player, owner = columns.player[rows], _owners(columns, rows)
    foreign = (owner >= 0) & (owner != player)
    usual = frequency_of_players(foreign, owner >= 0, player)
    borrowing = np.unique(np.stack([player[foreign], owner[foreign]]), axis=1)
    for who, whose in borrowing.T:
        own = rows[np.searchsorted(player, who) : np.searchsorted(player, who, "right")]
        on = owner[np.searchsorted(player, who) : np.searchsorted(player, who, "right")] == whose
        found = heaviest_runs(columns.player[own], np.where(on, weigh(BORROWS, usual), weigh(1 - BORROWS, 1 - usual)))
        stretch = slice(found.first[0], found.last[0] + 1)
        if found.score[0] >= thresholds.score_of(KIND) and np.count_nonzero(on[stretch]) >= thresholds.matches:
            said = evidence_of(columns, own[stretch], by="device", borrowed=int(on[stretch].sum()))
            yield Case(KIND, (int(who), int(whose)), round(float(found.score[0]), 2), said)


def _hopping(history: History, rows: Ints) -> Iterator[Case]:
    columns, thresholds = history.columns, history.thresholds
    player, device, ended = columns.player[rows], columns.device[rows], columns.ended_at[rows]
    soon = np.r_[False, (player[1:] == player[:-1]) & (np.diff(ended) <= 60 * thresholds.hop_minutes)]
    hopped = soon & np.r_[False, device[1:] != device[:-1]]
    usual = frequency_of_players(hopped, soon, player)
    weight = np.where(hopped, weigh(HOPS, usual), weigh(1 - HOPS, 1 - usual)) * soon
    found = heaviest_runs(player, weight)
    for at in np.flatnonzero(found.score >= thresholds.score_of(KIND)):
        stretch = slice(found.first[at], found.last[at] + 1)
        hops, devices = int(hopped[stretch].sum()), len(np.unique(device[stretch]))
        if hops >= thresholds.matches and devices >= LEAST_DEVICES:
            said = evidence_of(columns, rows[stretch], by="hops", hops=hops, devices=devices)
            yield Case(KIND, (int(found.segment[at]),), round(float(found.score[at]), 2), said)
