"""A player's token: what a game's back end obtains for a client, so that the client acts as that player.

Signed by the site's secret key and kept nowhere; good for an hour.
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
    """Until when a token issued at this moment or right after it is good, to the second."""
    return now.replace(microsecond=0) + LIFE


def find_bearer(token: str) -> Player | None:
    """The player whose unexpired token this is."""
    try:
        pk = _signer.unsign(token.removeprefix(PREFIX), max_age=LIFE)
    except BadSignature:
        return None
    found = Player.objects.select_related("merged_into").filter(pk=pk, anonymised_at=None).first()
    return None if found is None else found.owner
