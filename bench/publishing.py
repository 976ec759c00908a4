"""Measures publishing with very many players, of whom one in a hundred changed, against the least SQL for it."""

import time
from collections.abc import Callable, Iterator

from django.db import connection, transaction
from django.utils import timezone

from bench.measuring import Row, at_most, median
from bench.population import REGIONS, spread_over_regions
from ranking.models import Mode
from ranking.standings.publishing import publish

ROUNDS = 7

_CHANGE = """
UPDATE ranking_rating SET to_publish = true, display_hundredths = display_hundredths + (id %% 3 - 1), reached_at = now()
WHERE mode_id = %(mode)s AND id %% 100 = %(round)s
"""
_UPDATE = """
UPDATE ranking_rating SET listed = true, published_day_ago = published_hundredths, published_on = current_date,
  published_hundredths = display_hundredths, published_reached_at = reached_at, to_publish = false
WHERE mode_id = %(mode)s AND to_publish
"""
_COUNT = """
SELECT {what}, count(*) FROM ranking_rating
WHERE mode_id = %(mode)s AND season_id = %(season)s AND listed GROUP BY {what}
"""


def run(mode: Mode, players: int, progress: Callable[[str], None]) -> Iterator[Row]:
    yield _publish(mode, f"publish {players:,} players, 1 % changed", "published_hundredths", progress)
    progress("giving them regions")
    spread_over_regions(mode)
    yield _publish(
        mode,
        f"the same with {len(REGIONS)} regions, whose boards are counted, too",
        "region, published_hundredths",
        progress,
    )


def _publish(mode: Mode, what: str, counted: str, progress: Callable[[str], None]) -> Row:
    season = mode.seasons.get().pk
    ours: list[float] = []
    floor: list[float] = []
    for number in range(2 * ROUNDS + 2):
        progress(f"{what}: {number + 1} of {2 * ROUNDS + 2}")
        values = {"mode": mode.pk, "season": season, "round": number}
        with connection.cursor() as cursor:
            cursor.execute(_CHANGE, values)
        start = time.perf_counter()
        if number % 2:
            publish(mode, now=timezone.now())
        else:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(_UPDATE, values)
                cursor.execute(_COUNT.format(what=counted), values)
                cursor.fetchall()
        if number > 1:
            (ours if number % 2 else floor).append(time.perf_counter() - start)
    return at_most(what, median(ours), median(floor), 2.0)
