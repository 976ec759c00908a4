"""Claims: the game hands out a code, and the account that enters the code owns the player."""

import datetime as dt
import secrets
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from ranking.models import ClaimCode, Player
from ranking.wording.refusals import WordedRefusal

LIFE = dt.timedelta(minutes=15)
LENGTH = 8  # characters of ALPHABET: 39 bits; enough for 15 minutes with a rate limit on attempts
ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # without characters that look like others

_SENTENCES: dict[str, object] = {
    "unknown": _("This code isn’t known. It may have expired or been used: ask the game for a new one."),
    "owned": _("%(player)s belongs to another account. If that’s you, log in with it; if not, ask a moderator."),
    "has-player": _("Your account has a player already: %(player)s. An account has one."),
    "too-often": _("Too many tries. Wait a minute, then look at the code once more."),
}


class ClaimRefused(WordedRefusal):
    """The account doesn't get the player. `str` words the code of the reason for the person who claims it."""

    sentences = _SENTENCES


@dataclass(frozen=True, slots=True)
class IssuedCode:
    """A new code as it is shown, once, with the time until which it is valid."""

    code: str
    expires_at: dt.datetime


def issue_claim_code(player: Player, *, now: dt.datetime) -> IssuedCode:
    """Make a new code, which replaces the player's previous one."""
    code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
    issued = IssuedCode(f"{code[:4]}-{code[4:]}", now + LIFE)
    ClaimCode.objects.update_or_create(
        player=player, defaults={"digest": _digest(code), "expires_at": issued.expires_at}
    )
    return issued


def claim_player(code: str, *, by: User, now: dt.datetime) -> Player:
    """Make the account the owner of the code's player and delete the code; or raise ClaimRefused, changing nothing.

    Of two concurrent claims, the second finds the code gone, or the player or the account taken: each step is
    conditional.
    """
    own = Player.objects.filter(user=by).first()
    if own is not None:
        raise ClaimRefused("has-player", player=own.name)
    try:
        with transaction.atomic():
            return _claim(_digest(_normal(code)), by, now)
    except IntegrityError:  # the account has claimed another player meanwhile
        raise ClaimRefused("has-player", player=Player.objects.get(user=by).name) from None


def _claim(digest: str, by: User, now: dt.datetime) -> Player:
    live = ClaimCode.objects.select_related("player").filter(digest=digest, expires_at__gt=now)
    claim_code = live.first()
    if claim_code is None or not live.delete()[0]:
        raise ClaimRefused("unknown")
    player = claim_code.player
    if not Player.objects.filter(pk=player.pk, user=None).update(user=by):
        raise ClaimRefused("owned", player=player.name)
    player.user = by
    return player


def release_player(player: Player) -> bool:
    """Take a player from the account that owns it; False if no account does."""
    return bool(Player.objects.filter(pk=player.pk, user__isnull=False).update(user=None, avatar=""))


def _normal(code: str) -> str:
    """Return the code as it was issued: in capitals, without spaces and hyphens."""
    return "".join(character for character in code.upper() if character not in "- \t")


def _digest(code: str) -> str:
    """Return the digest of a code, keyed with the site's secret: the database alone is no use for guessing codes."""
    return salted_hmac("ranking.claims", code, algorithm="sha256").hexdigest()
