"""Game servers made of the clients: programs that keep and send the results which a test writes to them."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT
from tests.support.patience import waits

Start = Callable[..., "GameServer"]


class GameServer:
    """A running program: `tests.support.spooling`, or `Spooling.cs`."""

    def __init__(self, command: list[str], *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*command, *arguments], cwd=ROOT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def read(self) -> str:
        """The next line that it prints; nothing once it has ended."""
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def keep(self, result: dict[str, Any]) -> bool:
        """Give it a result to send. Is it in the spool? False if the program was killed before it said so."""
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(result) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return False
        return self.read() == "kept"

    def finish(self) -> list[str]:
        """There are no more results. What it prints until it ends."""
        for _ in waits(120):
            try:
                said, complaint = self.process.communicate(timeout=1)
            except subprocess.TimeoutExpired:
                continue
            return [*said.splitlines(), *([] if self.process.returncode == 0 else [complaint.strip()])]
        raise AssertionError("The program doesn't end.")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with suppress(BrokenPipeError):  # what it hasn't read goes with it
                if pipe:
                    pipe.close()


def command_of(client: str, folder: Path) -> list[str]:
    """The command that starts a client's program; the C# one is compiled into the folder."""
    if client == "python":
        return [sys.executable, "-m", "tests.support.spooling"]
    return compile_csharp("Spooling.cs", folder)


def compile_csharp(source: str, folder: Path) -> list[str]:
    """The command that starts a program of tests/support with the C# client, compiled into the folder."""
    if not shutil.which("mcs"):
        pytest.fail("mcs is missing: apt-get install mono-mcs mono-runtime")
    sources = [str(ROOT / "clients" / "csharp" / "Rungs.cs"), str(ROOT / "tests" / "support" / source)]
    program = folder / Path(source).with_suffix(".exe").name
    subprocess.run(["mcs", "-langversion:7.2", "-warnaserror", f"-out:{program}", *sources], check=True)
    return ["mono", str(program)]


def spooled(spool: Path) -> list[str]:
    """The names of the results that wait, in their order."""
    return sorted(file.name for file in spool.glob("*.json"))


def refused(spool: Path) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """The refused results by name, each with its problem details."""
    files: Iterable[Path] = sorted((spool / "refused").glob("*[0-9].json"))
    return {
        file.name: (json.loads(file.read_text()), json.loads(file.with_suffix(".problem.json").read_text()))
        for file in files
    }


@pytest.fixture(scope="session", params=["python", pytest.param("csharp", marks=pytest.mark.long)])
def command(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of each client's program: every test of a client runs with each of them."""
    return command_of(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture
def start(command: list[str], tmp_path: Path) -> Iterator[Start]:
    """Starts a game server whose spool is tmp_path / "spool"; whatever still runs afterwards is killed."""
    started: list[GameServer] = []

    def start_one(url: str, key: str = "key", seconds: float = 3_600) -> GameServer:
        started.append(GameServer(command, url, key, str(tmp_path / "spool"), str(seconds)))
        return started[-1]

    yield start_one
    for server in started:
        server.kill()
