"""`python -m tools.rehearse_upgrade --from COMMIT`: an upgrade and the way back under load. No request may fail.

Two sets of web processes stand behind Caddy, which runs the Caddyfile that ships. The order is that of
docs/operating.md, "An order in which no request fails". It needs Caddy, and PostgreSQL and Redis by RUNGS_DATABASE_URL
and RUNGS_REDIS_URL; it makes a database of its own, and drops it. Exit status 1: a request failed, or a result that was
taken isn't there.
"""

import argparse
import http.client
import json
import os
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

ROOT = Path(__file__).resolve().parents[1]
LOG = ROOT / "var" / "upgrade.log"
PAGES = ("/", "/boards/duel/", "/api/v1/boards/duel/", "/account/login/")
READY = "/health/ready?only=database,migrations"
START = 180.0  # seconds for a process to start, on a busy machine
MODE_AND_KEY = """
from django.utils import timezone
from ranking.modes.parameters import create_mode
from ranking.operations.keys import create_key
create_mode(slug="duel", name="Duel", system="elo", placement_matches=1, team_size_max=6, now=timezone.now())
print(create_key("rehearsal", scopes=["results"], now=timezone.now()))
"""
COUNT = "from ranking.models import Match; print(Match.objects.count())"


@dataclass
class Phase:
    """What was sent meanwhile. `failures`: what was asked for, and what came."""

    name: str
    taken: int = 0
    read: int = 0
    slowest: float = 0.0  # seconds
    failures: list[str] = field(default_factory=list)


class Load:
    """Clients that send results and read pages until they are ended; half of them keep their connections."""

    def __init__(self, port: int, root: Path, key: str, clients: int) -> None:
        self.port, self.key = port, key
        self.context = ssl.create_default_context(cafile=str(root))
        self.phases = [Phase("before")]
        self._over, self._lock = threading.Event(), threading.Lock()
        self._threads = [threading.Thread(target=self._ask, args=(number,), daemon=True) for number in range(clients)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def begin(self, name: str) -> None:
        print(f"{name} …", flush=True)
        with self._lock:
            self.phases.append(Phase(name))

    def _ask(self, number: int) -> None:
        connection, keeps, turn = self._connect(), number % 4 < 2, 0
        while not self._over.wait(0.05):
            turn += 1
            sends = number % 2 == 0
            began = time.monotonic()
            what = "POST a result" if sends else f"GET {PAGES[turn % len(PAGES)]}"
            try:
                status = self._send(connection, f"{number}-{turn}") if sends else self._read(connection, turn)
                came = "" if status in ((201, 202) if sends else (200,)) else str(status)
            except (OSError, http.client.HTTPException) as error:
                came = repr(error)
            self._note(came and f"{what}: {came}", sends, time.monotonic() - began)
            if came or not keeps:
                connection.close()
                connection = self._connect()
        connection.close()

    def _connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("localhost", self.port, timeout=120, context=self.context)

    def _send(self, connection: http.client.HTTPSConnection, name: str) -> int:
        ended = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        players = [f"player-{secrets.randbelow(50)}-{side}" for side in "ab"]
        teams = [{"place": place, "players": [{"id": player}]} for place, player in enumerate(players, 1)]
        body = json.dumps({"id": name, "mode": "duel", "ended_at": ended, "teams": teams})
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        connection.request("POST", "/api/v1/matches/", body, headers)
        return _status(connection)

    def _read(self, connection: http.client.HTTPSConnection, turn: int) -> int:
        connection.request("GET", PAGES[turn % len(PAGES)])
        return _status(connection)

    def _note(self, failure: str, sends: bool, seconds: float) -> None:
        with self._lock:
            phase = self.phases[-1]
            phase.slowest = max(phase.slowest, seconds)
            if failure:
                phase.failures.append(failure)
            elif sends:
                phase.taken += 1
            else:
                phase.read += 1


class Site:
    """One database, and processes of two versions on it."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder, self.log = folder, folder / "log"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RUNGS_", "CADDY_"))}
        self.environment = {
            **kept,
            "PYTHON": sys.executable,
            "RUNGS_PROFILE": "scaled",
            "RUNGS_SECRET_KEY": secrets.token_urlsafe(64),
            "RUNGS_DATABASE_URL": database,
            "RUNGS_REDIS_URL": os.environ["RUNGS_REDIS_URL"],
            "RUNGS_HOSTS": "localhost",
            "RUNGS_PROXIES": "1",
            "RUNGS_PUBLISH_EVERY": "2",
            "RUNGS_WORKER_PROCESSES": "2",
        }
        self.https, self._http = _free_port(), _free_port()
        self.ports = {"first": _free_port(), "second": _free_port()}
        self._processes: list[subprocess.Popen[bytes]] = []

    def manage(self, checkout: Path, *words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            command, cwd=checkout, env=self._of(checkout), capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def shell(self, checkout: Path, code: str) -> str:
        return self.manage(checkout, "shell", "--no-imports", "-v0", "-c", code)

    def prepare(self, checkout: Path) -> None:
        """Make what the repository doesn't hold: catalogues, and static files with their hashed names."""
        if (checkout / "config/languages/compiling.py").exists():  # before that, the repository held the catalogues
            subprocess.run([sys.executable, "-m", "config.languages.compiling"], cwd=checkout, check=True)
        self.manage(checkout, "collectstatic", "--noinput", "-v0")

    def _of(self, checkout: Path) -> dict[str, str]:
        return {**self.environment, "RUNGS_STATIC_ROOT": str(self.folder / "static" / checkout.name)}

    def start(self, checkout: Path, *words: str) -> "subprocess.Popen[bytes]":
        return self._start([str(checkout / "bin/rungs"), *words], self._of(checkout))

    def start_web(self, checkout: Path, name: str) -> "subprocess.Popen[bytes]":
        """Start a set of web processes, `first` or `second`, and wait until it is ready."""
        port = self.ports[name]
        web = self.start(checkout, "web", "--port", str(port))
        self._wait(lambda: _is_ready(port), "the web processes")
        return web

    def start_caddy(self) -> Path:
        """Start the Caddyfile that ships. Return the certificate of Caddy's own CA."""
        caddy = shutil.which("caddy")
        if caddy is None:
            raise SystemExit("Caddy isn't installed: apt-get install caddy")
        environment = {
            **self.environment,
            "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "CADDY_HTTP_PORT": str(self._http),
            "CADDY_HTTPS_PORT": str(self.https),
            "CADDY_WEB_BY": "sets",
            "CADDY_SETS": str(self.folder),
            "CADDY_WEB_FIRST": f"127.0.0.1:{self.ports['first']}",
            "CADDY_WEB_SECOND": f"127.0.0.1:{self.ports['second']}",
        }
        self._start([caddy, "run", "--config", str(ROOT / "Caddyfile"), "--adapter", "caddyfile"], environment)
        root = self.folder / "data/caddy/pki/authorities/local/root.crt"
        self._wait(lambda: root.exists() and _listens(self.https), "Caddy")
        return root

    def pass_requests_to(self, name: str) -> None:
        """Have Caddy send new requests to that set; it finishes those that it has sent to the other one."""
        second = self.folder / "second"
        if name == "second":
            second.touch()
        else:
            second.unlink()

    def _start(self, command: list[str], environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
        with self.log.open("ab") as log:
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        self._processes.append(process)
        return process

    def _wait(self, true: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + START
        while not true():
            if time.monotonic() > deadline:
                raise SystemExit(f"Waited for {what} in vain: {self.log.read_text()[-5_000:]}")
            time.sleep(0.2)

    def close(self) -> None:
        for process in self._processes:
            _end(process)


def upgrade(site: Site, load: Load, old: "Running", new: Path, *, drain: float, back: bool = False) -> "Running":
    """Go from one version to another. Nothing of the old one ends before the new one does its work."""
    if not back:
        load.begin("migrate, old code serves")
        site.manage(new, "migrate", "--noinput", "-v0")
    load.begin("start the other web set")
    name = "first" if back else "second"
    web = site.start_web(new, name)
    load.begin("switch, drain, end the old web set")
    site.pass_requests_to(name)
    time.sleep(drain)
    _end(old.web)
    load.begin("workers, then beat")
    jobs = start_jobs(site, new)
    for process in old.jobs:
        _end(process)
    load.begin("back on the old version" if back else "on the new version")
    time.sleep(drain)
    return Running(web, jobs)


@dataclass(frozen=True)
class Running:
    """The processes of one version."""

    web: "subprocess.Popen[bytes]"
    jobs: list["subprocess.Popen[bytes]"]


def start_jobs(site: Site, checkout: Path) -> list["subprocess.Popen[bytes]"]:
    return [site.start(checkout, "worker", "-n", f"{secrets.token_hex(4)}@%h"), site.start(checkout, "beat")]


def rehearse(commit: str, *, clients: int, drain: float) -> int:
    """Upgrade from the commit to this checkout, and go back, under load. Return the number of failures."""
    with tempfile.TemporaryDirectory(prefix="rungs-upgrade-") as name, new_database() as database:
        folder = Path(name)
        site, old, new = Site(folder, database), folder / "old", ROOT
        check_out(commit, old)
        try:
            for checkout in (old, new):
                site.prepare(checkout)
            site.manage(old, "migrate", "--noinput", "-v0")
            key = site.shell(old, MODE_AND_KEY)
            running = Running(site.start_web(old, "first"), start_jobs(site, old))
            load = Load(site.https, site.start_caddy(), key, clients)
            load.start()
            print(f"from {commit} to this checkout, {clients} clients", flush=True)
            time.sleep(drain)
            running = upgrade(site, load, running, new, drain=drain)
            upgrade(site, load, running, old, drain=drain, back=True)
            load.end()
            failed = show(load.phases, recorded=int(site.shell(new, COUNT)))
            if failed:
                LOG.parent.mkdir(exist_ok=True)
                shutil.copy(site.log, LOG)
                print(f"The processes' log is {LOG.relative_to(ROOT)}.")
            return failed
        finally:
            site.close()


def show(phases: list[Phase], *, recorded: int) -> int:
    """Print the table; return the number of failures, and of results that were taken and aren't there."""
    print(f"{'':36} results  pages  failed  slowest")
    for phase in phases:
        print(f"{phase.name:36} {phase.taken:7} {phase.read:6} {len(phase.failures):7} {phase.slowest:7.1f} s")
        for failure in phase.failures[:5]:
            print(f"    {failure}")
    taken, failed = sum(phase.taken for phase in phases), sum(len(phase.failures) for phase in phases)
    print(f"{failed} requests failed; {taken} results were taken, {recorded} are recorded.")
    return failed + max(0, taken - recorded)


def check_out(commit: str, folder: Path) -> None:
    """Write the files of the commit into a new folder."""
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=False, capture_output=True)
    if archive.returncode:
        raise SystemExit(f"{commit} can't be checked out: {archive.stderr.decode().strip()}")
    folder.mkdir()
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")


@contextmanager
def new_database() -> Iterator[str]:
    """The URL of a new database on the server of RUNGS_DATABASE_URL; it is dropped afterwards."""
    server = urlsplit(os.environ["RUNGS_DATABASE_URL"])
    name = f"rungs_upgrade_{secrets.token_hex(6)}"
    with closing(psycopg.connect(server.geturl(), autocommit=True)) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield server._replace(path=f"/{name}").geturl()
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _status(connection: http.client.HTTPConnection) -> int:
    answer = connection.getresponse()
    answer.read()
    return answer.status


def _is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", READY)
        return _status(connection) == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ask it to end, and wait until it has finished what it does."""
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and end what it has started
    parser = argparse.ArgumentParser(description="Rehearse an upgrade under load, and the way back.")
    parser.add_argument("--from", dest="commit", default="HEAD~1", help="the version to upgrade from")
    parser.add_argument("--clients", type=int, default=8, help="half send results, half read pages")
    parser.add_argument("--drain", type=float, default=10, help="seconds between the switch and the end of the old set")
    options = parser.parse_args()
    sys.exit(1 if rehearse(options.commit, clients=options.clients, drain=options.drain) else 0)


if __name__ == "__main__":
    main()
