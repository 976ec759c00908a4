"""The HTTP API of leaderboards: modes, boards, players, people, post-game pages. Start with: urls, boards."""
