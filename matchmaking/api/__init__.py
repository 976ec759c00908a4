"""The HTTP API of matchmaking: tickets, lobbies, parties, servers. Start with: urls, tickets."""
