"""Detects smurfing, an experienced player on a new account; and strong newcomers, who may be just that.

Among an account's first matches, a win has more weight if it was unlikely for a newcomer, and still more if it was
lopsided or quick, or if the player scored about twice as much as the others. The first days of a mode, when everybody
is new, don't count. Strength alone says no more than that somebody is good. Smurfing needs a second sign: an older
account played on the same device.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ranking.abuse.detection._features import chance_at, frequency, weigh
from ranking.abuse.detection._pairs import by_player, find_player_cases, numbers_of
from ranking.abuse.detection._sharing import MOST_ACCOUNTS
from ranking.abuse.detection.cases import AbuseHistory, Case

KIND = "smurfing"
WINS, DOMINATES = 0.9, 0.5  # under abuse: share of wins against newcomers, share of dominated matches among them
MOST_OF_ONE = 0.5  # largest share of matches against one opponent; more is boosting
_DAY = 86_400.0


def find(history: AbuseHistory) -> Iterator[Case]:
    older = _on_an_older_accounts_device(history)
    yield from (case for case in find_strong(history, KIND) if case.players[0] in older)


def find_newcomers(history: AbuseHistory, kind: str) -> Iterator[Case]:
    """Yield the strong newcomers whom nothing but their strength speaks against."""
    older = _on_an_older_accounts_device(history)
    yield from (case for case in find_strong(history, kind) if case.players[0] not in older)


def _on_an_older_accounts_device(history: AbuseHistory) -> set[int]:
    """The players of whom a device is an older account's, too; a device with very many accounts is public."""
    columns = history.columns
    rows = np.flatnonzero(columns.device >= 0)
    device, player = np.unique(np.stack([columns.device[rows], columns.player[rows]]), axis=1)
    players, firsts = np.unique(columns.player[by_player(columns)], return_index=True)
    began = columns.sequence[by_player(columns)][firsts].astype(np.float64)  # of each player's first match
    began[np.isin(players, history.veterans)] = -1.0
    began = began[np.searchsorted(players, player)]
    starts = np.flatnonzero(np.r_[True, device[1:] != device[:-1]])[: len(device)]
    accounts = np.diff(np.r_[starts, len(device)])
    oldest = np.repeat(np.minimum.reduceat(began, starts) if len(starts) else began, accounts)
    return set(player[(began > oldest) & (np.repeat(accounts, accounts) <= MOST_ACCOUNTS)].tolist())


def find_strong(history: AbuseHistory, kind: str) -> Iterator[Case]:
    """Yield the newcomers who are far stronger than newcomers are, as cases of this kind."""
    columns, features, thresholds = history.columns, history.features, history.thresholds
    order = by_player(columns)
    number = numbers_of(columns)[order]
    firsts = np.flatnonzero(number == 0)
    first = order[np.repeat(firsts, np.diff(np.r_[firsts, len(order)]))]  # the first match of each row's player
    begun, level = columns.ended_at[first], columns.before[first]
    new = (number < thresholds.new_matches) & (begun >= history.since + thresholds.new_days * _DAY)
    new &= ~np.isin(columns.player[order], history.veterans)
    won, lost = columns.won == 1, columns.won == 0
    # A team's lopsided win says little about one player; players' own scores say more.
    dominated = np.where(features.foes * features.size == 1, features.lopsided | features.quick, features.star)
    usual = frequency(dominated, won)
    order, level = order[new], level[new]
    chance = chance_at(columns, features, order, level.astype(np.float64))
    result = np.where(won[order], weigh(WINS, chance), 0.0) + np.where(lost[order], weigh(1 - WINS, 1 - chance), 0.0)
    manner = np.where(dominated[order], weigh(DOMINATES, usual), weigh(1 - DOMINATES, 1 - usual)) * won[order]

    def numbers(run: slice) -> dict[str, int | float]:
        rows = order[run]
        return {
            "won": int(won[rows].sum()),
            "expected": round(float(chance[run].sum()), 1),
            "dominated": int((dominated & won)[rows].sum()),
            "rose": int(columns.after[rows[-1]] - columns.before[rows[0]]),
        }

    yield from find_player_cases(history, kind, order, result=result, manner=manner, most=MOST_OF_ONE, numbers=numbers)
