"""Links by which players invite friends: who opens one and agrees follows the player, and is followed by them."""

from __future__ import annotations

import contextlib
import datetime as dt

from django.core import signing
from django.db import transaction

from leaderboards.models import Blocking
from leaderboards.people.following import NotPossible, follow_player, hold_lists_of
from ranking.models import Player
from ranking.players.players import find_player

LASTS = dt.timedelta(days=30)
_SALT = "rungs.invite"


def make_invite(player: Player) -> str:
    """Return a token for a link, which holds for LASTS. Whoever has it may become a friend, so it is no secret."""
    return signing.dumps(player.key, salt=_SALT)


def find_inviter(token: str) -> Player | None:
    """Return who invites by this token; None if it is wrong or too old, or if they have left for good."""
    try:
        key = signing.loads(token, salt=_SALT, max_age=LASTS)
    except signing.BadSignature:
        return None
    inviter = find_player(key)
    return None if inviter is None or inviter.anonymised_at is not None else inviter


@transaction.atomic
def befriend(guest: Player, inviter: Player, *, now: dt.datetime) -> None:
    """Let both follow each other. Raise NotPossible if the guest can't follow the inviter, and if one blocks the other.

    The inviter doesn't follow back if they follow too many people.
    """
    hold_lists_of(guest, inviter)
    if Blocking.objects.filter(blocker=guest, blocked=inviter).exists():
        raise NotPossible("blocks", player=inviter.name)
    follow_player(guest, inviter, now=now)
    with contextlib.suppress(NotPossible):
        follow_player(inviter, guest, now=now)
