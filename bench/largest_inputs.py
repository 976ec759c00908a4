"""Measures what each route costs at its largest documented input: processor time, memory, growth on doubling.

`python -m bench.largest_inputs` runs on either profile, in a test database of its own, which it makes and drops. Each
row is one request through the site's WSGI application; names of routes may follow, to measure only those.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("RUNGS_LOG_LEVEL", "ERROR")
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client, RequestFactory  # noqa: E402
from django.test.utils import (  # noqa: E402
    setup_databases,
    setup_test_environment,
    teardown_databases,
    teardown_test_environment,
)
from django.utils import timezone  # noqa: E402

from bench.measuring import Row, table, with_room  # noqa: E402
from config.security.request_sizes import LONGEST_ADDRESS  # noqa: E402
from ranking.api.views.bulk import MOST  # noqa: E402
from ranking.models import Player  # noqa: E402
from ranking.modes.parameters import create_mode  # noqa: E402
from ranking.operations.keys import create_key  # noqa: E402
from ranking.standings.publishing import publish  # noqa: E402
from ranking.systems.registry import SYSTEMS  # noqa: E402
from ranking.validation.json_body import LARGEST_BODY, LARGEST_BULK  # noqa: E402

SECONDS, MEGABYTES, GROWTH, SHORT = 2.0, 100.0, 2.5, 0.05  # the bounds of a request; shorter ones have no growth
DUELS = ("battle-points", "glicko-2")
CSRF = "c" * 32
QUADRATIC = "formula"  # of a route whose cost is a rating system's formula


@dataclass(frozen=True, slots=True)
class Case:
    """A request at a share of its largest input; `make` returns the method, the address and the body."""

    name: str
    make: Callable[[float], tuple[str, str, bytes]]
    sender: str = ""  # "key", "account", or nobody
    form: bool = False


@dataclass(frozen=True, slots=True)
class Cost:
    status: int
    seconds: float
    megabytes: float


def junk(unit: str, size: float, begin: str = "[", end: str = "]") -> bytes:
    """JSON of about `size` bytes: this unit again and again, in which # is a number."""
    parts: list[str] = []
    length = len(begin) + len(end)
    while length < size - len(unit) - 8:
        parts.append(unit.replace("#", str(len(parts))))
        length += len(parts[-1]) + 1
    return (begin + ",".join(parts) + end).encode()


def match_of(number: int, size: int, teams: int, mode: str, stats: int = 12) -> dict[str, Any]:
    """A result with every optional field."""
    ended = timezone.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    player = {
        "seconds": 801.25, "left_early": False, "rounds_played": 9, "absences": [[120.5, 180.25], [300, 310]],
        "party": "7c9e6679-7425-40de-944b-e07fc1f90ae7", "stats": {f"statistic_{n}": 12_345 for n in range(stats)},
    }  # fmt: skip
    return {
        "id": f"eu1-{time.time_ns()}-{number}", "mode": mode, "ended_at": ended, "duration": 801.25, "rounds": 9,
        "variant": "Slayer on Foundry", "server": "eu-west-1a", "region": "eu-west",
        "teams": [
            {"name": f"Team {team}", "score": team, "place": team + 1,
             "players": [{"id": f"7656119{number * size * teams + team * size + slot:010}", "name": f"K{slot}",
                          "device": "d" * 64, **player} for slot in range(size)]}
            for team in range(teams)
        ],
    }  # fmt: skip


def line(system: str, players: int) -> dict[str, Any]:
    teams = 2 if system in DUELS else 16
    sizes = [1, 1] if system in DUELS else [max(1, players // teams)] * teams
    return {"system": system, "duration": 600, "teams": [
        {"place": place, "players": [{"id": f"{place}-{slot}", "skill": None, "seconds": 1, "left_early": True}
                                     for slot in range(size)]} for place, size in enumerate(sizes, 1)]}  # fmt: skip


def post(address: str, body: Callable[[float], bytes]) -> Callable[[float], tuple[str, str, bytes]]:
    return lambda share: ("PUT" if address.endswith("servers/me/") else "POST", address, body(share))


def get(path: str, unit: str) -> Callable[[float], tuple[str, str, bytes]]:
    """An address of LONGEST_ADDRESS bytes: the path, and this unit again and again, in which # is a number."""

    def make(share: float) -> tuple[str, str, bytes]:
        text, number = path, 0
        while len(text) + len(unit) + 4 <= LONGEST_ADDRESS * share:
            text, number = text + unit.replace("#", str(number)), number + 1
        return "GET", text, b""

    return make


def sheet(share: float) -> tuple[str, str, bytes]:
    """The calculator with as many players as an address holds, each with a name."""
    sizes = ",".join(["6"] * 10)
    fields = {
        f"{team}.{slot}.{name}": "1" for team in range(10) for slot in range(6) for name in ("mmr", "mu", "sigma")
    }
    query = urlencode({"system": "two-layer", "sizes": sizes, **dict(list(fields.items())[: int(180 * share)])})
    return "GET", f"/calculator/?{query}", b""


def fields(share: float) -> bytes:
    return urlencode({"a" * 10: "%" * int(330_000 * share)}).encode()


def many_fields(share: float) -> bytes:
    """A form of so many fields as Django reads, of about the largest size."""
    return urlencode([(f"f{number}", "é" * 160) for number in range(int(990 * share))]).encode()


def api_cases() -> Iterator[Case]:
    rate, matches, bulk = "/api/v1/rate/", "/api/v1/matches/", "/api/v1/matches/bulk/"
    body, large = LARGEST_BODY, LARGEST_BULK
    yield Case("rate/, a name repeats", post(rate, lambda s: junk('"#":0', body * s, '{"x":0,', ',"x":0}')))
    yield Case("rate/, unknown fields", post(rate, lambda s: junk('"#":0', body * s, "{", "}")))
    yield Case("rate/, empty players", post(rate, lambda s: junk("{}", body / 2 * s, '{"system":"elo","teams":[{"players":[', "]}]}")))  # noqa: E501  # fmt: skip
    yield Case("rate/, bad lines", post(rate, lambda s: junk('{"teams":{"#":1}}', 2_000 * s, '{"lines":[', "]}")))
    for system in SYSTEMS:
        yield Case(f"rate/, 200 players, {QUADRATIC} of {system}", post(rate, lambda s, k=system: json.dumps({"lines": [line(k, 200)] if k not in DUELS else [line(k, 2)] * int(100 * s)} if s == 1 else {"lines": [line(k, 100)]}).encode()))  # type: ignore[misc]  # noqa: E501  # fmt: skip
    yield Case("matches/, unknown fields", post(matches, lambda s: junk('"#":0', body * s, "{", "}")), "key")
    yield Case("matches/, absences", post(matches, lambda s: junk("[]", body / 2 * s, '{"id":"1","mode":"free","teams":[{"players":[{"id":"a","absences":[', "]}]}]}")), "key")  # noqa: E501  # fmt: skip
    yield Case("matches/, players", post(matches, lambda s: junk('{"id":"#"}', body * s, '{"id":"1","mode":"free","teams":[{"players":[', "]}]}")), "key")  # noqa: E501  # fmt: skip
    yield Case("matches/, bad stats", post(matches, lambda s: junk('{"id":"#","stats":{"a":"","b":"","c":""},"x":0}', 10_000 * s, '{"id":"1","mode":"free","teams":[{"players":[', "]}]}")), "key")  # noqa: E501  # fmt: skip
    yield Case("matches/, 200 players", post(matches, lambda s: json.dumps(match_of(0, int(100 * s), 2, "large")).encode()), "key")  # noqa: E501  # fmt: skip
    yield Case(f"matches/, free for all of 200, {QUADRATIC}", post(matches, lambda s: json.dumps(match_of(0, 1, 200 if s == 1 else 100, "free" if s == 1 else "free100")).encode()), "key")  # noqa: E501  # fmt: skip
    yield Case("bulk, 500 of 6v6", post(bulk, lambda s: json.dumps({"matches": [match_of(n, 6, 2, "6v6") for n in range(int(MOST * s))]}).encode()), "key")  # noqa: E501  # fmt: skip
    yield Case("bulk, unknown fields", post(bulk, lambda s: junk('"#":0', large * s, '{"matches":[{', "}]}")), "key")
    yield Case("bulk, bad results", post(bulk, lambda s: junk('{"id":"#"' + ',"teams":[{"players":[{"x":0}]}]' + "}", 22_000 * s, '{"matches":[', "]}")), "key")  # noqa: E501  # fmt: skip
    yield Case("bulk, empty lists", post(bulk, lambda s: junk("[]", large / 7 * s, '{"matches":[', "]}")), "key")
    yield Case("servers/me/, modes", post("/api/v1/servers/me/", lambda s: junk('"#"', body * s, '{"region":"","address":"x","modes":[', "]}")), "key")  # noqa: E501  # fmt: skip
    yield Case("lobbies/start/, players", post("/api/v1/lobbies/x/start/", lambda s: junk('"#"', body * s, '{"players":[', "]}")), "key")  # noqa: E501  # fmt: skip
    yield Case("tickets/, regions", post("/api/v1/tickets/", lambda s: junk('"#":1', body * s, '{"mode":"duel","regions":{', "}}")), "key")  # noqa: E501  # fmt: skip


def page_cases() -> Iterator[Case]:
    for path in ("/compare/", "/players/", "/api/v1/players/", "/api/v1/players/me/following/", "/boards/", "/nothing/",
                 "/static/", "/lobbies/", "/matches/", "/api/v1/"):  # fmt: skip
        yield Case(f"{path}, slashes", get(path, "b/"))
        yield Case(f"{path}, slashes without the last", get(f"{path}a", "/b"))
    for path in ("/", "/boards/6v6/", "/boards/6v6/friends/", "/players/{player}/", "/players/{player}/card.png",
                 "/compare/{player}/{other}/", "/calculator/", "/play/", "/people/", "/api/v1/players/",
                 "/api/v1/matches/", "/api/v1/boards/6v6/", "/account/login/"):  # fmt: skip
        yield Case(f"{path}, many parameters", get(f"{path}?a=1", "&#=1"), "account")
        for name in ("q", "mode", "after", "around", "region", "before", "next"):
            yield Case(f"{path}, {name}", get(f"{path}?{name}=", "a"), "account")
        yield Case(f"{path}, q of capitals with marks", get(f"{path}?q=", quote("\ufdfa")), "account")
    yield Case("/calculator/, a full sheet", sheet)
    yield Case("/api/schema/", lambda s: ("GET", "/api/schema/", b""))


def form_cases() -> Iterator[Case]:
    for path in ("/account/login/", "/account/signup/", "/account/password/reset/", "/people/follow/", "/party/invite/",
                 "/account/claim/", "/conduct/appeal/ban/1/", "/account/privacy/", "/admin/login/",
                 "/admin/ranking/mode/add/", "/admin/ranking/player/", "/admin/matchmaking/planning/"):  # fmt: skip
        yield Case(f"POST {path}, one field", post(path, fields), "account", form=True)
        yield Case(f"POST {path}, many fields", post(path, many_fields), "account", form=True)
    for path in ("/admin/ranking/player/", "/admin/ranking/match/", "/admin/auth/user/", "/admin/ranking/mode/",
                 "/admin/autocomplete/", "/admin/matchmaking/planning/", "/queues/"):  # fmt: skip
        yield Case(f"{path}, words", get(f"{path}?q=", "a+"), "account")
        yield Case(f"{path}, many parameters", get(f"{path}?a=1", "&#=1"), "account")


class Bench:
    """The application with a few modes, players, a key and an account."""

    def __init__(self) -> None:
        now = timezone.now()
        for slug, system, teams, size in (("6v6", "team-ratio", 2, 6), ("free", "trueskill", 200, 1), ("free100", "trueskill", 100, 1), ("large", "team-ratio", 2, 100)):  # noqa: E501  # fmt: skip
            create_mode(slug=slug, name=slug, system=system, team_count=teams, team_size_max=size, now=now)
        self.key = create_key("bench", scopes=["results", "servers", "players", "read"], now=now)
        self.application = get_wsgi_application()
        user = User.objects.create_superuser("bench", "bench@example.org", "a long password for a bench")
        self.client = Client()
        self.client.force_login(user)
        body = json.dumps({"matches": [match_of(number, 6, 2, "6v6") for number in range(20)]}).encode()
        self.call(Case("", lambda share: ("POST", "/api/v1/matches/bulk/", body), "key"), 1.0)
        players = Player.objects.order_by("id")
        self.player, self.other = players[0], players[1]
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
        cases = [*api_cases(), *page_cases(), *form_cases()]
        rows = [row_of(bench, case) for case in cases if not wanted or any(word in case.name for word in wanted)]
        print(table(rows))
        print(f"\n{sum(row.met for row in rows)} of {len(rows)} within their bounds; “floor” is half of the input.")
    finally:
        teardown_databases(databases, verbosity=0)
        teardown_test_environment()


if __name__ == "__main__":
    main()
