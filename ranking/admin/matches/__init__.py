"""Admin pages of matches, the ledger's changes and ratings. Start with: matches."""

from ranking.admin.matches import changes, doubles, matches, ratings

__all__ = ["changes", "doubles", "matches", "ratings"]
