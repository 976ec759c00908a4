"""A whole site of its own, for tests of its processes: database, broker, supervisor, and a client that speaks to it.

Scaled where the suite runs on the scaled profile (PostgreSQL, a Redis server that only this site uses), else embedded.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings

from tests.support.paths import ROOT
from tests.support.patience import wait_until
from tests.support.servers import Redis, drop_database, free_port

TOKEN = "metrics-token-of-a-journey"


def as_from_a_terminal() -> None:
    """Signals as a terminal's shell leaves them: what starts the suite in the background may ignore some."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Site:
    """`manage.py serve` with everything it needs; end it with `close`."""

    def __init__(self, folder: Path, database: str, *, scaled: bool = settings.SCALED, **environment: str) -> None:
        self.port, self.database, self.log = free_port(), database, folder / "log"
        self.marker = f"JOURNEY_OF_RUNGS={uuid.uuid4().hex}"
        self.redis = Redis() if scaled else None
        name, _, value = self.marker.partition("=")
        self.environment = {
            **{known: said for known, said in os.environ.items() if not known.startswith("RUNGS_")},
            name: value,
            "RUNGS_DATABASE_URL": database,
            "RUNGS_SECRET_KEY": "only-for-journeys-" + "0123456789abcdef" * 4,
            "RUNGS_METRICS_TOKEN": TOKEN,
            "RUNGS_PUBLISH_EVERY": "1",
            **environment,
        }
        if self.redis:
            self.environment |= {
                "RUNGS_PROFILE": "scaled",
                "RUNGS_REDIS_URL": self.redis.url,
                "RUNGS_HOSTS": "127.0.0.1",
                "RUNGS_PROXIES": "1",
                "RUNGS_STATIC_ROOT": str(settings.STATIC_ROOT),
            }
        self.key = ""
        self.process: subprocess.Popen[bytes] | None = None
        self._started: list[subprocess.Popen[bytes]] = []

    def manage(self, *arguments: str, code: int = 0) -> str:
        """A command of this site; returns what it printed, where it must fail its complaint."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stderr if code else done.stdout

    def shell(self, code: str) -> str:
        return self.manage("shell", "--no-imports", "-v0", "-c", code).strip()

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """A process of this site; by default the supervisor with all of them."""
        arguments = command or ("serve", "--port", str(self.port))
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [str(ROOT / "bin" / "rungs"), *arguments], cwd=ROOT, stdout=log, stderr=log,
                env={**self.environment, "PYTHON": sys.executable}, preexec_fn=as_from_a_terminal,
            )  # fmt: skip
        self._started.append(process)
        if not command:
            self.process = process
            assert wait_until(lambda: self.get("/health/ready")[0] == 200, 90), self.log.read_text()
        return process

    def close(self) -> None:
        """Ends whatever of it lives, and drops its database."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(20)
        for process in self.processes():
            os.kill(process, signal.SIGKILL)
        for started in self._started:
            started.wait(60)
        if self.redis:
            self.redis.kill()
        drop_database(self.database)

    def send(self, method: str, path: str, body: Any = None, timeout: float = 60, **headers: str) -> tuple[int, str]:
        """The status and text of an answer; (0, reason) where there is none. A body of bytes is sent as it is."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        sent = {"X-Forwarded-Proto": "https", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)
        except Exception as error:  # http.client's: an answer that broke off
            return 0, repr(error)

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        return self.send("GET", path, None, 60, **headers)

    def post_result(self, report: dict[str, Any]) -> int:
        return self.send("POST", "/api/v1/matches/", report, Authorization=f"Bearer {self.key}")[0]

    def send_again(self, reports: Iterable[dict[str, Any]]) -> set[int]:
        """Results in bulk; returns the different statuses they were answered with."""
        waiting, statuses = list(reports), set()
        for start in range(0, len(waiting), 200):
            body = {"matches": waiting[start : start + 200]}
            status, text = self.send("POST", "/api/v1/matches/bulk/", body, 60, Authorization=f"Bearer {self.key}")
            assert status == 200, text
            statuses |= {answer["status"] for answer in json.loads(text)["matches"]}
        return statuses

    def processes(self, *words: str) -> list[int]:
        """Living processes of this site whose command line has each of these words."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if not entry.name.isdigit() or (entry / "stat").read_text().rpartition(")")[2].split()[0] == "Z":
                    continue
                line = (entry / "cmdline").read_text().split("\0")
                if self.marker.encode() in (entry / "environ").read_bytes() and set(words) <= set(line):
                    found.append(int(entry.name))
            except OSError:
                continue  # gone meanwhile
        return sorted(found)


def parent_of(process: int) -> int:
    """The parent's id; 0 where the process is gone."""
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def children_among(processes: Sequence[int]) -> list[int]:
    """Those that another of them started."""
    return [process for process in processes if parent_of(process) in processes]


def report(number: str, winner: str, loser: str) -> dict[str, Any]:
    """A duel that ended just now."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    teams = [{"place": place, "players": [{"id": player}]} for place, player in enumerate((winner, loser), 1)]
    return {"id": number, "mode": "duel", "ended_at": now, "teams": teams}
