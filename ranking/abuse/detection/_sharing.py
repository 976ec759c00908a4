"""Detects shared accounts, if the game sends a key of the device (or of the platform's account) that a player uses.

Either an account is played on another player's device; a device belongs to the player who uses it most. Or an account
hops between devices within minutes, as if several people played it. Both have less weight if many players do so.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ranking.abuse.detection._features import frequency_of_players, weigh
from ranking.abuse.detection.cases import AbuseHistory, Case, evidence_of
from ranking.abuse.detection.columns import Columns, Ints, heaviest_runs

KIND = "sharing"
BORROWS, HOPS = 0.7, 0.6  # under abuse: share of matches on another's device, share of hops
LEAST_DEVICES = 3  # of an account that hops; two may be a desk and a couch
MOST_ACCOUNTS = 8  # of a device that belongs to somebody; one with more is public


def find(history: AbuseHistory) -> Iterator[Case]:
    columns = history.columns
    rows = np.flatnonzero(columns.device >= 0)
    rows = rows[np.argsort(columns.player[rows], kind="stable")]
    if len(rows):
        borrowed = list(_borrowed(history, rows))
        yield from borrowed
        reported = {case.players[0] for case in borrowed}
        yield from (case for case in _hopping(history, rows) if case.players[0] not in reported)


def _owners(columns: Columns, rows: Ints) -> Ints:
    """The owner of each row's device; −1 if the device is public."""
    pairs, counts = np.unique(np.stack([columns.device[rows], columns.player[rows]]), axis=1, return_counts=True)
    order = np.lexsort((-pairs[1], counts, pairs[0]))  # the last player of each device uses it most
    device, player = pairs[0][order], pairs[1][order]
    lasts = np.flatnonzero(np.r_[device[1:] != device[:-1], True])
    accounts = np.diff(np.r_[-1, lasts])
    owner = np.where(accounts <= MOST_ACCOUNTS, player[lasts], -1)
    return owner[np.searchsorted(device[lasts], columns.device[rows])]


def _borrowed(history: AbuseHistory, rows: Ints) -> Iterator[Case]:
    """Cases of players on the device of another one: the heaviest run for each pair of player and owner."""
    columns, thresholds = history.columns, history.thresholds
    player, owner = columns.player[rows], _owners(columns, rows)
    foreign = (owner >= 0) & (owner != player)
    usual = frequency_of_players(foreign, owner >= 0, player)
    borrowing = np.unique(np.stack([player[foreign], owner[foreign]]), axis=1)
    for borrower, lender in borrowing.T:
        own = rows[np.searchsorted(player, borrower) : np.searchsorted(player, borrower, "right")]
        on = owner[np.searchsorted(player, borrower) : np.searchsorted(player, borrower, "right")] == lender
        runs = heaviest_runs(columns.player[own], np.where(on, weigh(BORROWS, usual), weigh(1 - BORROWS, 1 - usual)))
        run = slice(runs.first[0], runs.last[0] + 1)
        if runs.score[0] >= thresholds.score_of(KIND) and np.count_nonzero(on[run]) >= thresholds.matches:
            evidence = evidence_of(columns, own[run], by="device", borrowed=int(on[run].sum()))
            yield Case(KIND, (int(borrower), int(lender)), round(float(runs.score[0]), 2), evidence)


def _hopping(history: AbuseHistory, rows: Ints) -> Iterator[Case]:
    columns, thresholds = history.columns, history.thresholds
    player, device, ended = columns.player[rows], columns.device[rows], columns.ended_at[rows]
    soon = np.r_[False, (player[1:] == player[:-1]) & (np.diff(ended) <= 60 * thresholds.hop_minutes)]
    hopped = soon & np.r_[False, device[1:] != device[:-1]]
    usual = frequency_of_players(hopped, soon, player)
    weight = np.where(hopped, weigh(HOPS, usual), weigh(1 - HOPS, 1 - usual)) * soon
    runs = heaviest_runs(player, weight)
    for at in np.flatnonzero(runs.score >= thresholds.score_of(KIND)):
        run = slice(runs.first[at], runs.last[at] + 1)
        hops, devices = int(hopped[run].sum()), len(np.unique(device[run]))
        if hops >= thresholds.matches and devices >= LEAST_DEVICES:
            evidence = evidence_of(columns, rows[run], by="hops", hops=hops, devices=devices)
            yield Case(KIND, (int(runs.segment[at]),), round(float(runs.score[at]), 2), evidence)
