"""Who looks: the player of the account that is logged in."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from ranking.models import Player


def find_viewer(user: AbstractBaseUser | AnonymousUser) -> Player | None:
    """The account's player, read once a request; None for strangers and for accounts without one."""
    player: Player | None = getattr(user, "player", None)
    return player
