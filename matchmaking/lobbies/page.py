"""The page of a lobby as its players see it: the sides, each player's standing, chances, and the viewer's stakes.

A blind lobby has no sides and no stakes: until everybody has accepted, a player learns nothing from which an opponent,
a team-mate outside the party, the map or the stakes could be told. If it falls through, it stays blind.
"""

from __future__ import annotations

import datetime as dt
from contextlib import suppress
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from leaderboards.postgame.forfeit import ForfeitPage, load_forfeit
from leaderboards.postgame.leavers import Price, load_prices
from matchmaking import lifecycle
from matchmaking.lobbies.balance import balance_of, estimate_chances
from matchmaking.lobbies.sides import LobbySeat, LobbySide, Members, load_sides, parties_of, unseated
from matchmaking.lobbies.stakes import Stakes
from matchmaking.models import Lobby, TicketMember
from ranking.matches.forfeits import occasion_of
from ranking.models import Forfeit, Incident, Mode, Player, ReadAccess


@dataclass(frozen=True, slots=True)
class Companion:
    """A player of the viewer's own party, or the viewer, and whether they have accepted."""

    player: Player
    accepted: bool


@dataclass(frozen=True, slots=True)
class LobbyPage:
    """The page's content. `own` None: the viewer isn't one of the players, but a game server, for example.

    `accepted`: how many have accepted. `balance`: see matchmaking.lobbies.balance; "" if it isn't known. `party`: the
    viewer's party, the viewer among them. `ping`: the viewer's ping to the region, if the game measured one.
    `requeued`: the viewer waits in a queue again. `own_ending`: how the viewer's own ticket ended, if the viewer or
    the viewer's party made the lobby fall through, else "". `dropped`: the viewer dropped out, `forfeit`: with what it
    cost. `price`: of what the viewer did, if no forfeit says it.
    """

    lobby: Lobby
    mode: Mode
    sides: tuple[LobbySide, ...]
    own: LobbySeat | None
    stakes: Stakes | None
    accepted: int = 0
    balance: str = ""
    party: tuple[Companion, ...] = ()
    ping: float | None = None
    requeued: bool = False
    own_ending: str = ""
    dropped: bool = False
    forfeit: ForfeitPage | None = None
    price: Price | None = None

    @property
    def facts(self) -> tuple[object, ...]:
        """Everything that the page shows, to find out whether it has changed."""
        fields = ("state", "accept_until", "started_at", "missing_at", "server_id", "match_id", "ending_code")
        own = self.accepted, self.balance, self.party, self.requeued
        return *(getattr(self.lobby, name) for name in fields), self.blind, self.sides, self.stakes, *own

    @property
    def blind(self) -> bool:
        return bool(self.lobby.blind)

    @property
    def pips(self) -> list[bool]:
        """A mark for each player of a blind lobby, in no order of players: True for as many as have accepted."""
        return [number < self.accepted for number in range(self.size)]

    @property
    def ordered(self) -> list[LobbySide]:
        """The sides, the viewer's first."""
        return sorted(self.sides, key=lambda side: not any(seat.own for seat in side.seats))

    @property
    def cards(self) -> list[LobbySide]:
        """The sides as cards. If more than two players are each on their own, one card holds all of them."""
        if len(self.sides) > 2 and self.size == len(self.sides):
            return [LobbySide(str(_("Players")), tuple(self.seats), None)]
        return self.ordered

    @property
    def seats(self) -> list[LobbySeat]:
        return [seat for side in self.sides for seat in side.seats]

    @property
    def size(self) -> int:
        return len(self.lobby.players)

    @property
    def unaccepted(self) -> int:
        """How many haven't accepted."""
        return self.size - self.accepted

    @property
    def count_accepted(self) -> bool:
        """True while players accept, so that the page shows how many have."""
        return self.lobby.state == lifecycle.ACCEPTING and self.accepted < self.size and self.asks

    @property
    def asks(self) -> bool:
        """True if players are asked to accept."""
        return self.lobby.accept_until is not None

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
        if self.lobby.state == lifecycle.ACCEPTING and not self.count_accepted:
            return str(TITLES[lifecycle.READY])
        if self.dropped:
            return str(_("You dropped out"))
        return str(TITLES[self.lobby.state])

    @property
    def news(self) -> str:
        """How the lobby ended, if that says more than the title."""
        if self.own_ending:
            return "" if self.dropped else self.own_ending
        return "" if self.lobby.ending_code == "somebody-dropped" else self.lobby.ending


TITLES = {
    lifecycle.ACCEPTING: _("Match found"),
    lifecycle.READY: _("Everybody is in"),
    lifecycle.LIVE: _("The match is on"),
    lifecycle.FINISHED: _("The match is over"),
    lifecycle.CANCELLED: _("The match fell through"),
    lifecycle.FORFEITED: _("Somebody dropped out"),
    lifecycle.LOST: _("The result never came"),
    lifecycle.ABORTED: _("The match was called off"),
}


def is_player_of(lobby: Lobby, player: Player) -> bool:
    """True if the player is one of the lobby's players."""
    return player.pk in lobby.players


def load_lobby_page(lobby: Lobby, viewer: Player | None, now: dt.datetime) -> LobbyPage:
    """Load the page of a lobby that was read with its queue, mode and server. Six queries, however many players.

    More for a viewer who made it fall through.
    """
    watched = viewer.pk if viewer is not None and is_player_of(lobby, viewer) else None
    rows = TicketMember.objects.filter(ticket__lobby=lobby).select_related("ticket", "player").order_by("pk")
    members = {member.player_id: member for member in rows}
    sides, stakes, chances = _sides(lobby, members, watched, now)
    own = next((seat for side in sides for seat in side.seats if seat.own), None)
    if lobby.blind and viewer is not None and watched is not None:
        own = unseated(viewer, members)
    fell = watched is not None and lobby.state in (lifecycle.FORFEITED, lifecycle.CANCELLED)
    incident = _incident_of(lobby, watched) if fell and watched is not None else None
    forfeit, price = _cost_of(incident, now) if incident is not None else (None, None)
    return LobbyPage(
        lobby=lobby,
        mode=lobby.queue.mode,
        sides=sides,
        own=own,
        stakes=stakes,
        accepted=sum(member.accepted_at is not None for member in members.values()),
        balance=balance_of(chances),
        party=tuple(Companion(member.player, member.accepted_at is not None) for member in _party(members, watched)),
        ping=(members[watched].ticket.pings.get(lobby.region) or None) if watched in members else None,
        own_ending=members[watched].ticket.ending if fell and watched in members else "",
        dropped=incident is not None and incident.kind == Incident.DROPOUT,
        forfeit=forfeit,
        price=price,
        requeued=watched is not None and lobby.state in lifecycle.LOBBY.ends and _waits_again(watched, lobby),
    )


def _incident_of(lobby: Lobby, player: int) -> Incident | None:
    """What the player did in the lobby: dropped out, or missed the accept; else None."""
    occasion = occasion_of(lobby.queue.mode_id, lobby.pk)
    return Incident.objects.filter(player=player, occasion=occasion).first()


def _cost_of(incident: Incident, now: dt.datetime) -> tuple[ForfeitPage | None, Price | None]:
    """What it cost, for the player's own eyes: the forfeit in a ranked mode, else points and lockout."""
    player = incident.player_id
    if incident.forfeit_id is not None:
        with suppress(Forfeit.DoesNotExist):
            return load_forfeit(incident.forfeit_id, access=ReadAccess(player), now=now), None
    return None, load_prices(Incident.objects.filter(pk=incident.pk), [player], now).get(player)


def _sides(
    lobby: Lobby, members: Members, watched: int | None, now: dt.datetime
) -> tuple[tuple[LobbySide, ...], Stakes | None, tuple[float | None, ...]]:
    """The sides and the viewer's stakes, none while blind; and each team's chance, for the word of balance."""
    sides, stakes = ((), None) if lobby.blind else load_sides(lobby, members, watched, now)
    chances = tuple(side.probability for side in sides)
    if lobby.state in lifecycle.LOBBY.going_on and (not sides or None in chances):
        chances = estimate_chances(lobby, parties_of(members), now)
    return sides, stakes, chances


def _party(members: Members, watched: int | None) -> list[TicketMember]:
    """Those on the viewer's ticket, the viewer among them; empty if the viewer's ticket isn't in the lobby any more."""
    if watched is None or watched not in members:
        return []
    return [member for member in members.values() if member.ticket_id == members[watched].ticket_id]


def _waits_again(player: int, lobby: Lobby) -> bool:
    """True if the ticket that the player had in the lobby went back to its queue. Later tickets don't count."""
    live = TicketMember.objects.filter(player=player, live=True)
    return live.filter(ticket__queue=lobby.queue_id, ticket__queued_at__lte=lobby.formed_at).exists()
