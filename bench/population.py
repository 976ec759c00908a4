"""Makes modes with very many players by seeded SQL on PostgreSQL, within minutes and shaped like real ones.

Display ratings are about normal with two decimals; a tenth of the players, at most 100,000, are tied. Each has
three ledger rows, so that what boards draw has something to draw.
"""

import datetime as dt
from typing import Any

from django.db import connection
from django.utils import timezone

from ranking.models import Mode
from ranking.modes.parameters import create_mode
from ranking.standings.publishing import publish

TIED = 2_500_00  # hundredths

_PLAYERS = """
INSERT INTO ranking_player (key, name, search_name, created_at)
SELECT %(slug)s || '-' || n, %(count)s::text || ' Player ' || n, %(count)s::text || ' player ' || n, %(now)s
FROM generate_series(1, %(count)s) AS n
"""
_RATINGS = """
INSERT INTO ranking_rating (player_id, mode_id, season_id, region, display_hundredths, mu, reached_at, wins, draws,
  losses, leaves, recent_completions, last_completed_at, last_match_at, active_until, to_publish, listed)
SELECT id, %(mode)s, %(season)s, '', rating, rating / 100.0, %(now)s - n %% 1000000 * interval '1 second', 20, 0, 15, 1,
  '[]', %(now)s, %(now)s, %(now)s + interval '30 days', true, false
FROM (
  SELECT id, row_number() OVER (ORDER BY id) AS n,
    CASE WHEN row_number() OVER (ORDER BY id) <= %(tied)s THEN %(tie)s
         ELSE round(250000 + 40000 * (random() + random() + random() + random() - 2) * 1.7) END::bigint AS rating
  FROM ranking_player WHERE key LIKE %(slug)s || '-%%'
) AS shaped
"""
_CHANGES = """
INSERT INTO ranking_change (kind, event_id, player_id, mode_id, season_id, generation, parameters_id, outcome,
  display_before, mu_before, display_after, mu_after)
SELECT 'reset', event.id, rating.player_id, rating.mode_id, rating.season_id, 1, %(parameters)s, '',
  rating.display_hundredths - 100, rating.mu - 1, rating.display_hundredths, rating.mu
FROM ranking_rating AS rating, ranking_event AS event
WHERE rating.mode_id = %(mode)s AND event.mode_id = %(mode)s AND event.kind = 'reset'
"""


_SPREAD = """
UPDATE ranking_rating SET region = (%(regions)s::text[])[1 + id %% cardinality(%(regions)s::text[])]
WHERE mode_id = %(mode)s
"""
REGIONS = ["africa", "asia", "eu-east", "eu-west", "us-east", "us-west"]


def spread_over_regions(mode: Mode) -> None:
    """Give the players of a mode regions in turn, and publish their boards."""
    with connection.cursor() as cursor:
        cursor.execute(_SPREAD, {"regions": REGIONS, "mode": mode.pk})
    publish(mode, now=timezone.now(), count_all=True)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE ranking_rating")


def make_population(count: int, *, seed: float = 0.5) -> Mode:
    """A mode with `count` listed players."""
    now = timezone.now()
    slug = f"people-{count}-{now:%H%M%S}"
    mode = create_mode(slug=slug, name=f"{count:,} players", system="elo", now=now - dt.timedelta(days=40))
    values: dict[str, Any] = {
        "slug": slug, "now": now, "count": count, "mode": mode.pk, "season": mode.seasons.get().pk,
        "parameters": mode.parameter_versions.get().pk, "tied": min(100_000, count // 10), "tie": TIED,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute("SELECT setseed(%s)", [seed])
        cursor.execute(_PLAYERS, values)
        cursor.execute(_RATINGS, values)
        cursor.execute(
            "INSERT INTO ranking_event (mode_id, kind, happened_at) SELECT %(mode)s, 'reset', %(now)s"
            " FROM generate_series(1, 3)",
            values,
        )
        cursor.execute(_CHANGES, values)
    publish(mode, now=now)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE ranking_rating, ranking_player, ranking_change")
    return mode
