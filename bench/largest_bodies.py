"""The dearest requests to the API: bodies at the documented limits, each at a share of its size."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from ranking.api.views.bulk import MOST
from ranking.systems.registry import SYSTEMS
from ranking.validation.json_body import LARGEST_BODY, LARGEST_BULK

DUELS = ("battle-points", "glicko-2")
QUADRATIC = "formula"  # of a route whose cost is a rating system's formula


@dataclass(frozen=True, slots=True)
class Case:
    """A request at a share of its largest input; `make` returns the method, the address and the body."""

    name: str
    make: Callable[[float], tuple[str, str, bytes]]
    sender: str = ""  # "key", "account", or nobody
    form: bool = False


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
        "seconds": 700.25, "joined_at": 101.125, "left_early": False, "rounds_played": 9,
        "absences": [[120.5, 180.25], [300, 310]],
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
