"""Liveness answers while requests are slow: strangers send the dearest requests without a pause."""

import itertools
import threading
import time

import pytest

from bench.largest_addresses import get
from bench.largest_bodies import junk, line
from tests.support.servers import SCALED
from tests.support.sites import Site

pytestmark = [pytest.mark.faults, pytest.mark.skipif(SCALED, reason="Of the embedded profile, which has one process.")]

SENDERS, ASKED, SECONDS = 8, 10, 60.0  # a probe of Kubernetes would be less patient; timings belong into bench/
NAMES = junk('"#":0', 1_000_000, '{"x":0,', ',"x":0}')  # of which the last one repeats
REQUESTS = [
    ("POST", "/api/v1/rate/", NAMES),
    ("POST", "/api/v1/rate/", {"lines": [line("trueskill", 200)]}),
    ("GET", get("/compare/a", "/b")(1.0)[1], None),
    ("GET", get("/players/?q=", "a+")(1.0)[1], None),
]


class Strangers:
    """Eight who send them in turn until told to stop; `statuses`: what they were answered."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.statuses: list[int] = []
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._send, args=(number,)) for number in range(SENDERS)]

    def __enter__(self) -> "Strangers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _send(self, first: int) -> None:
        for method, path, body in itertools.islice(itertools.cycle(REQUESTS), first, None):
            if self._stop.is_set():
                return
            self.statuses.append(self.site.send(method, path, body, timeout=120)[0])


def test_liveness_answers_each_time(site: Site) -> None:
    answers = []
    with Strangers(site) as strangers:
        time.sleep(1)
        for _ in range(ASKED):
            answers.append(site.send("GET", "/health/live", timeout=SECONDS))
            time.sleep(0.3)
        busy = len(strangers.statuses)
    assert answers == [(200, '{"live": true}')] * ASKED
    assert busy > 0
    assert set(strangers.statuses) <= {200, 400, 404, 429, 503}  # 503: strangers hold half of the threads at most
