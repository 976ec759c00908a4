"""The window's HTTP API: modes, boards, players, and the post-game page as data."""
