"""Turns the matcher's proposals into the columns that are written to lobbies, tickets and the history of matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise

import numpy as np

from matchmaking.matcher.pool import Pool
from matchmaking.matcher.tickets import Proposal
from matchmaking.models.lobby import new_key
from matchmaking.tick._claiming import Claim
from matchmaking.tick._loading import LoadedQueue

Wait = tuple[int, int, float]  # percentile of a ticket's first player, players, seconds waited


@dataclass(frozen=True, slots=True)
class FormedLobbies:
    """Columns of the lobbies that a tick forms. All have an item a lobby, but for `claims`: an item a ticket.

    `teams`: player ids by team. `places`, in the same shape: each player's place among all by display rating; ties
    share the better place. `spread`: highest minus lowest strength. `waits`: an item for each of the lobby's tickets.
    """

    keys: Sequence[str]
    teams: Sequence[list[list[int]]]
    places: Sequence[list[list[int]]]
    spread: Sequence[float]
    waits: Sequence[Sequence[Wait]]
    claims: Sequence[Claim]


def columns_of(proposals: Sequence[Proposal], loaded: LoadedQueue) -> FormedLobbies:
    """Make the columns of these proposals, with new keys for the lobbies. All teams of a queue have one size."""
    if not proposals:
        return FormedLobbies([], [], [], [], [], [])
    pool, count = loaded.pool, len(proposals)
    row = {player: number for number, player in enumerate(chain.from_iterable(pool.players))}
    index = {ticket: number for number, ticket in enumerate(pool.ids)}
    rows = np.array([row[player] for proposal in proposals for team in proposal.teams for player in team])
    shape = (count, len(proposals[0].teams), -1)
    rating = loaded.hundredths[rows].reshape(count, -1)
    strength = pool.strength[rows].reshape(count, -1)
    places = 1 + (rating[:, None, :] > rating[:, :, None]).sum(2)
    team = np.zeros(len(row), np.int64)
    team[rows] = np.broadcast_to(np.arange(shape[1])[:, None], rows.reshape(shape).shape).ravel()
    tickets = [index[ticket] for proposal in proposals for ticket in proposal.tickets]
    ends = list(accumulate((len(proposal.tickets) for proposal in proposals), initial=0))
    keys = sorted(new_key() for _ in proposals)  # sorted, so that they are neighbours in the index
    of_ticket = [key for key, proposal in zip(keys, proposals, strict=True) for _ in proposal.tickets]
    first = pool.first[tickets]
    waits = _waits_of(pool, tickets)
    return FormedLobbies(
        keys=keys,
        teams=loaded.player[rows].reshape(shape).tolist(),
        places=places.reshape(shape).tolist(),
        spread=np.ptp(strength, axis=1).tolist(),
        waits=[waits[start:end] for start, end in pairwise(ends)],
        claims=list(zip([int(pool.ids[ticket]) for ticket in tickets], of_ticket, team[first].tolist(), strict=True)),
    )


def _waits_of(pool: Pool, tickets: list[int]) -> list[tuple[int, int, float]]:
    """The percentile, the size and the seconds waited of each ticket, by its first player."""
    first = pool.first[tickets]
    percentiles = pool.percentile[first].astype(np.int64).tolist()
    return list(zip(percentiles, pool.size[tickets].tolist(), pool.waited[first].round(1).tolist(), strict=True))
