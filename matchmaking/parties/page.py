"""The party page: members, invitations sent and received, and players whom the viewer may invite."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from leaderboards.people.brief_standings import BriefStanding, load_brief_standings
from leaderboards.people.following import followings_of
from leaderboards.people.search import find_by_name
from matchmaking import lifecycle
from matchmaking.lobbies.under_way import find_playing
from matchmaking.models import Invitation, Party, PartyMember, Queue, Ticket
from matchmaking.parties.parties import find_party, invitations_to, members_of
from matchmaking.queues.queue_page import find_queues
from matchmaking.refusals import Refusal
from ranking.models import Player, ReadAccess

PEOPLE = 50  # offered at once
QUEUED, PLAYING = "queued", "playing"


@dataclass(frozen=True, slots=True)
class PartyPage:
    """The page's content. `members` empty: the viewer is in no party.

    `people`: players to invite; with a `query`, those found by name. `more`: there are more than these. `states`: by
    the id of a member, what they do. `standings`: of everybody on the page, by their id.
    """

    members: Sequence[PartyMember]
    invited: Sequence[Invitation]
    invitations: Sequence[Invitation]
    people: Sequence[Player]
    queues: Sequence[Queue]
    leads: bool = False
    query: str = ""
    more: bool = False
    states: Mapping[int, str] = field(default_factory=dict)
    standings: Mapping[int, BriefStanding] = field(default_factory=dict)

    @property
    def facts(self) -> tuple[object, ...]:
        """Everything that may change without the viewer, to find out whether it has."""
        return (
            [(member.player_id, member.player.name, member.leads) for member in self.members],
            sorted(self.states.items()),
            [(invitation.player_id, invitation.player.name) for invitation in self.invited],
            [(invitation.party_id, invitation.by.name) for invitation in self.invitations],
            [self._ranks(player.pk) for player in self.in_sight],
            [queue.pk for queue in self.queues],
        )

    @property
    def in_sight(self) -> list[Player]:
        """The members, those invited, and those who invite the viewer."""
        own = [*(member.player for member in self.members), *(invitation.player for invitation in self.invited)]
        return [*own, *(invitation.by for invitation in self.invitations)]

    def _ranks(self, player: int) -> list[tuple[int, int]]:
        return [(board.mode.pk, place.rank) for board, place in self.standings[player].boards]


def load_party_page(viewer: Player, query: str = "", *, now: dt.datetime) -> PartyPage:
    """Load the page in nine queries, for any number of players; four more for a name of three letters or more."""
    party = find_party(viewer)
    members = [] if party is None else members_of(party)
    invited = [] if party is None else list(party.invitations.select_related("player", "by"))
    in_party = {viewer.pk, *(member.player_id for member in members), *(invitation.player_id for invitation in invited)}
    names = find_by_name(query)
    people = names.players if names.query else [row.followed for row in followings_of(viewer)[:PEOPLE]]
    people = [player for player in people if player.pk not in in_party]
    page = PartyPage(
        members=members,
        invited=invited,
        invitations=invitations_to(viewer),
        people=people,
        queues=[queue for queue in find_queues() if queue.open and queue.party_limit >= max(2, len(members))],
        leads=any(member.leads and member.player_id == viewer.pk for member in members),
        query=names.query,
        more=bool(names.next),
        states={} if party is None else _states(party, members, viewer, now),
    )
    return replace(page, standings=load_brief_standings([*page.in_sight, *people], ReadAccess(viewer.pk)))


def _states(party: Party, members: Sequence[PartyMember], viewer: Player, now: dt.datetime) -> dict[int, str]:
    """What members do, by their id, as far as others may know: nobody is told of somebody's lockout. Two queries."""
    ids = [member.player_id for member in members]
    live = Ticket.objects.filter(party=party, state__in=lifecycle.TICKET.going_on)
    ticket = live.values_list("state", flat=True).first()
    if ticket is not None:
        return dict.fromkeys(ids, QUEUED if ticket == lifecycle.WAITING else PLAYING)
    return dict.fromkeys(find_playing(ids, now, viewer=viewer.pk), PLAYING)


def get_invitation(player: Player, party: int) -> Invitation:
    """The player's invitation to the party with this id. Raises Refusal if there is none (any more)."""
    invitation = Invitation.objects.select_related("party", "by").filter(player=player, party=party).first()
    if invitation is None:
        raise Refusal("taken-back")
    return invitation


def get_own_invitation(member: Player, player: Player) -> Invitation:
    """The open invitation of `player` to the party that `member` is in. Raises Refusal if there is none."""
    invitation = Invitation.objects.filter(player=player, party__members__player=member).first()
    if invitation is None:
        raise Refusal("taken-back:player", player=player.name)
    return invitation
