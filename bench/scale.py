"""`python -m bench.scale [FEW MANY]`: what very many players cost; by default 100,000 against ten million.

Wants the scaled profile's variables and a PostgreSQL database of its own, whose superuser it is: it makes a mode of
each size by SQL, the indexes after the rows, unless an earlier run has made it. `docs/scale.md` has its figures.
"""

import os
import random
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from bench.boards import page, places
from bench.measuring import Row, at_most, median, side_by_side, table
from bench.population import REGIONS, TIED
from ranking.models import Mode, Rating
from ranking.modes.parameters import create_mode
from ranking.standings.publishing import publish

CHANGED, FEW_CHANGED = 10_000, 100  # rows
ROUNDS, PAGE_ROUNDS, COUNTS = 7, 60, 3
MOST, WAIT = 1.0, 0.1  # seconds
STEP = 1_000_000  # players an INSERT

_PLAYERS = """
INSERT INTO ranking_player (key, name, search_name, created_at)
SELECT %(slug)s || '-' || n, %(slug)s || ' Player ' || n, %(slug)s || ' player ' || n, now()
FROM generate_series(%(first)s::bigint, %(last)s::bigint) AS n
"""
_RATINGS = """
INSERT INTO ranking_rating (player_id, mode_id, season_id, region, display_hundredths, mu, reached_at, wins, draws,
  losses, leaves, recent_completions, last_completed_at, last_match_at, active_until, to_publish, listed,
  published_hundredths, published_reached_at)
SELECT id, %(mode)s, %(season)s, (%(regions)s::text[])[1 + id %% cardinality(%(regions)s::text[])], rating,
  rating / 100.0, reached, 20, 0, 15, 1, '[]', now(), now(), now() + interval '30 days', false, true, rating, reached
FROM (
  SELECT id, now() - n %% 1000000 * interval '1 second' AS reached,
    CASE WHEN n <= %(tied)s THEN %(tie)s
         ELSE round(250000 + 40000 * (random() + random() + random() + random() - 2) * 1.7) END::bigint AS rating
  FROM (SELECT id, split_part(key, '-', 3)::bigint AS n FROM ranking_player WHERE id > %(after)s) AS numbered
) AS shaped
"""
_INDEXES = """
SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid), conname, pg_get_constraintdef(pg_constraint.oid)
FROM pg_index LEFT JOIN pg_constraint ON conindid = indexrelid AND contype = 'u'
WHERE indrelid = %s::regclass AND NOT indisprimary
"""
_CHANGE = """
UPDATE ranking_rating SET to_publish = true, display_hundredths = display_hundredths + (id %% 3 - 1), reached_at = now()
WHERE id = ANY(%s)
"""


def make_mode(count: int, progress: Callable[[str], None], seed: float = 0.5) -> Mode:
    """A mode whose board lists `count` players of six regions; it is made unless it is there."""
    slug = f"scale-{count}"
    if known := Mode.objects.filter(slug=slug).first():
        return known
    mode = create_mode(slug=slug, name=f"{count:,} players", system="elo", now=timezone.now())
    values: dict[str, Any] = {
        "slug": slug, "mode": mode.pk, "season": mode.seasons.get().pk, "regions": REGIONS,
        "tied": min(100_000, count // 10), "tie": TIED,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # foreign keys needn't be looked up
        cursor.execute("SET maintenance_work_mem = '1GB'")
        cursor.execute("SELECT setseed(%s)", [seed])
        rebuilds = [statement for name in ("ranking_player", "ranking_rating") for statement in _drop_indexes(name)]
        for first in range(1, count + 1, STEP):
            progress(f"{slug}: players from {first:,} on")
            cursor.execute("SELECT coalesce(max(id), 0) FROM ranking_player")
            [after] = cursor.fetchone()
            part = values | {"first": first, "last": min(count, first + STEP - 1), "after": after}
            cursor.execute(_PLAYERS, part)
            cursor.execute(_RATINGS, part)
        for statement in rebuilds:
            start = time.perf_counter()
            cursor.execute(statement)
            progress(f"{time.perf_counter() - start:.0f} s: {statement[:90]}")
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute("VACUUM ANALYZE ranking_rating, ranking_player")
    progress(f"{slug}: the first publication")
    publish(mode, now=timezone.now(), count_all=True)
    return mode


def _drop_indexes(name: str) -> list[str]:
    """Drop a table's indexes but that of its key; return the statements that make them again."""
    statements = []
    with connection.cursor() as cursor:
        cursor.execute(_INDEXES, [name])
        for index, definition, constraint, constrained in cursor.fetchall():
            cursor.execute(f"ALTER TABLE {name} DROP CONSTRAINT {constraint}" if constraint else f"DROP INDEX {index}")
            made = f"ALTER TABLE {name} ADD CONSTRAINT {constraint} {constrained}" if constraint else definition
            statements.append(made)
    return statements


def change(mode: Mode, count: int, rng: random.Random) -> list[int]:
    """Have so many players' ratings change; return their rows' ids."""
    season = mode.seasons.get().pk
    first, last = (Rating.objects.filter(season=season).order_by(order)[0].pk for order in ("id", "-id"))
    ids = sorted(rng.sample(range(first, last + 1), count))
    with connection.cursor() as cursor:
        cursor.execute(_CHANGE, [ids])
    return ids


def publications(few: Mode, many: Mode, progress: Callable[[str], None]) -> Iterator[Row]:
    taken: dict[int, list[float]] = defaultdict(list)
    steps: dict[int, dict[str, list[float]]] = {mode.pk: defaultdict(list) for mode in (few, many)}
    for number in range(ROUNDS + 1):
        progress(f"publications: {number + 1} of {ROUNDS + 1}")
        for mode in (few, many):
            change(mode, CHANGED, random.Random(number))
            spent: dict[str, float] = defaultdict(float)
            with connection.execute_wrapper(_Timing(spent)):
                start = time.perf_counter()
                publish(mode, now=timezone.now())
                seconds = time.perf_counter() - start
            if number:
                taken[mode.pk].append(seconds)
                for step, part in (*spent.items(), ("Python", seconds - sum(spent.values()))):
                    steps[mode.pk][step].append(part)
    for step, times in steps[many.pk].items():
        fewer = median(steps[few.pk].get(step, [0.0]))
        progress(f"  {median(times) * 1e3:6.0f} ms, {fewer * 1e3:6.0f} ms with few players: {step}")
    name = f"publish {CHANGED:,} changed"
    ours, floor = median(taken[many.pk]), median(taken[few.pk])
    yield at_most(f"{name}: very many players against few, median", ours, floor, 1.3)
    yield at_most(f"{name} of very many players, against a second", ours, MOST, 1)


class _Timing:
    """Adds up the seconds of each kind of statement."""

    def __init__(self, spent: dict[str, float]) -> None:
        self.spent = spent

    def __call__(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        start = time.perf_counter()
        try:
            return execute(sql, *rest)
        finally:
            words = sql.replace('"', "").split()
            where = next((word for before, word in pairwise(words) if before in ("FROM", "INTO", "UPDATE")), "")
            kind = " GROUP BY" if "GROUP BY" in sql else " FOR UPDATE" if "FOR UPDATE" in sql else ""
            self.spent[f"{words[0]} {where}{kind}"] += time.perf_counter() - start


def counts(many: Mode, progress: Callable[[str], None]) -> Iterator[Row]:
    """The hourly publication, which counts all players, while results want rows that it publishes."""
    taken, longest = [], []
    for number in range(COUNTS):
        progress(f"full counts: {number + 1} of {COUNTS}")
        ids = change(many, FEW_CHANGED, random.Random(100 + number))
        with _Waiting(ids) as waiting:
            start = time.perf_counter()
            publish(many, now=timezone.now(), count_all=True)
            taken.append(time.perf_counter() - start)
        longest.append(max(waiting.waits))
    progress(f"  {median(taken):.1f} s a full count")
    yield at_most("a result's longest wait while all are counted", max(longest), WAIT, 1)


class _Waiting:
    """A thread that locks rows as results do, again and again; `waits`: the seconds that each time took."""

    def __init__(self, ids: list[int]) -> None:
        self.ids, self.waits, self._over = ids, [0.0], threading.Event()
        self._thread = threading.Thread(target=self._lock)

    def __enter__(self) -> "_Waiting":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _lock(self) -> None:
        rng = random.Random(1)
        while not self._over.wait(0.02):
            start = time.perf_counter()
            with transaction.atomic():
                rows = Rating.objects.filter(pk__in=rng.sample(self.ids, 10)).order_by("pk")
                list(rows.select_for_update(no_key=True).values_list("pk"))
            self.waits.append(time.perf_counter() - start)
        connection.close()


def addresses(mode: Mode) -> dict[str, str]:
    """The addresses of the kinds of pages, by name."""
    season = mode.seasons.select_related("mode").get()
    player = Rating.objects.filter(season=season, listed=True).order_by("id")[0].player.key
    return places(season) | {
        "search": f"/boards/{mode.slug}/?q={mode.slug}+player+77",
        "player": f"/players/{player}/",
    }


def pages(few: Mode, many: Mode, progress: Callable[[str], None]) -> Iterator[Row]:
    fewer, more = addresses(few), addresses(many)
    for name in more:
        progress(f"pages: {name}")
        taken = side_by_side({"few": page(fewer[name]), "many": page(more[name])}, PAGE_ROUNDS)
        yield at_most(
            f"{name}: very many players against few, median", median(taken["many"]), median(taken["few"]), 1.3
        )


def run(few: int, many: int, progress: Callable[[str], None]) -> Iterator[Row]:
    small, large = make_mode(few, progress), make_mode(many, progress)
    yield from publications(small, large, progress)
    yield from counts(large, progress)
    yield from pages(small, large, progress)


def main() -> None:
    few, many = map(int, sys.argv[1:3] or ("100000", "10000000"))
    call_command("migrate", verbosity=0)
    print(table(list(run(few, many, lambda what: print(f"… {what}", file=sys.stderr, flush=True)))))


if __name__ == "__main__":
    main()
