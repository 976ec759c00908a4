"""A leaderboard: its rows, its pages and the lookup of a player's position. Start with: boards, rows."""
