"""Player tokens: a game's back end gets a token for a client, and the client acts as that player.

A token is signed with the site's secret key, valid for an hour, and stored nowhere.
"""

import datetime as dt

from django.core.signing import BadSignature, TimestampSigner

from ranking.models import Player

LIFE = dt.timedelta(hours=1)
PREFIX = "rungs-player_"  # tells a token from a key, which begins "rungs_"

_signer = TimestampSigner(salt="ranking.tokens")


def issue_token(player: Player) -> str:
    return PREFIX + _signer.sign(str(player.pk))


def token_expiry(now: dt.datetime) -> dt.datetime:
    """Return the expiry of a token that is issued now, to the second."""
    return now.replace(microsecond=0) + LIFE


def find_bearer(token: str) -> Player | None:
    """Return the player of a valid token; None if the token is invalid, expired, or of a player who left."""
    try:
        pk = _signer.unsign(token.removeprefix(PREFIX), max_age=LIFE)
    except BadSignature:
        return None
    player = Player.objects.select_related("merged_into").filter(pk=pk, anonymised_at=None).first()
    return None if player is None else player.owner
