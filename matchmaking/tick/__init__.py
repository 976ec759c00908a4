"""One tick of a queue: load the tickets, match them, write lobbies and claim servers. Start with: tick, loading."""
