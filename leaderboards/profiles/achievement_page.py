"""A player's achievements in a mode: all that they have earned, with the days, and all that are still to be earned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboards.achievements.showing import (
    EarnedAchievement,
    LockedAchievement,
    find_earned,
    find_locked,
    shares_of,
)
from leaderboards.boards.boards import Board, board_of_rating
from leaderboards.profiles.profiles import find_latest_ranked, find_ranked_modes
from ranking.models import Mode, Player, ReadAccess
from ranking.rules.shares import percent_of


@dataclass(frozen=True, slots=True)
class AchievementPage:
    """What the page shows. `shares`: the share of players who have each achievement, by its key.

    `shows_matches`: the viewer may see the player's matches, and so the days of what matches earned.
    """

    player: Player
    modes: Sequence[Mode]
    board: Board
    earned: Sequence[EarnedAchievement]
    locked: Sequence[LockedAchievement]
    shares: dict[str, str]
    shows_matches: bool

    @property
    def done(self) -> int:
        """How many different achievements the player has."""
        return len({each.kind.key for each in self.earned})

    @property
    def total(self) -> int:
        return self.done + len(self.locked)

    @property
    def done_percent(self) -> int | None:
        return percent_of(self.done, self.total)


def load_achievement_page(player: Player, slug: str, *, access: ReadAccess) -> AchievementPage | None:
    """Return a player's achievements in a ranked mode, the newest first; None if they never played it.

    Eight queries at most. If the viewer may not see the player's matches, the order tells nothing of them.
    """
    latest = find_latest_ranked(player, slug)
    if latest is None:
        return None
    board = board_of_rating(latest)
    shows_matches = player.shows_matches_to(access)
    earned = find_earned(player, [board.mode])
    locked = find_locked(player, board.mode, earned, board.season, shows_progress=shows_matches)
    if shows_matches:
        earned.sort(key=lambda each: each.row.earned_at, reverse=True)
    modes = find_ranked_modes(player, board.mode)
    return AchievementPage(player, modes, board, earned, locked, shares_of(board.mode), shows_matches)
