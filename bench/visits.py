"""`python -m bench.visits`: what a stranger's first visit loads, and when the largest thing on the page stands there.

Four pages of the demo, on the scaled profile: web processes and PostgreSQL behind the Caddy that ships, by HTTPS, with
collected static files. Bytes are what Chromium receives for all requests of a page, heads included, with an empty cache
and no cookies. The largest contentful paint (LCP) is the third of five such loads at 1.6 Mbit/s, with 150 ms before
each answer and a processor four times as slow, as Chromium's throttling makes of this machine.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

from playwright.sync_api import CDPSession, sync_playwright

from bench.measuring import Row, at_most, median, table
from tests.support.first_visits import first_visit
from tests.support.name_server import NameServer
from tests.support.patience import wait_until
from tests.support.proxies import CADDYS_ROOT, start_caddy
from tests.support.servers import drop_database, free_port, new_database
from tests.support.sites import Site

CHROMIUM = os.environ.get("RUNGS_CHROMIUM", "/usr/bin/chromium-headless-shell")
MOST, LATEST, LOADS = 95_000, 2.5, 5  # bytes, seconds
SPEED, UPLOAD, DELAY, SLOWER = 200_000, 93_750, 150, 4  # bytes a second each way, ms, times
_MATCH = """
from ranking.models import Match
print(Match.objects.filter(mode__slug="control-6v6").latest("pk").pk)
"""


def run(progress: Callable[[str], None]) -> Iterator[Row]:
    with (
        tempfile.TemporaryDirectory() as name,
        _demo(Path(name), progress) as (base, match),
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for what, path in (
            ("home", "/"),
            ("a board", "/boards/control-6v6/"),
            ("a match", f"/matches/{match}/"),
            ("a player", "/players/demo-player/"),
        ):
            progress(f"first visits: {what}")
            first_visit(browser, base + path)  # the site's own caches are warm
            loads, _ = first_visit(browser, base + path)
            size = sum(load.size for load in loads)
            yield at_most(f"first visit to {what}: {len(loads)} requests", size, MOST, 1, "kB", 1e-3)
            paints = [first_visit(browser, base + path, _slow_down)[1] for _ in range(LOADS)]
            yield at_most(f"first visit to {what}: LCP on a slow phone", median(paints), LATEST, 1)
        browser.close()


def _slow_down(session: CDPSession) -> None:
    line = {"offline": False, "latency": DELAY, "downloadThroughput": SPEED, "uploadThroughput": UPLOAD}
    session.send("Network.emulateNetworkConditions", line)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})


@contextmanager
def _demo(folder: Path, progress: Callable[[str], None]) -> Iterator[tuple[str, str]]:
    """The demo on the scaled profile, behind Caddy: its address, and the id of a match."""
    url = new_database(folder)
    site, names, port = Site(folder, url), NameServer("127.0.0.1"), free_port()
    site.environment["RUNGS_HOSTS"] = "localhost,127.0.0.1"
    played = Site(folder, f"sqlite:///{folder}/demo.sqlite3", scaled=False)
    caddy = None
    try:
        progress("first visits: playing the demo, which comes from the embedded profile")
        played.manage("migrate", "-v0")
        played.manage("demo")
        played.manage("move", "--to", url)
        site.manage("collectstatic", "--noinput", "-v0")
        site.start("web", "--port", str(site.port))
        caddy = start_caddy(folder, http=free_port(), https=port, web=site.port, names=names.port)
        if not wait_until(lambda: site.get("/health/live")[0] == 200 and (folder / CADDYS_ROOT).exists()):
            raise SystemExit(site.log.read_text() + (folder / "caddy.log").read_text())
        yield f"https://localhost:{port}", site.shell(_MATCH)
    finally:
        if caddy:
            caddy.terminate()
            caddy.wait()
        names.close()
        site.close()
        drop_database(url)


def main() -> None:
    print(table(list(run(lambda what: print(f"… {what}", file=sys.stderr, flush=True)))))


if __name__ == "__main__":
    main()
