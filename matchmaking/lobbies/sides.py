"""The teams of a lobby as its page shows them: each player's standing, and the chances.

Standings are published ones; chances and stakes are live. The page hides what the mode hides.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from leaderboards.boards.published import Standing, read_consistently
from leaderboards.profiles.meetings import Tally
from matchmaking import lifecycle
from matchmaking.lobbies._standings import absence_of, published_rating, read_field, standings_of
from matchmaking.lobbies.stakes import Outlook, Stakes, find_outlook
from matchmaking.models import Lobby, TicketMember
from ranking.models import Player
from ranking.modes.mode_states import system_now
from ranking.players.visibility import shown

Members = Mapping[int, TicketMember]  # the players whose tickets are in the lobby, by id


@dataclass(frozen=True, slots=True)
class Opponent:
    """`form`: outcomes of the last matches of the season, oldest first; empty if the player hides their matches, and
    with more than two teams. `tally`: the viewer's record against the player; None if they are team-mates or never met.
    """

    form: tuple[str, ...] = ()
    tally: Tally | None = None


@dataclass(frozen=True, slots=True)
class LobbySeat:
    """A player in the lobby. `place`: rank among all of the lobby, by display rating when it formed, if the mode shows
    ranks.

    `absence`: why there is no standing, in words. `party`: the same for all of one party. `mate`: in the viewer's
    party. `opponent`: see matchmaking.lobbies.opponents, which adds it.
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
    opponent: Opponent | None = None


@dataclass(frozen=True, slots=True)
class LobbySide:
    """A team as the page shows it. `probability` of winning, 0 to 1; None if it is unknown or hidden.

    `player`: the name is a player's.
    """

    name: str
    seats: tuple[LobbySeat, ...]
    probability: float | None
    player: bool = False

    @property
    def ranked(self) -> list[LobbySeat]:
        """The seats, best place first."""
        return sorted(self.seats, key=lambda seat: seat.place or 0)

    @property
    def chance(self) -> int | None:
        """The probability of winning in per cent."""
        return None if self.probability is None else round(100 * self.probability)


def load_sides(
    lobby: Lobby, members: Members, watched: int | None, now: dt.datetime
) -> tuple[tuple[LobbySide, ...], Stakes | None]:
    """The lobby's sides, and the stakes of the `watched` player (the viewer)."""
    mode = lobby.queue.mode
    parties = parties_of(members)
    system = system_now(mode)
    field = read_consistently(lambda: read_field(lobby, mode))
    people, ratings, standings = field.players, field.ratings, standings_of(field)
    outlook = Outlook((None,) * len(lobby.teams))
    if lobby.state in lifecycle.LOBBY.going_on:
        outlook = find_outlook(lobby, system, field, parties=parties, watched=watched, now=now)

    def seat_of(player: int, place: int) -> LobbySeat:
        member, rating = members.get(player), ratings.get(player)
        return LobbySeat(
            player=people[player],
            place=place if shown(mode).rank else None,
            standing=standings.get(player),
            rating=published_rating(rating, mode, system.decimals),
            absence=absence_of(rating, mode),
            accepted=member is not None and member.accepted_at is not None,
            party=_party_of(member),
            own=player == watched,
            mate=player != watched and watched in parties and parties.get(player) == parties[watched],
        )

    sides = []
    for index, (team, places) in enumerate(zip(lobby.teams, lobby.places, strict=True)):
        seats = tuple(seat_of(player, place) for player, place in zip(team, places, strict=True))
        sides.append(LobbySide(_name(lobby, seats, index, watched), seats, outlook.chances[index], len(seats) == 1))
    return tuple(sides), outlook.stakes


def unseated(player: Player, members: Members) -> LobbySeat:
    """The viewer in a blind lobby, without team and place."""
    member = members.get(player.pk)
    accepted = member is not None and member.accepted_at is not None
    return LobbySeat(player, None, None, "", "", accepted, _party_of(member), own=True)


def _party_of(member: TicketMember | None) -> int | None:
    """The number of the ticket, if it is a party's: unlike the party it lasts as long as the lobby."""
    return member.ticket_id if member is not None and member.ticket.size > 1 else None


def parties_of(members: Members) -> dict[int, str]:
    """The party of each player who is in one, as rating systems take it."""
    return {pk: str(member.ticket_id) for pk, member in members.items() if member.ticket.size > 1}


def _name(lobby: Lobby, seats: Sequence[LobbySeat], index: int, watched: int | None) -> str:
    if len(seats) == 1:
        return seats[0].player.name
    if watched is None or len(lobby.teams) > 2:
        return gettext("Team %(number)d") % {"number": index + 1}
    return gettext("Your team") if any(seat.own for seat in seats) else gettext("Opponents")
