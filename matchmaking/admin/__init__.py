"""Admin pages of matchmaking: set up queues; look at tickets, lobbies, parties and servers; end tickets and lobbies.

Start with: queues, lobbies.
"""

from matchmaking.admin import lobbies, parties, queues, servers, tickets

__all__ = ["lobbies", "parties", "queues", "servers", "tickets"]
