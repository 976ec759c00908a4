"""The front page: for players their own modes and friends, for strangers the top of each mode. Start with: page."""
