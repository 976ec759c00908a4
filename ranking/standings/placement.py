"""When a player is placed: by so many completed matches, of which brief ones don't count; fewer if their rating comes
from an earlier season, none if they brought one along that placed them at once.
"""

from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import F, Q

from ranking.models import Match, Mode, Rating


def placement_of(rating: Rating, mode: Mode) -> int:
    """The completed matches that place the player of a rating."""
    return 0 if rating.placed_at is not None else mode.placement_of(rating.carried)


def is_placed(rating: Rating, mode: Mode) -> bool:
    return rating.placement_done >= placement_of(rating, mode)


def placed_in_sql(mode: Mode) -> Q:
    """A condition on a mode's ratings: their players are placed."""
    return placed_after(mode.placement_of(False), mode.placement_of(True))


def placed_after(matches: Any, carried: Any) -> Q:
    """A condition on ratings: their players are placed, by so many matches, or by `carried` after a reset.

    Both are numbers or placeholders.
    """
    others = F("draws") + F("losses") - F("brief_matches")
    return (
        Q(placed_at__isnull=False)
        | Q(carried=False, wins__gte=matches - others)
        | Q(carried=True, wins__gte=carried - others)
    )


def find_in_placement(rosters: Sequence[tuple[Match, Collection[int]]]) -> frozenset[tuple[int, int]]:
    """Return the ids of matches and of those of their players who aren't placed in the match's season: one query.

    Nobody else learns these players' ratings, nor how a match changed them. Matches that aren't rated are left out.
    """
    modes = {
        (match.season_id, player): match.mode for match, players in rosters if match.season_id for player in players
    }
    if not modes:
        return frozenset()
    seasons, everybody = ({key[index] for key in modes} for index in (0, 1))
    ratings = Rating.objects.filter(season__in=seasons, player__in=everybody)
    unplaced = {
        key for row in ratings if (key := (row.season_id, row.player_id)) in modes and not is_placed(row, modes[key])
    }
    return frozenset(
        (match.pk, player) for match, players in rosters for player in players if (match.season_id, player) in unplaced
    )
