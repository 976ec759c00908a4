"""Board pages: few players against very many."""

import random
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.wsgi import get_wsgi_application
from django.test import Client, RequestFactory

from bench.measuring import Row, at_most, median, side_by_side
from bench.population import TIED
from ranking.models import Mode, Rating
from ranking.standings.snapshots import newest_table

ROUNDS = 400


def places(mode: Mode) -> dict[str, str]:
    """The addresses of the kinds of pages, by name."""
    ratings = Rating.objects.filter(mode=mode, listed=True)
    middle = ratings.order_by("id")[0].player.key
    table = newest_table(mode.pk, mode.seasons.get().pk)
    assert table is not None
    board = f"/boards/{mode.slug}/"
    tie, count = table.rank_of(TIED), len(table)
    return {
        "top": board,
        "middle": f"{board}?rank={count // 3}",
        "inside a tie": f"{board}?around={middle}",
        "jump to the tie": f"{board}?rank={tie}",
        "search": f"{board}?q={count}+player+{random.Random(1).randint(10, 99)}",
    }


@cache
def _application() -> Any:
    return get_wsgi_application()


def page(address: str, user: User | None = None) -> Callable[[], bytes]:
    """Do the work of a web process for a page, from its server's call to the last byte."""
    headers = {"host": "localhost"}
    if user:
        client = Client()
        client.force_login(user)
        headers["cookie"] = f"{settings.SESSION_COOKIE_NAME}={client.session.session_key}"
    environ = RequestFactory().get(address, secure=True, headers=headers).environ

    def fetch() -> bytes:
        said: list[str] = []
        response = _application()(dict(environ), lambda status, headers: said.append(status))
        body = b"".join(response)
        response.close()
        if said != ["200 OK"]:
            raise SystemExit(f"{address}: {said}")
        return body

    return fetch


def run(small: Mode, large: Mode, progress: Callable[[str], None]) -> Iterator[Row]:
    few, many = places(small), places(large)
    for name in few:
        progress(f"board pages: {name}")
        works: dict[str, Callable[[], object]] = {
            "few": page(few[name]),
            "many": page(many[name]),
        }
        taken = side_by_side(works, ROUNDS)
        yield at_most(
            f"board, {name}: 1 million against 10 thousand players, median",
            median(taken["many"]),
            median(taken["few"]),
            1.2,
        )


def lookup(large: Mode) -> Iterator[Row]:
    table = newest_table(large.pk, large.seasons.get().pk)
    assert table is not None
    values = [random.Random(2).randint(200_000, 300_000) for _ in range(100_000)]
    start = time.perf_counter()
    for value in values:
        table.rank_of(value)
    each = (time.perf_counter() - start) / len(values)
    yield Row("rank lookup", f"{each * 1e6:.2f} µs", "5 µs", f"{each / 5e-6:.2f} ×", "≤ 1 ×", each <= 5e-6)
