"""How close a match is, as a word: the most that players learn of it before everybody has accepted."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from matchmaking.lobbies._standings import with_entries
from matchmaking.lobbies.stakes import chances_of
from matchmaking.models import Lobby
from ranking.models import Rating
from ranking.modes.mode_states import system_now

EVEN, FAVOURED, CLEARLY = BALANCES = "even", "favoured", "clearly_favoured"
_EVEN_UP_TO, _FAVOURED_UP_TO = 1.5, 3.0  # the favourite's odds, against fair odds: 60 and 75 % of two teams


def balance_of(chances: Sequence[float | None]) -> str:
    """EVEN, FAVOURED (one side is), CLEARLY (one side is, clearly), or "" if chances are unknown.

    `chances`: each team's chance to win.
    """
    known = [chance for chance in chances if chance is not None]
    if len(known) < len(chances) or not known:
        return ""
    best = max(known)
    if best == 1:
        return CLEARLY
    odds = round(best / (1 - best) * (len(known) - 1), 9)
    return EVEN if odds <= _EVEN_UP_TO else FAVOURED if odds <= _FAVOURED_UP_TO else CLEARLY


def estimate_chances(lobby: Lobby, parties: Mapping[int, str], now: dt.datetime) -> tuple[float | None, ...]:
    """Each team's chance by the ratings now, even if the mode hides ratings: only the word is shown.

    Two queries, and those of `with_entries`.
    """
    mode = lobby.queue.mode
    ratings = Rating.objects.filter(mode=mode, season__current=True, player__in=lobby.players)
    by_player = with_entries(mode, lobby, {rating.player_id: rating for rating in ratings})
    system = system_now(mode)
    return chances_of(system, by_player, lobby.teams, parties=parties, now=now)
