"""Board pages: few players against very many, and an archived season's against a live one's.

`python -m bench.boards LIVE ARCHIVED` measures the latter alone, for two modes that `bench.population` and
`bench.season_end` have made, given by their slugs.
"""

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

from django.conf import settings
from django.contrib.auth.models import User
from django.core.wsgi import get_wsgi_application
from django.test import Client, RequestFactory

from bench.measuring import Row, at_most, median, side_by_side, table
from bench.population import REGIONS, TIED
from ranking.models import Mode, Rating, Season
from ranking.standings.snapshots import newest_id, newest_table

ROUNDS = 400
ARCHIVED_ROUNDS = 60
WHOLE = ("top", "middle", "inside a tie", "jump to the tie", "search")  # places of boards without regions


def places(season: Season) -> dict[str, str]:
    """The addresses of the kinds of pages of a season's board, by name, as far as regions have boards."""
    mode = season.mode
    ranks = newest_table(mode.pk, season.pk)
    assert ranks is not None
    tied = Rating.objects.filter(season=season, listed=True).order_by("id")[0].player.key
    board, of_season = f"/boards/{mode.slug}/", "" if season.current else f"season={season.number}&"
    return {
        "top": f"{board}?{of_season}",
        "middle": f"{board}?{of_season}rank={len(ranks) // 3}",
        "inside a tie": f"{board}?{of_season}around={tied}",
        "jump to the tie": f"{board}?{of_season}rank={ranks.rank_of(TIED)}",
        "last page": f"{board}?{of_season}rank={len(ranks)}",
        "a region": f"{board}?{of_season}region={REGIONS[0]}&rank={len(ranks) // 3 // len(REGIONS)}",
        "distribution": f"{board}distribution/?{of_season}",
        "search": f"{board}?{of_season}q={len(ranks)}+player+77",
    }


@cache
def _application() -> Any:
    return get_wsgi_application()


def page(
    address: str,
    user: User | None = None,
    status: str = "200 OK",
    headers: dict[str, str] | None = None,
    *,
    keeps: bool = False,
) -> Callable[[], bytes]:
    """Do the work of a web process for a page, from its server's call to the last byte.

    Unless the site keeps pages for visitors (`keeps`), each is made anew.
    """
    headers = {"host": "localhost", **(headers or {})}
    if user:
        client = Client()
        client.force_login(user)
        headers["cookie"] = f"{settings.SESSION_COOKIE_NAME}={client.session.session_key}"
    environ = RequestFactory().get(address, secure=True, headers=headers).environ

    def fetch() -> bytes:
        said: list[str] = []
        settings.KEPT_PAGES = keeps
        response = _application()(dict(environ), lambda status, headers: said.append(status))
        body = b"".join(response)
        response.close()
        if said != [status]:
            raise SystemExit(f"{address}: {said}")
        return body

    return fetch


def nothing_newer(mode: Mode) -> Row:
    """The processor time of an open page's question whether something newer is published, if nothing is."""
    newest = newest_id(mode.slug)
    address = f"/boards/{mode.slug}/?since={newest}"
    ask = page(address, status="204 No Content", headers={"hx-request": "true"})
    for _ in range(20):
        ask()
    taken = []
    for _ in range(ROUNDS):
        start = time.process_time()
        ask()
        taken.append(time.process_time() - start)
    each = median(taken)
    return Row(
        "open board, nothing newer", f"{each * 1e3:.2f} ms", "1 ms", f"{each / 1e-3:.2f} ×", "≤ 1 ×", each <= 1e-3
    )


def run(small: Mode, large: Mode, progress: Callable[[str], None]) -> Iterator[Row]:
    few, many = (places(mode.seasons.select_related("mode").get()) for mode in (small, large))
    for name in WHOLE:
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
    yield nothing_newer(large)
    ranks = newest_table(large.pk, large.seasons.get().pk)
    assert ranks is not None
    values = [random.Random(2).randint(200_000, 300_000) for _ in range(100_000)]
    start = time.perf_counter()
    for value in values:
        ranks.rank_of(value)
    each = (time.perf_counter() - start) / len(values)
    yield Row("rank lookup", f"{each * 1e6:.2f} µs", "5 µs", f"{each / 5e-6:.2f} ×", "≤ 1 ×", each <= 5e-6)


def archived(live: Season, ended: Season, progress: Callable[[str], None]) -> Iterator[Row]:
    """Compare an archived season's pages with those of a season that runs, of as many players."""
    now, then = places(live), places(ended)
    for name in now:
        progress(f"an archived board's pages: {name}")
        taken = side_by_side({"live": page(now[name]), "archived": page(then[name])}, ARCHIVED_ROUNDS)
        ours, floor = median(taken["archived"]), median(taken["live"])
        yield at_most(f"archived board, {name}: against a live one, median", ours, floor, 1.1)


def main() -> None:
    live, ended = (Mode.objects.get(slug=slug) for slug in sys.argv[1:3])
    seasons = live.seasons.select_related("mode").get(current=True), ended.seasons.select_related("mode").get(number=1)
    print(table(list(archived(*seasons, lambda what: print(f"… {what}", file=sys.stderr, flush=True)))))


if __name__ == "__main__":
    main()
