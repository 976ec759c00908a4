"""Which players a key that is for some modes reaches: those of its modes, and newcomers, who have played none yet."""

from collections.abc import Iterable

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef

from ranking.models import Key, Participation, Player, Rating


class OutOfReach(PermissionDenied):
    """The key is for modes that the player hasn't played: 403, with a message for the key's owner."""

    code = "other-mode"


def check_key_reaches(key: Key, players: Iterable[int]) -> None:
    """Raise OutOfReach unless the key reaches each of these players: ids, or a query for them.

    One query if the key is for some modes only, otherwise none. A player is of a mode after a result or an imported
    rating in it. So a result sent with the key, or a ticket for a player who is new here, comes before all else.
    """
    if not getattr(key, "bound", True):
        return
    modes = key.modes.values("pk")
    ratings = Rating.objects.filter(player=OuterRef("pk"))
    parts = Participation.objects.filter(player=OuterRef("pk"))
    elsewhere = Player.objects.filter(
        Exists(ratings) | Exists(parts),
        ~Exists(ratings.filter(mode__in=modes)),
        ~Exists(parts.filter(match__mode__in=modes)),
        pk__in=players,
    )
    player = elsewhere.order_by("pk").first()
    if player is not None:
        raise OutOfReach(f"This key isn't for a mode that {player.key!r} has played.")
