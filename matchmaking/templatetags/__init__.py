"""Template tags of the pages of queues and lobbies. Start with: play."""
