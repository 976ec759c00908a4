"""The window's own tables: whom people follow, and whom they block."""

from leaderboards.models.friends import Blocking, Following

__all__ = ["Blocking", "Following"]
