"""Measures what each piece of machinery saves: a result and a board page with it and without it, in turn.

`python -m bench.machinery` wants the scaled profile's variables and a PostgreSQL database of its own. Processor time
counts this process and its connection's PostgreSQL process.
"""

import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from statistics import median
from typing import Any
from unittest.mock import patch

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.db.backends.postgresql.psycopg_any import register_tzloader  # noqa: E402
from django.test import RequestFactory  # noqa: E402
from django.utils import timezone  # noqa: E402

from bench.boards import page  # noqa: E402
from bench.ingest import PLAYERS, prepare, result  # noqa: E402
from bench.processes import cpu_seconds  # noqa: E402
from leaderboards.boards import windows  # noqa: E402
from matchmaking.operations import navigation  # noqa: E402
from ranking.database.timestamps import TimestampLoader  # noqa: E402
from ranking.matches import _ledger as ledger  # noqa: E402
from ranking.matches import recording  # noqa: E402
from ranking.models import Match  # noqa: E402
from ranking.modes import parameters  # noqa: E402
from ranking.operations.keys import create_key  # noqa: E402
from ranking.players import players  # noqa: E402
from ranking.standings import snapshots  # noqa: E402

RESULTS, PAGES = 40, 40  # a round
ROUNDS = 9

Piece = Callable[[], Any]  # gives a context in which the piece is off


def _bulk_create(rows: Sequence[models.Model]) -> list[models.Model]:
    return type(rows[0])._default_manager.bulk_create(rows) if rows else []


def _bulk_update(rows: Sequence[models.Model], changed: Sequence[str]) -> None:
    if rows:
        type(rows[0])._default_manager.bulk_update(rows, changed)


@contextmanager
def _replaced(*places: tuple[Any, str, Any]) -> Iterator[None]:
    with ExitStack() as stack:
        for module, name, value in places:
            stack.enter_context(patch.object(module, name, value))
        yield


def _compiled_each_time(*places: tuple[Any, str]) -> Piece:
    """The prepared queries that these functions keep are written by the ORM anew each time."""
    return lambda: _replaced(*((module, name, getattr(module, name).__wrapped__) for module, name in places))


@contextmanager
def _timestamps_by_django() -> Iterator[None]:
    register_tzloader(connection.timezone, connection.connection)
    yield
    connection.connection.adapters.register_loader("timestamptz", TimestampLoader)


OF_A_RESULT: dict[str, Piece] = {
    "nothing (the noise)": nullcontext,
    "rows inserted as one document (`insert_rows`), against `bulk_create`": lambda: _replaced(
        (ledger, "insert_numbered", _bulk_create),
        (ledger, "insert_rows", _bulk_create),
        (recording, "insert_rows", _bulk_create),
    ),
    "rows updated as one document (`update_rows`), against `bulk_update`": lambda: _replaced(
        (ledger, "update_rows", _bulk_update)
    ),
    "prepared queries: rules and players": _compiled_each_time(
        (parameters, "_versions_query"), (players, "_players_query")
    ),
    "prepared queries: ratings that are locked": _compiled_each_time((ledger, "_locking_query")),
    "prepared query: the newest snapshot": _compiled_each_time((snapshots, "_newest_query")),
    "timestamps read by `fromisoformat`": _timestamps_by_django,
}
OF_A_PAGE: dict[str, Piece] = {
    "nothing (the noise)": nullcontext,
    "prepared query: the board's rows": _compiled_each_time((windows, "_query")),
    "prepared query: the newest snapshot": _compiled_each_time((snapshots, "_newest_query")),
    "prepared query: the header's modes": _compiled_each_time((navigation, "_boards")),
    "timestamps read by `fromisoformat`": _timestamps_by_django,
}

OF_TIMES: dict[str, Piece] = {"timestamps read by `fromisoformat`": _timestamps_by_django}


def _read_times() -> object:
    return list(Match.objects.values_list("started_at", "ended_at", "received_at")[:1000])


def _posting(mode: str, key: str) -> Callable[[], object]:
    """Post a result to this process, from the server's call to the last byte."""
    application: Any = get_wsgi_application()
    rng = random.Random(1)
    headers = {"authorization": f"Bearer {key}", "host": "localhost"}

    def post() -> None:
        body = json.dumps(result(mode, rng))
        environ = (
            RequestFactory().post("/api/v1/matches/", body, "application/json", secure=True, headers=headers).environ
        )
        said: list[str] = []
        response = application(environ, lambda status, headers: said.append(status))
        b"".join(response)
        response.close()
        if said != ["201 Created"]:
            raise SystemExit(f"A result was answered with {said}.")

    return post


def _backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def _timed(work: Callable[[], object], times: int, backend: int) -> float:
    """Processor seconds of one piece of work."""
    start = time.process_time() + cpu_seconds(backend)
    for _ in range(times):
        work()
    return (time.process_time() + cpu_seconds(backend) - start) / times


def compare(what: str, work: Callable[[], object], times: int, pieces: dict[str, Piece]) -> Iterator[str]:
    """A line of the table for each piece: medians with it and without it, and the median of the rounds' ratios."""
    for _ in range(times):
        work()
    backend = _backend()
    for name, off in pieces.items():
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")  # the rounds before left dead rows
        print(f"… {what} without: {name}", file=sys.stderr, flush=True)
        with_it, without = [], []
        for _ in range(ROUNDS):
            with_it.append(_timed(work, times, backend))
            with off():
                without.append(_timed(work, times, backend))
        ratio = median(b / a for a, b in zip(with_it, without, strict=True))
        yield f"| {what} | {name} | {median(with_it) * 1e3:.2f} ms | {median(without) * 1e3:.2f} ms | {ratio:.2f} × |"


def main() -> None:
    if connection.vendor != "postgresql":
        raise SystemExit("Benchmarks want PostgreSQL: set the scaled profile's variables.")
    connection.settings_dict["CONN_MAX_AGE"] = None  # one PostgreSQL process serves the whole run
    call_command("migrate", verbosity=0)
    mode = prepare()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    key = create_key("bench", scopes=["results"], now=timezone.now())
    print(f"{PLAYERS:,} players, medians of {ROUNDS} rounds of {RESULTS}.\n")
    print("| what | piece | with it | without it | without / with |\n|---|---|---:|---:|---:|")
    for line in compare("a result, 5v5", _posting(mode.slug, key), RESULTS, OF_A_RESULT):
        print(line)
    for line in compare("the times of 1,000 matches", _read_times, PAGES, OF_TIMES):
        print(line)
    for line in compare("a board page", page(f"/boards/{mode.slug}/"), PAGES, OF_A_PAGE):
        print(line)


if __name__ == "__main__":
    main()
