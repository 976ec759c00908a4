"""Each test runs where it can fail: what touches no database runs on one profile, and what one database has proven for
both isn't run on the other.

A run with `--of-databases` leaves out tests that touch no database. With `--prove` it also notes which tests have
passed, and at which places of the product they asked which database they have. A later run of the same code on SQLite
leaves out those that asked nowhere, or only where tests of `ON_BOTH` ask, too; `--all` runs them all. So it runs each
place where databases part, from each line that calls it.
"""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from django.db import connections

from tests.support.paths import ROOT

PROOF = ROOT / "var" / "proof.json"
FIXTURES = {"db", "transactional_db", "live_server", "module_db"}
# Packages whose tests run on both databases, whatever they ask.
ON_BOTH = (
    "tests/journeys", "tests/config/storage/test_upgrades.py", "tests/matchmaking/lobbies",
    "tests/matchmaking/operations", "tests/matchmaking/queues", "tests/matchmaking/tick", "tests/ranking/database",
    "tests/ranking/matches", "tests/ranking/operations", "tests/ranking/rerating", "tests/ranking/seasons",
    "tests/ranking/standings",
)  # fmt: skip
_CODE = ("*.py", "*.html", "*.txt", "*.json", "*.lock", "*.toml", "*.css", "*.js", "*.md", "*.po")


def touches_database(test: pytest.Item) -> bool:
    """True if a test uses a database, starts a whole site, or is left out on one profile."""
    if {*FIXTURES} & {*getattr(test, "fixturenames", ())} or test.get_closest_marker("django_db"):
        return True
    of_one_profile = test.get_closest_marker("skipif") and hasattr(getattr(test, "module", None), "SCALED")
    return "journeys" in test.path.parts or bool(of_one_profile)


def digest_of_code() -> str:
    """Return a digest of all files that git knows or would take, by which a proof is of this very code."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *_CODE]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    digest = hashlib.sha256()
    for name in sorted({*names} - {""}):
        path = ROOT / name
        digest.update(name.encode() + b"\0" + (path.read_bytes() if path.is_file() else b"") + b"\0")
    return digest.hexdigest()


def proven_tests() -> dict[str, set[str]]:
    """Return the tests that PostgreSQL has proven of this code, and the places where each asked for the database.

    None, if its suite didn't run on this code.
    """
    if not PROOF.exists() or not (ROOT / ".git").exists():
        return {}
    proof = json.loads(PROOF.read_text())
    if proof["code"] != digest_of_code():
        return {}
    return {test: {proof["places"][number] for number in numbers} for test, numbers in proof["tests"].items()}


def without_need(proven: dict[str, set[str]], on_both: Iterable[str]) -> set[str]:
    """Return the proven tests that ask nowhere but where one of `on_both` asks, too."""
    on_both = {*on_both}
    asked_on_both = set[str]().union(*(places for test, places in proven.items() if test in on_both))
    return {test for test, places in proven.items() if test not in on_both and places <= asked_on_both}


_PRODUCT, _DATABASE = f"{ROOT}/", f"{ROOT}/ranking/database/"
_NOT_PRODUCT = (f"{ROOT}/tests", f"{ROOT}/.venv")


def place_of(frame: FrameType | None) -> str | None:
    """Where product code asks: that line, and the line outside of `ranking.database` that called it. Else None."""
    places: list[str] = []
    while frame:
        name = frame.f_code.co_filename
        if name.startswith(_PRODUCT) and not name.startswith(_NOT_PRODUCT):
            inside = name.startswith(_DATABASE)
            if not (inside and places):
                places.append(f"{name.removeprefix(_PRODUCT)}:{frame.f_lineno}")
            if not inside:
                break
        elif not places:
            return None
        frame = frame.f_back
    return " from ".join(places)


class DatabaseAsked:
    """Notes where product code asks `connection.vendor` while each test runs, beside its fixtures."""

    def __init__(self) -> None:
        self.places: set[str] | None = None
        kind: Any = type(connections["default"])
        vendor = kind.vendor

        def asked(connection: Any) -> Any:
            frame = sys._getframe(1)
            if frame.f_code.co_filename.endswith("/django/utils/connection.py"):  # the proxy of the default connection
                frame = frame.f_back  # type: ignore[assignment]
            if self.places is not None and (place := place_of(frame)):
                self.places.add(place)
            return vendor

        kind.vendor = property(asked)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        places: set[str] = set()
        self.places = places
        try:
            return (yield)
        finally:
            self.places = None
            item.user_properties.append(("asked", sorted(places)))


class Proof:
    """Keeps the tests that passed, with the places where each asked, and writes them down if all passed."""

    def __init__(self) -> None:
        self.tests: dict[str, list[str]] = {}
        self.code = digest_of_code()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed and "asked" in (noted := dict(report.user_properties)):
            self.tests[report.nodeid] = noted["asked"]  # type: ignore[assignment]

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        PROOF.parent.mkdir(exist_ok=True)
        PROOF.unlink(missing_ok=True)
        if exitstatus == pytest.ExitCode.OK:
            places = sorted({place for asked in self.tests.values() for place in asked})
            number = {place: at for at, place in enumerate(places)}
            tests = {test: [number[place] for place in asked] for test, asked in sorted(self.tests.items())}
            PROOF.write_text(json.dumps({"code": self.code, "places": places, "tests": tests}))


def left_out(tests: Iterable[pytest.Item], config: pytest.Config) -> list[pytest.Item]:
    """Return the tests that needn't run here."""
    if config.getoption("--of-databases"):
        return [test for test in tests if not touches_database(test)]
    whole = [Path(argument).name for argument in config.args] == ["tests"]  # files that somebody names run whole
    if not whole or config.getoption("--all") or connections["default"].vendor != "sqlite":
        return []
    of_both = [test for test in tests if test.nodeid.startswith(ON_BOTH)]
    proven = proven_tests()
    for test in of_both:
        if test.get_closest_marker("skipif"):  # it may not run here
            proven.pop(test.nodeid, None)
    unneeded = without_need(proven, [test.nodeid for test in of_both])
    return [test for test in tests if test.nodeid in unneeded and test not in of_both]
