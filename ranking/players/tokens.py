"""Player tokens: a game's back end gets a token for a client by its key, and the client acts as that player.

A token is signed with the site's secret key and stored nowhere. It is valid for an hour, unless its key is revoked or
expires before. If its key is for some modes only, the client queues and plays in these modes only.
"""

import datetime as dt

from django.core.signing import BadSignature, TimestampSigner
from django.db.models import Exists, Q
from django.utils import timezone

from ranking.models import Key, Player

LIFE = dt.timedelta(hours=1)
PREFIX = "rungs-player_"  # tells a token from a key, which begins "rungs_"

_signer = TimestampSigner(salt="ranking.tokens")


def issue_token(player: Player, *, key: Key) -> str:
    """Return a token that belongs to the key by which it is obtained."""
    return PREFIX + _signer.sign(f"{player.pk}.{key.pk}")


def token_expiry(key: Key, now: dt.datetime) -> dt.datetime:
    """Return the expiry of a token that is issued now, to the second: no token lives longer than its key."""
    expires_at = now + LIFE if key.expires_at is None else min(now + LIFE, key.expires_at)
    return expires_at.replace(microsecond=0)


def find_bearer(token: str) -> tuple[Player, Key | None] | None:
    """Return the player of a valid token, and its key if that is for some modes only; by one query.

    None if the token is invalid or expired, its key was revoked, has expired or was deleted, or the player has left.
    """
    try:
        player_id, _, key_id = _signer.unsign(token.removeprefix(PREFIX), max_age=LIFE).partition(".")
    except BadSignature:
        return None
    if not key_id:
        return None  # a token of an earlier version, which names no key
    now = timezone.now()
    works = Exists(Key.objects.filter(Q(expires_at=None) | Q(expires_at__gt=now), pk=key_id, revoked_at=None))
    rows = Player.objects.annotate(bound=Exists(Key.modes.through.objects.filter(key_id=key_id)))
    player = rows.select_related("merged_into").filter(works, pk=player_id, anonymised_at=None).first()
    if player is None:
        return None
    return player.owner, Key(pk=int(key_id)) if player.bound else None
