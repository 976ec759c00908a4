"""Who looks: the player of the account that is logged in."""

from typing import cast

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User

from leaderboards.notifications.notices import with_unread
from ranking.models import STRANGER, Player, Sight


def find_viewer(user: AbstractBaseUser | AnonymousUser) -> Player | None:
    """The account's player with the number of their unread notices; None for strangers and accounts without one.

    Read once a request, in one statement; `user.player` is the same from then on.
    """
    if not user.is_authenticated:
        return None
    relation = Player._meta.get_field("user").remote_field
    if not relation.is_cached(user):
        found = with_unread(Player.objects.filter(user=user.pk)).first()
        relation.set_cached_value(user, found)
        if found is not None:
            found.user = cast("User", user)
    return cast("Player | None", relation.get_cached_value(user))


def sight_of(user: AbstractBaseUser | AnonymousUser) -> Sight:
    """What the account may see of players who hide their matches: moderators see everything."""
    may_look = ("ranking.view_player", "ranking.change_player")
    if isinstance(user, User) and user.is_staff and any(map(user.has_perm, may_look)):
        return Sight(everything=True)
    viewer = find_viewer(user)
    return STRANGER if viewer is None else Sight(viewer.pk)
