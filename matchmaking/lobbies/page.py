"""The page of a lobby as its players see it: the sides, each player's standing, chances, and the viewer's stakes.

Standings are published ones; chances and stakes are live. The page hides what the mode hides.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboards.boards.published import Standing, read_consistently
from matchmaking import lifecycle
from matchmaking.lobbies.stakes import Outlook, Stakes, outlook_of
from matchmaking.lobbies.standings import absence_of, published_rating, read_standings
from matchmaking.models import Lobby, TicketMember
from ranking.models import Mode, Player
from ranking.modes.parameters import current_parameters, system_of
from ranking.players.visibility import shown


@dataclass(frozen=True, slots=True)
class LobbySeat:
    """A player in the lobby. `place`: rank among all of the lobby, by display rating when it formed, if the mode shows
    ranks.

    `absence`: why there is no standing, in words. `party`: the id of the player's party, if any. `mate`: in the
    viewer's party.
    """

    player: Player
    place: int | None
    standing: Standing | None
    rating: str
    absence: str
    accepted: bool
    party: int | None
    own: bool
    mate: bool = False


@dataclass(frozen=True, slots=True)
class LobbySide:
    """A team as the page shows it. `probability` of winning, 0 to 1; None if it is unknown or hidden."""

    name: str
    seats: tuple[LobbySeat, ...]
    probability: float | None

    @property
    def ranked(self) -> list[LobbySeat]:
        """The seats, best place first."""
        return sorted(self.seats, key=lambda seat: seat.place or 0)

    @property
    def chance(self) -> int | None:
        """The probability of winning in per cent."""
        return None if self.probability is None else round(100 * self.probability)


@dataclass(frozen=True, slots=True)
class LobbyPage:
    """The page's content. `own` None: the viewer isn't one of the players, but a game server, for example.

    `ping`: the viewer's ping to the region, if the game measured one. `requeued`: the viewer waits in a queue again.
    """

    lobby: Lobby
    mode: Mode
    sides: tuple[LobbySide, ...]
    own: LobbySeat | None
    stakes: Stakes | None
    ping: float | None = None
    requeued: bool = False

    @property
    def facts(self) -> tuple[object, ...]:
        """Everything that the page shows, to find out whether it has changed."""
        fields = ("state", "accept_until", "started_at", "server_id", "match_id", "ending")
        return *(getattr(self.lobby, name) for name in fields), self.sides, self.stakes, self.requeued

    @property
    def ordered(self) -> list[LobbySide]:
        """The sides, the viewer's first."""
        return sorted(self.sides, key=lambda side: not any(seat.own for seat in side.seats))

    @property
    def cards(self) -> list[LobbySide]:
        """The sides as cards. If more than two players are each on their own, one card holds all of them."""
        if len(self.sides) > 2 and self.size == len(self.sides):
            return [LobbySide("Players", tuple(self.seats), None)]
        return self.ordered

    @property
    def seats(self) -> list[LobbySeat]:
        return [seat for side in self.sides for seat in side.seats]

    @property
    def size(self) -> int:
        return len(self.seats)

    @property
    def accepted(self) -> int:
        return sum(seat.accepted for seat in self.seats)

    @property
    def count_accepted(self) -> bool:
        """True while players accept, so that the page shows who has."""
        return self.lobby.state == lifecycle.ACCEPTING

    @property
    def chances(self) -> bool:
        """True if there are two sides whose chances can be compared."""
        return len(self.sides) == 2 and all(side.probability is not None for side in self.sides)

    @property
    def follow(self) -> bool:
        """True if the page may change without the viewer: the lobby goes on, or the viewer waits for the next one."""
        return self.going_on or self.requeued

    @property
    def going_on(self) -> bool:
        return self.lobby.state in lifecycle.LOBBY.going_on

    @property
    def title(self) -> str:
        return TITLES[self.lobby.state]

    @property
    def news(self) -> str:
        """How the lobby ended, if that says more than the title."""
        return "" if self.lobby.ending == f"{self.title}." else self.lobby.ending


TITLES = {
    lifecycle.ACCEPTING: "Match found",
    lifecycle.READY: "Everybody is in",
    lifecycle.LIVE: "The match is on",
    lifecycle.FINISHED: "The match is over",
    lifecycle.CANCELLED: "It fell through",
    lifecycle.FORFEITED: "Somebody dropped out",
    lifecycle.LOST: "The result never came",
}


def is_player_of(lobby: Lobby, player: Player) -> bool:
    """True if the player is one of the lobby's players."""
    return player.pk in lobby.players


def load_lobby_page(lobby: Lobby, viewer: Player | None, now: dt.datetime) -> LobbyPage:
    """Load the page of a lobby that was read with its queue, mode and server. Five queries, however many players."""
    watched = viewer.pk if viewer is not None and is_player_of(lobby, viewer) else None
    members = {member.player_id: member for member in _members(lobby)}
    sides, stakes = _sides(lobby, members, watched, now)
    return LobbyPage(
        lobby=lobby,
        mode=lobby.queue.mode,
        sides=sides,
        own=next((seat for side in sides for seat in side.seats if seat.own), None),
        stakes=stakes,
        ping=(members[watched].ticket.pings.get(lobby.region) or None) if watched in members else None,
        requeued=watched is not None and lobby.state in lifecycle.LOBBY.ends and _waits_again(watched),
    )


def _members(lobby: Lobby) -> list[TicketMember]:
    """The players whose tickets are still in the lobby."""
    return list(TicketMember.objects.filter(ticket__lobby=lobby).select_related("ticket"))


def _sides(
    lobby: Lobby, members: Mapping[int, TicketMember], watched: int | None, now: dt.datetime
) -> tuple[tuple[LobbySide, ...], Stakes | None]:
    """The lobby's sides, and the stakes of the `watched` player (the viewer)."""
    mode = lobby.queue.mode
    people = Player.objects.in_bulk(lobby.players)
    parties = {pk: str(member.ticket_id) for pk, member in members.items() if member.ticket.size > 1}
    system = system_of(current_parameters(mode))
    ratings, standings = read_consistently(lambda: read_standings(lobby, mode))
    outlook = Outlook((None,) * len(lobby.teams))
    if lobby.state in lifecycle.LOBBY.going_on:
        outlook = outlook_of(mode, system, ratings, lobby.teams, parties=parties, watched=watched, now=now)

    def seat_of(player: int, place: int) -> LobbySeat:
        member, rating = members.get(player), ratings.get(player)
        return LobbySeat(
            player=people[player],
            place=place if shown(mode).rank else None,
            standing=standings.get(player),
            rating=published_rating(rating, mode, system.decimals),
            absence=absence_of(rating, mode),
            accepted=member is not None and member.accepted_at is not None,
            party=member.ticket.party_id if member is not None else None,
            own=player == watched,
            mate=player != watched and watched in parties and parties.get(player) == parties[watched],
        )

    sides = []
    for index, (team, places) in enumerate(zip(lobby.teams, lobby.places, strict=True)):
        seats = tuple(seat_of(player, place) for player, place in zip(team, places, strict=True))
        sides.append(LobbySide(_name(lobby, seats, index, watched), seats, outlook.chances[index]))
    return tuple(sides), outlook.stakes


def _name(lobby: Lobby, seats: Sequence[LobbySeat], index: int, watched: int | None) -> str:
    if len(seats) == 1:
        return seats[0].player.name
    if watched is None or len(lobby.teams) > 2:
        return f"Team {index + 1}"
    return "Your team" if any(seat.own for seat in seats) else "Opponents"


def _waits_again(player: int) -> bool:
    return TicketMember.objects.filter(player=player, live=True).exists()
