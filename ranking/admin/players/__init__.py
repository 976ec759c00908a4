"""Admin pages of players and of merging them. Start with: players."""

from ranking.admin.players import merging, players

__all__ = ["merging", "players"]
