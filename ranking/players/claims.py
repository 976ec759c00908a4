"""Claiming one's player: the game hands out a code, and the account that enters it owns the player."""

import datetime as dt
import secrets
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.crypto import salted_hmac

from ranking.models import ClaimCode, Player

LIFE = dt.timedelta(minutes=15)
LENGTH = 8  # of ALPHABET: 39 bits, for a quarter of an hour, against limits on guessing
ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # nothing that reads as something else

UNKNOWN = "This code isn’t known. It may have expired or been used: ask the game for a new one."
OWNED = "{name} belongs to another account. If that’s you, log in with it; if not, ask a moderator."
HAS_PLAYER = "Your account has a player already: {name}. An account has one."


class ClaimRefused(Exception):
    """Why an account doesn't get the player; the message is for the one who entered the code."""


@dataclass(frozen=True, slots=True)
class IssuedCode:
    """A code as it is shown, once; until when it is good."""

    code: str
    expires_at: dt.datetime


def issue_claim_code(player: Player, *, now: dt.datetime) -> IssuedCode:
    """A new code in place of the player's last."""
    code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
    issued = IssuedCode(f"{code[:4]}-{code[4:]}", now + LIFE)
    ClaimCode.objects.update_or_create(
        player=player, defaults={"digest": _digest(code), "expires_at": issued.expires_at}
    )
    return issued


def claim_player(code: str, *, by: User, now: dt.datetime) -> Player:
    """Make the account the owner of the code's player and use the code up; raises ClaimRefused and changes nothing.

    Whoever comes second finds the code gone, or the player or the account taken: each step is conditional.
    """
    own = Player.objects.filter(user=by).first()
    if own is not None:
        raise ClaimRefused(HAS_PLAYER.format(name=own.name))
    try:
        with transaction.atomic():
            return _claim(_digest(_normal(code)), by, now)
    except IntegrityError:  # the same account, meanwhile, by another code
        raise ClaimRefused(HAS_PLAYER.format(name=Player.objects.get(user=by).name)) from None


def _claim(digest: str, by: User, now: dt.datetime) -> Player:
    live = ClaimCode.objects.select_related("player").filter(digest=digest, expires_at__gt=now)
    found = live.first()
    if found is None or not live.delete()[0]:
        raise ClaimRefused(UNKNOWN)
    if not Player.objects.filter(pk=found.player_id, user=None).update(user=by):
        raise ClaimRefused(OWNED.format(name=found.player.name))
    found.player.user = by
    return found.player


def release_player(player: Player) -> bool:
    """Part a player from the account that owns it; False where none does."""
    return bool(Player.objects.filter(pk=player.pk, user__isnull=False).update(user=None))


def _normal(code: str) -> str:
    """As it was issued, however it was typed."""
    return "".join(character for character in code.upper() if character not in "- \t")


def _digest(code: str) -> str:
    """With the site's secret: what the database alone holds can't be searched for codes."""
    return salted_hmac("ranking.claims", code, algorithm="sha256").hexdigest()
