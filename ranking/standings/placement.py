"""When a player is placed: by so many completed matches; fewer if their rating comes from an earlier season, none if
they brought one along that placed them at once.
"""

from django.db.models import F, Q

from ranking.models import Mode, Rating


def is_placed(rating: Rating, mode: Mode) -> bool:
    return rating.placed_at is not None or rating.completed >= mode.placement_of(rating.carried)


def placed_in_sql(mode: Mode) -> Q:
    """A condition on a mode's ratings: their players are placed."""
    others = F("draws") + F("losses")
    return (
        Q(placed_at__isnull=False)
        | Q(carried=False, wins__gte=mode.placement_of(False) - others)
        | Q(carried=True, wins__gte=mode.placement_of(True) - others)
    )
