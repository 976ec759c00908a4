"""Admin pages of conduct: leavers, appeals, bans and pardons. Start with: leavers, sanctions."""

from ranking.admin.conduct import appeals, ban_proposals, canned_answers, leavers, notes, sanctions

__all__ = ["appeals", "ban_proposals", "canned_answers", "leavers", "notes", "sanctions"]
