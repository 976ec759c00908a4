"""Who looks: the player of the account that is logged in."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User

from ranking.models import STRANGER, Player, Sight


def find_viewer(user: AbstractBaseUser | AnonymousUser) -> Player | None:
    """The account's player, read once a request; None for strangers and for accounts without one."""
    player: Player | None = getattr(user, "player", None)
    return player


def sight_of(user: AbstractBaseUser | AnonymousUser) -> Sight:
    """What the account may see of players who hide their matches: moderators see everything."""
    if isinstance(user, User) and user.is_staff and user.has_perm("ranking.change_player"):
        return Sight(everything=True)
    viewer = find_viewer(user)
    return STRANGER if viewer is None else Sight(viewer.pk)
