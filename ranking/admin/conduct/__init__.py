"""Admin pages of conduct: leavers, appeals, bans and pardons. Start with: leavers, sanctions."""

from ranking.admin.conduct import appeals, leavers, sanctions

__all__ = ["appeals", "leavers", "sanctions"]
