"""The party page: members, invitations sent and received, and players whom the viewer may invite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboards.people.following import followings_of
from leaderboards.people.search import find_by_name
from matchmaking.models import Invitation, PartyMember, Queue
from matchmaking.parties.parties import find_party, invitations_to, members_of
from matchmaking.queues.queue_page import find_queues
from matchmaking.refusals import Refusal
from ranking.models import Player

PEOPLE = 50  # offered at once


@dataclass(frozen=True, slots=True)
class PartyPage:
    """The page's content. `members` empty: the viewer is in no party.

    `people`: players to invite; with a `query`, those found by name. `more`: there are more than these.
    """

    members: Sequence[PartyMember]
    invited: Sequence[Invitation]
    invitations: Sequence[Invitation]
    people: Sequence[Player]
    queues: Sequence[Queue]
    leads: bool = False
    query: str = ""
    more: bool = False

    @property
    def facts(self) -> tuple[object, ...]:
        """Everything that may change without the viewer, to find out whether it has."""
        return (
            [(member.player_id, member.player.name, member.leads) for member in self.members],
            [(invitation.player_id, invitation.player.name) for invitation in self.invited],
            [(invitation.party_id, invitation.by.name) for invitation in self.invitations],
            [queue.pk for queue in self.queues],
        )


def load_party_page(viewer: Player, query: str = "") -> PartyPage:
    """Load the page in six queries, for any number of players."""
    party = find_party(viewer)
    members = [] if party is None else members_of(party)
    invited = [] if party is None else list(party.invitations.select_related("player", "by"))
    in_party = {viewer.pk, *(member.player_id for member in members), *(invitation.player_id for invitation in invited)}
    names = find_by_name(query)
    people = names.players if names.query else [row.followed for row in followings_of(viewer)[:PEOPLE]]
    return PartyPage(
        members=members,
        invited=invited,
        invitations=invitations_to(viewer),
        people=[player for player in people if player.pk not in in_party],
        queues=[queue for queue in find_queues() if queue.open and queue.party_limit >= max(2, len(members))],
        leads=any(member.leads and member.player_id == viewer.pk for member in members),
        query=names.query,
        more=bool(names.next),
    )


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
