"""`manage.py serve` as a user runs it: web and jobs under one supervisor, and nothing left behind."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UNPUBLISHED = """
from django.utils import timezone
from tests.factories import make_mode, record
make_mode()
record(["a"], ["b"], now=timezone.now(), ended_at=timezone.now())
"""


def wait_until(true: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.1)
    return False


def group_of(marker: str) -> list[int]:
    """Living processes whose environment holds the marker: the supervisor and all it started."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            living = entry.name.isdigit() and (entry / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
            if living and marker.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue  # gone meanwhile
    return found


def environment_of(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RUNGS_")}
    return {**kept, "RUNGS_DATABASE_URL": f"sqlite:///{folder}/site.sqlite3", "RUNGS_TEST_SITE": str(folder)}


@pytest.fixture(scope="module")
def unpublished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a database with one result that no board shows yet."""
    folder = tmp_path_factory.mktemp("database")
    for command in (["migrate"], ["shell", "--no-imports", "-c", UNPUBLISHED]):
        subprocess.run([sys.executable, "manage.py", *command, "-v0"], cwd=ROOT, env=environment_of(folder), check=True)
    return folder


class Site:
    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.marker = f"RUNGS_TEST_SITE={folder}"
        self.environment = environment_of(folder)
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--port", str(self.port)],
            cwd=ROOT, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def status(self, path: str) -> int:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def processes(self) -> list[int]:
        return group_of(self.marker)


@pytest.fixture
def site(unpublished: Path, tmp_path: Path) -> Iterator[Site]:
    for file in unpublished.iterdir():
        shutil.copy(file, tmp_path)
    running = Site(tmp_path)
    assert wait_until(lambda: running.status("/api/schema/") == 200)
    yield running
    for process in running.processes():
        os.kill(process, signal.SIGKILL)
    running.process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_the_supervisor_ends_everything(site, number):
    assert len(site.processes()) >= 4  # supervisor, web and its worker, jobs
    site.process.send_signal(number)
    assert site.process.wait(15) == 0
    assert site.processes() == []
    assert site.status("/api/schema/") == 0


def test_nothing_survives_a_supervisor_killed_outright(site):
    site.process.kill()
    site.process.wait()
    assert wait_until(lambda: site.processes() == [], 5)


@pytest.mark.parametrize("name", ["web", "jobs"])
def test_if_one_process_ends_so_does_the_other(site, name):
    command = f"manage.py\0{name}".encode()
    (first, *_) = sorted(
        process for process in site.processes() if command in Path(f"/proc/{process}/cmdline").read_bytes()
    )
    os.kill(first, signal.SIGKILL)
    assert site.process.wait(15) == 1
    assert wait_until(lambda: site.processes() == [], 5)


def test_the_jobs_process_publishes(site):
    """What a result changed is on the board once the jobs process has started, with nobody asking."""
    query = (
        "from ranking.models import Snapshot; import sys;"
        " sys.exit(0 if list(Snapshot.objects.values_list('listed', flat=True)) == [2] else 1)"
    )
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-v0", "-c", query]

    def published() -> bool:
        return subprocess.run(command, cwd=ROOT, env=site.environment, check=False).returncode == 0

    assert wait_until(published)
