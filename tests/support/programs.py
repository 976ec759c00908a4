"""Programs that run beside the tests, such as the example client and server."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.databases import database_url
from tests.support.paths import ROOT

PATIENCE = 90  # seconds


class Program:
    """A program that runs beside the tests, and what it has printed so far."""

    def __init__(self, output: Path, *command: str) -> None:
        self.output = output
        environment = {**os.environ, "RUNGS_DATABASE_URL": database_url()}
        with output.open("w") as printed:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=printed, stderr=subprocess.STDOUT, start_new_session=True
            )

    @property
    def said(self) -> str:
        return self.output.read_text()

    def end(self) -> None:
        """It, and what it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """Starts a program; whatever still runs afterwards is ended."""
    started: list[Program] = []

    def start(*command: str) -> Program:
        started.append(Program(tmp_path / str(len(started)), *command))
        return started[-1]

    yield start
    for program in started:
        program.end()


def example(name: str, url: str, key: str, *more: str) -> list[str]:
    return [sys.executable, f"examples/{name}.py", "--url", url, "--key", key, "--every", "0.2", *more]
