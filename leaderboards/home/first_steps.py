"""A newcomer's way from signing up to a rank: an account, a player, a match, the placement matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboards.boards.absence import UNPLACED, placement_reason
from leaderboards.boards.boards import BEGUN
from leaderboards.home.own_modes import OwnMode
from ranking.models import Mode, Player, Rating

ACCOUNT, PLAYER, MATCH, PLACEMENT = 1, 2, 3, 4


@dataclass(frozen=True, slots=True)
class FirstSteps:
    """`next`: the number of the step to take next; those before it are done.

    `mode`: the ranked mode to be placed in, None if the site has none; `done` and `needed` count its placement matches.
    """

    next: int
    mode: Mode | None
    done: int = 0
    needed: int = 0

    @property
    def why(self) -> str:
        """Why placement matches are asked for; empty if the mode asks for none."""
        return placement_reason(self.mode, self.needed) if self.mode and self.needed else ""


def find_first_steps(
    viewer: Player | None, own: Sequence[OwnMode], modes: Sequence[Mode], *, has_account: bool
) -> FirstSteps | None:
    """Return the steps of a visitor who has no rank yet; None for others, and for players if no mode is ranked.

    `own`: the viewer's ranked modes, the one played last first; `modes`: the site's. No query for strangers and for
    players who are placed in one of their modes; one for other players, because returning players are no newcomers.
    """
    first = next(iter(modes), None)
    if viewer is None:
        reached = PLAYER if has_account else ACCOUNT
        return FirstSteps(reached, first, needed=first.placement_matches if first else 0)
    if first is None and not own:
        return None
    if any(mode.absence is None or mode.absence.reason != UNPLACED for mode in own):
        return None
    if Rating.objects.filter(BEGUN, player=viewer, season__current=False, mode__ranked=True).exists():
        return None
    if own and own[0].absence is not None:
        return FirstSteps(PLACEMENT, own[0].board.mode, own[0].absence.done, own[0].absence.needed)
    return FirstSteps(MATCH, first, needed=first.placement_matches if first else 0)
