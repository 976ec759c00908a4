"""Tables of matchmaking: queues, tickets, parties, lobbies, servers, and the history of matches formed.

Start with: queue, ticket, lobby.
"""

from matchmaking.models.formed import Formed
from matchmaking.models.lobby import Lobby
from matchmaking.models.party import Invitation, Party, PartyMember
from matchmaking.models.queue import Queue
from matchmaking.models.server import Server
from matchmaking.models.ticket import Ticket, TicketMember
from matchmaking.models.unreported import UnreportedLoss

__all__ = [
    "Formed",
    "Invitation",
    "Lobby",
    "Party",
    "PartyMember",
    "Queue",
    "Server",
    "Ticket",
    "TicketMember",
    "UnreportedLoss",
]
