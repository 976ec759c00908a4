"""Who looks: the player of the account that is logged in."""

from typing import cast

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from leaderboards.notices import with_unread
from ranking.models import Player


def find_viewer(user: AbstractBaseUser | AnonymousUser) -> Player | None:
    """The account's player with the number of their unread notices; None for strangers and accounts without one.

    Read once a request, in one statement; `user.player` is the same from then on.
    """
    if not user.is_authenticated:
        return None
    relation = Player._meta.get_field("user").remote_field
    if not relation.is_cached(user):
        relation.set_cached_value(user, with_unread(Player.objects.filter(user=user.pk)).first())
    return cast("Player | None", relation.get_cached_value(user))
