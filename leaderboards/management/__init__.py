"""Management commands of leaderboards."""
