"""Parties of players who queue together."""

from matchmaking.parties import parties
from tests.support.factories import NOW


def party_of(leader, *others):
    for player in others:
        parties.accept_invitation(parties.invite(player, by=leader, now=NOW), by=player, now=NOW)
