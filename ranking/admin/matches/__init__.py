"""Admin pages of matches, the ledger's changes and ratings. Start with: matches."""

from ranking.admin.matches import changes, matches, ratings

__all__ = ["changes", "matches", "ratings"]
