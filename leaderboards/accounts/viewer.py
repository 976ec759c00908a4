"""The viewer: the player of the account that is logged in."""

from functools import cache
from typing import cast

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import BigIntegerField
from django.http import HttpRequest

from leaderboards.accounts.staff import staff_may
from leaderboards.notifications.notices import with_unread
from ranking.database.prepared_queries import Placeholder, PreparedModels, prepare_models
from ranking.models import Player, ReadAccess


def find_viewer(user: AbstractBaseUser | AnonymousUser) -> Player | None:
    """Return the account's player with the number of unread notices; None for strangers and accounts without a player.

    One statement, once a request: afterwards `user.player` is the same object.
    """
    if not user.is_authenticated:
        return None
    relation = Player._meta.get_field("user").remote_field
    if not relation.is_cached(user):
        player = _of_account().first(user=user.pk)
        relation.set_cached_value(user, player)
        if player is not None:
            player.user = cast("User", user)
    return cast("Player | None", relation.get_cached_value(user))


@cache
def _of_account() -> PreparedModels[Player]:
    return prepare_models(with_unread(Player.objects.filter(user=Placeholder("user", BigIntegerField()))))


def read_access_of(request: HttpRequest) -> ReadAccess:
    """Return what the account may see of players who hide their matches; moderators see everything."""
    viewer = find_viewer(request.user)
    everything = staff_may(request, "ranking.view_player", "ranking.change_player")
    return ReadAccess(None if viewer is None else viewer.pk, everything=everything)
