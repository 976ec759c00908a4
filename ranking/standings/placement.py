"""When a player is placed: by so many completed matches, of which brief ones don't count; fewer if their rating comes
from an earlier season, none if they brought one along that placed them at once.
"""

from django.db.models import F, Q

from ranking.models import Mode, Rating


def placement_of(rating: Rating, mode: Mode) -> int:
    """The completed matches that place the player of a rating."""
    return 0 if rating.placed_at is not None else mode.placement_of(rating.carried)


def is_placed(rating: Rating, mode: Mode) -> bool:
    return rating.placement_done >= placement_of(rating, mode)


def placed_in_sql(mode: Mode) -> Q:
    """A condition on a mode's ratings: their players are placed."""
    others = F("draws") + F("losses") - F("brief_matches")
    return (
        Q(placed_at__isnull=False)
        | Q(carried=False, wins__gte=mode.placement_of(False) - others)
        | Q(carried=True, wins__gte=mode.placement_of(True) - others)
    )
