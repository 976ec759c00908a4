"""Measures what each route costs at its largest documented input: processor time, memory, growth on doubling.

`python -m bench.largest_inputs` runs on either profile, in a test database of its own, which it makes and drops. Each
row is one request through the site's WSGI application: the dearest inputs that we know of (largest_bodies,
largest_addresses), and for every route of the site its longest address or largest body. Words may follow, to measure
only the requests that have one of them in their names.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("RUNGS_LOG_LEVEL", "ERROR")
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client, RequestFactory  # noqa: E402
from django.test.utils import (  # noqa: E402
    setup_databases,
    setup_test_environment,
    teardown_databases,
    teardown_test_environment,
)
from django.utils import timezone  # noqa: E402

from bench.largest_addresses import form_cases, page_cases, route_cases  # noqa: E402
from bench.largest_bodies import QUADRATIC, Case, api_cases, match_of  # noqa: E402
from bench.measuring import Row, table, with_room  # noqa: E402
from config.wsgi import application  # noqa: E402 - with the garbage collector set as web processes have it
from ranking.models import Player  # noqa: E402
from ranking.models.access import SCOPES  # noqa: E402
from ranking.modes.parameters import create_mode  # noqa: E402
from ranking.operations.keys import create_key  # noqa: E402
from ranking.standings.publishing import publish  # noqa: E402
from tests.support.whole_site import make_whole_site  # noqa: E402

SECONDS, MEGABYTES, GROWTH, SHORT = 2.0, 100.0, 2.5, 0.05  # the bounds of a request; shorter ones have no growth
CSRF = "c" * 32


@dataclass(frozen=True, slots=True)
class Cost:
    status: int
    seconds: float
    megabytes: float


class Bench:
    """The application with a few modes, players, a key and an account."""

    def __init__(self) -> None:
        now = timezone.now()
        self.names = make_whole_site()
        for slug, system, teams, size in (("6v6", "team-ratio", 2, 6), ("free", "trueskill", 200, 1), ("free100", "trueskill", 100, 1), ("large", "team-ratio", 2, 100)):  # noqa: E501  # fmt: skip
            create_mode(slug=slug, name=slug, system=system, team_count=teams, team_size_max=size, now=now)
        self.key = create_key("bench", scopes=SCOPES, now=now)
        self.application = application
        user = User.objects.create_superuser("bench", "bench@example.org", "a long password for a bench")
        self.user, self.client = user, Client()
        self.client.force_login(user)
        body = json.dumps({"matches": [match_of(number, 6, 2, "6v6") for number in range(20)]}).encode()
        self.call(Case("", lambda share: ("POST", "/api/v1/matches/bulk/", body), "key"), 1.0)
        self.player, self.other = Player.objects.filter(key__startswith="7656119").order_by("id")[:2]
        Player.objects.filter(pk=self.player.pk).update(user=user)
        for mode in (self.player.ratings.get().mode,):
            publish(mode, now=now)

    def call(self, case: Case, share: float) -> Cost:
        method, address, body = case.make(share)
        address = address.replace("{player}", self.player.key if "{" in address else "")
        address = address.replace("{other}", self.other.key if "{" in address else "")
        kind = "application/x-www-form-urlencoded" if case.form else "application/json"
        headers = {"host": "localhost"}
        if case.sender == "key":
            headers["authorization"] = f"Bearer {self.key}"
        if case.sender == "account":
            if "_auth_user_id" not in self.client.session:  # the case before has ended it
                self.client.force_login(self.user)
            session = f"{settings.SESSION_COOKIE_NAME}={self.client.session.session_key}"
            headers["cookie"] = f"{session}; {settings.CSRF_COOKIE_NAME}={CSRF}"
            headers |= {"x-csrftoken": CSRF, "referer": "https://localhost/"}
        request = RequestFactory().generic(method, address, body, kind, secure=True, headers=headers)
        return self._cost(request.environ)

    @with_room
    def _cost(self, environ: dict[str, Any]) -> Cost:
        said: list[str] = []

        def start_response(status: str, headers: Any, exc_info: Any = None, /) -> Callable[[bytes], object]:
            said.append(status)
            return said.append  # type: ignore[return-value]

        Path("/proc/self/clear_refs").write_text("5")  # from here on the peak counts
        before, start = _memory("VmRSS"), time.process_time()
        response = self.application(dict(environ), start_response)
        b"".join(response)
        response.close()
        seconds = time.process_time() - start
        return Cost(int(said[0].split()[0]), seconds, (_memory("VmHWM") - before) / 1e6)


def _memory(field: str) -> int:
    text = Path("/proc/self/status").read_text()
    return int(text.partition(f"{field}:")[2].split()[0]) * 1_024


def row_of(bench: Bench, case: Case) -> Row:
    """Measure a case: the whole input against half of it, the better of two runs each."""
    half, whole = (
        min((bench.call(case, share) for _ in range(2)), key=lambda cost: cost.seconds) for share in (0.5, 1)
    )
    growth = whole.seconds / half.seconds if half.seconds else 1.0
    grows = whole.seconds >= SHORT and growth > GROWTH and QUADRATIC not in case.name
    fits = whole.seconds <= SECONDS and whole.megabytes <= MEGABYTES and not grows and whole.status < 500
    figures = f"{whole.seconds:.2f} s, {max(0.0, whole.megabytes):.0f} MB", f"{half.seconds:.2f} s"
    return Row(
        f"{case.name} ({whole.status})", *figures, f"{growth:.1f} ×", f"≤ {SECONDS:g} s, ≤ {MEGABYTES:g} MB", fits
    )


def main() -> None:
    setup_test_environment()
    if connection.vendor == "sqlite":  # beside the file of tests
        connection.settings_dict["TEST"]["NAME"] = str(settings.BASE_DIR / "var" / "bench.sqlite3")
    databases = setup_databases(verbosity=0, interactive=False)
    try:
        bench, wanted = Bench(), sys.argv[1:]
        cases = [*api_cases(), *page_cases(), *form_cases(), *route_cases(bench.names)]
        rows = [row_of(bench, case) for case in cases if not wanted or any(word in case.name for word in wanted)]
        print(table(rows))
        print(f"\n{sum(row.met for row in rows)} of {len(rows)} within their bounds; “floor” is half of the input.")
    finally:
        teardown_databases(databases, verbosity=0)
        teardown_test_environment()


if __name__ == "__main__":
    main()
