"""The dearest requests to pages: addresses and forms at the documented limits, for every route of the site."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from bench.largest_bodies import Case, junk, post
from config.security.request_sizes import LONGEST_ADDRESS
from ranking.api.views.bulk import BulkView
from ranking.validation.json_body import LARGEST_BODY
from tests.support.routes import Row, all_rows


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


def simulation(share: float) -> tuple[str, str, bytes]:
    """An evening of as many players and hours as a page takes; each seed is another evening."""
    numbers = {
        "system": "two-layer", "online": int(2_000 * share), "hours": 24 * share, "team_size": 16, "team_count": 2,
        "match_minutes": 2, "width": 20, "placement": 1, "in_parties": 0.5, "regions": 5, "leaves": 0.1,
        "seed": time.time_ns() % 100_000,
    }  # fmt: skip
    query = urlencode([("strategy", "fifo"), ("strategy", "skill"), *numbers.items()])
    return "GET", f"/admin/matchmaking/planning/simulation/?{query}", b""


def fields(share: float) -> bytes:
    return urlencode({"a" * 10: "%" * int(330_000 * share)}).encode()


def many_fields(share: float) -> bytes:
    """A form of so many fields as Django reads, of about the largest size."""
    return urlencode([(f"f{number}", "é" * 160) for number in range(int(990 * share))]).encode()


def page_cases() -> Iterator[Case]:
    for path in ("/compare/", "/players/", "/api/v1/players/", "/api/v1/players/me/following/", "/boards/", "/nothing/",
                 "/static/", "/lobbies/", "/matches/", "/api/v1/"):  # fmt: skip
        yield Case(f"{path}, slashes", get(path, "b/"))
        yield Case(f"{path}, slashes without the last", get(f"{path}a", "/b"))
    for path in ("/", "/boards/6v6/", "/boards/6v6/friends/", "/players/{player}/", "/players/{player}/card.png",
                 "/players/{player}/matches/",
                 "/compare/{player}/{other}/", "/calculator/", "/play/", "/people/", "/search/", "/api/v1/players/",
                 "/api/v1/matches/", "/api/v1/boards/6v6/", "/account/login/"):  # fmt: skip
        yield Case(f"{path}, many parameters", get(f"{path}?a=1", "&#=1"), "account")
        for name in ("q", "mode", "after", "around", "region", "before", "next"):
            yield Case(f"{path}, {name}", get(f"{path}?{name}=", "a"), "account")
        yield Case(f"{path}, q of capitals with marks", get(f"{path}?q=", quote("\ufdfa")), "account")
    yield Case("/calculator/, a full sheet", sheet)
    yield Case("the largest simulation", simulation, "account")


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


def route_cases(names: Mapping[str, Any]) -> Iterator[Case]:
    """Every route of the site: its longest address, and its largest body if it takes one.

    `names`: what stands for `{…}` in the table's addresses, as tests.support.whole_site makes it. Who asks may do so:
    an account with every right, on the API a key with every scope.
    """
    for route, method, path, _ in every_route():
        address = path.format_map(names)
        api = address.startswith("/api/v1/")
        sender = "key" if api else "account"
        if method == "GET":
            unit = "&" if "?" in address else "?"
            yield Case(f"{route}, its longest address", get(f"{address}{unit}a=1", "&#=1"), sender)
        elif api:
            yield Case(f"{method} {route}, its largest body", _with_names(method, address), sender)
        if not api and (method == "POST" or not address.startswith("/admin/")):  # whose pages POST might delete rows
            yield Case(f"POST {route}, its largest form", _with_fields(address), sender, form=True)


def every_route() -> list[Row]:
    """The table of routes, which tests compare with the URL resolver; those that end the session come last."""
    return sorted(all_rows(), key=lambda row: "logout" in row[0])


def _with_names(method: str, address: str) -> Callable[[float], tuple[str, str, bytes]]:
    most = BulkView.largest_body if "bulk" in address else LARGEST_BODY
    return lambda share: (method, address, junk('"#":0', most * share, "{", "}"))


def _with_fields(address: str) -> Callable[[float], tuple[str, str, bytes]]:
    return lambda share: ("POST", address, many_fields(share))
