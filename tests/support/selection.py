"""Each test runs where it can fail: what touches no database runs on one profile, and what one database has proven for
both isn't run on the other.

A run with `--of-databases` leaves out tests that touch no database. With `--prove` it also notes which tests have
passed without asking which database they have. A later run of the same code on SQLite leaves these out, but not those
of `ON_BOTH`; `--all` runs them, too.
"""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from tests.support.paths import ROOT

PROOF = ROOT / "var" / "proof.json"
FIXTURES = {"db", "transactional_db", "live_server", "module_db"}
# Packages whose tests run on both databases, whatever they ask.
ON_BOTH = (
    "tests/journeys", "tests/config/test_upgrades.py", "tests/matchmaking/lobbies", "tests/matchmaking/operations",
    "tests/matchmaking/queues", "tests/matchmaking/tick", "tests/ranking/database", "tests/ranking/matches",
    "tests/ranking/operations", "tests/ranking/rerating", "tests/ranking/seasons", "tests/ranking/standings",
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


def proven_tests() -> set[str]:
    """Return the tests that PostgreSQL has proven of this code; none if its suite didn't run on it."""
    if not PROOF.exists() or not (ROOT / ".git").exists():
        return set()
    proof = json.loads(PROOF.read_text())
    return {*proof["tests"]} if proof["code"] == digest_of_code() else set()


class DatabaseAsked:
    """Notes the tests whose product code asks `connection.vendor` while they run, beside their fixtures."""

    def __init__(self) -> None:
        self.test: str | None = None
        self.tests: set[str] = set()
        kind: Any = type(connections["default"])
        vendor, product = kind.vendor, f"{ROOT}/"

        def asked(connection: Any) -> Any:
            frame = sys._getframe(1)
            if frame.f_code.co_filename.endswith("/django/utils/connection.py"):  # the proxy of the default connection
                frame = frame.f_back  # type: ignore[assignment]
            name = frame.f_code.co_filename
            if self.test and name.startswith(product) and not name.startswith((f"{product}tests", f"{product}.venv")):
                self.tests.add(self.test)
            return vendor

        kind.vendor = property(asked)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        self.test = item.nodeid
        try:
            return (yield)
        finally:
            self.test = None
            item.user_properties.append(("asked", item.nodeid in self.tests))


class Proof:
    """Keeps the tests that passed without asking which database they have, and writes them down if all passed."""

    def __init__(self) -> None:
        self.tests: list[str] = []
        self.code = digest_of_code()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed and dict(report.user_properties).get("asked") is False:
            self.tests.append(report.nodeid)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        PROOF.parent.mkdir(exist_ok=True)
        PROOF.unlink(missing_ok=True)
        if exitstatus == pytest.ExitCode.OK:
            PROOF.write_text(json.dumps({"code": self.code, "tests": sorted(self.tests)}))


def left_out(tests: Iterable[pytest.Item], config: pytest.Config) -> list[pytest.Item]:
    """Return the tests that needn't run here."""
    if config.getoption("--of-databases"):
        return [test for test in tests if not touches_database(test)]
    whole = [Path(argument).name for argument in config.args] == ["tests"]  # files that somebody names run whole
    if not whole or config.getoption("--all") or connections["default"].vendor != "sqlite":
        return []
    proven = proven_tests()
    return [test for test in tests if test.nodeid in proven and not test.nodeid.startswith(ON_BOTH)]
