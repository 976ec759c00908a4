"""Admin pages of modes: settings, parameters, snapshots, re-ratings. Start with: modes, forms."""

from ranking.admin.modes import history, modes, reratings, seasons, snapshots

__all__ = ["history", "modes", "reratings", "seasons", "snapshots"]
