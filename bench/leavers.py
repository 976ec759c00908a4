"""The moderators' list of leavers with a million incidents: `python -m bench.leavers` measures it alone.

A hundred thousand players dropped out of ten lobbies each, over the last 120 days, so that half of it weighs still; one
in a thousand was pardoned.
"""

import os
import secrets
import sys
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from bench.boards import page
from bench.measuring import Row, side_by_side
from ranking.models import Leaver
from ranking.modes.parameters import create_mode

PLAYERS, EACH, DAYS = 100_000, 10, 120
ROUNDS = 20
BOUND = 0.5  # seconds

_PLAYERS = """
INSERT INTO ranking_player (key, name, search_name, created_at)
SELECT %(slug)s || '-' || n, 'Leaver ' || n, 'leaver ' || n, %(now)s FROM generate_series(1, %(count)s) AS n
"""
_RATINGS = """
INSERT INTO ranking_rating (player_id, mode_id, season_id, region, display_hundredths, mu, reached_at, wins, draws,
  losses, leaves, recent_completions, to_publish, listed)
SELECT id, %(mode)s, %(season)s, '', 250000, 2500, %(now)s, 40, 0, 40, %(each)s, '[]', false, false
FROM ranking_player WHERE key LIKE %(slug)s || '-%%'
"""
_INCIDENTS = """
INSERT INTO ranking_incident (player_id, kind, occasion, happened_at, mode_id)
SELECT id, 'dropout', 'lobby ' || n, %(now)s - random() * %(days)s * interval '1 day', %(mode)s
FROM ranking_player, generate_series(1, %(each)s) AS n WHERE key LIKE %(slug)s || '-%%'
ORDER BY 4
"""
_PARDONS = """
INSERT INTO ranking_pardon (incident_id, reason, pardoned_at)
SELECT id, 'Crashed.', %(now)s FROM ranking_incident WHERE mode_id = %(mode)s AND id %% 1000 = 0
"""


def fill() -> None:
    """A mode with a million incidents."""
    now = timezone.now()
    slug = f"leavers-{now:%H%M%S}"
    mode = create_mode(slug=slug, name=slug, system="elo", now=now)
    values: dict[str, Any] = {
        "slug": slug, "now": now, "count": PLAYERS, "each": EACH, "days": DAYS, "mode": mode.pk,
        "season": mode.seasons.get().pk,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute("SELECT setseed(0.5)")
        for statement in (_PLAYERS, _RATINGS, _INCIDENTS, _PARDONS):
            cursor.execute(statement, values)
        cursor.execute("VACUUM ANALYZE ranking_player, ranking_rating, ranking_incident, ranking_pardon")


def run(progress: Callable[[str], None]) -> Iterator[Row]:
    progress("a million incidents")
    fill()
    settings.ADMIN_MFA = False
    moderator = User.objects.create_superuser(f"moderator-{secrets.token_hex(4)}")
    base = "/admin/ranking/leaver/"
    worst = Leaver.objects.order_by("-id")[0].pk
    pages = {
        "worst first": page(base, moderator),
        "most frequent first": page(f"{base}?o=-5", moderator),
        "found by name": page(f"{base}?q=leaver+77", moderator),
        "one of them": page(f"{base}{worst}/change/", moderator),
    }
    progress("pages of leavers")
    for name, taken in side_by_side(pages, ROUNDS).items():
        seconds = median(taken)
        what = f"leavers, {PLAYERS * EACH:,} incidents, {name}: median, against half a second"
        yield Row(what, f"{1e3 * seconds:.0f} ms", f"{1e3 * BOUND:.0f} ms", f"{seconds / BOUND:.2f} ×", "≤ 1 ×",
                  seconds <= BOUND)  # fmt: skip


if __name__ == "__main__":
    from bench.measuring import table

    call_command("migrate", verbosity=0)
    print(table(list(run(lambda what: print(f"… {what}", file=sys.stderr, flush=True)))))
