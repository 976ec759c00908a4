"""Processes of queues in the embedded profile: those that die, that can't be started, and that are asked to end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from config.celery import LONG, NETWORK
from config.processes.queue_processes import QueueProcess, end_all
from tests.support.paths import ROOT
from tests.support.patience import wait_until

JOBS = """
import signal, sys, time
import django
django.setup()
from config.management.commands import jobs
jobs._run = lambda name: (print("begun", name, flush=True), time.sleep(0.5))
jobs._run_named()
"""
ENDS_POLITELY = """
import signal, sys, time
stop = []
signal.signal(signal.SIGTERM, lambda *_: stop.append(True))
for line in sys.stdin:
    until = time.monotonic() + float(line.split("-")[1])
    while time.monotonic() < until:
        time.sleep(0.01)
    print(line.strip(), flush=True)
    if stop:
        break
"""


@pytest.fixture
def _own_processes(settings, tmp_path):
    """Processes whose jobs "wait-SECONDS" wait, as manage.py's do; they need neither site nor database."""
    script = tmp_path / "manage.py"
    script.write_text(ENDS_POLITELY)
    settings.BASE_DIR = tmp_path


def failures(name):
    return REGISTRY.get_sample_value("rungs_job_failures_total", {"task": name}) or 0.0


def lost_with(process, *names):
    """What is lost if the process is killed as soon as these jobs were named."""
    for name in names:
        process.run(name)
    process._process.kill()
    process._process.wait()
    return process.look_after()


@pytest.mark.usefixtures("_own_processes")
def test_jobs_of_a_process_that_died_run_again_and_the_one_that_ran_ever_later(caplog):
    process, before = QueueProcess(LONG), failures("wait-60")
    lost = [lost_with(process, "wait-60", "wait-0") for _ in range(11)]
    assert lost[0] == {"wait-60": 10.0, "wait-0": 0.0}
    assert [each["wait-60"] for each in lost] == [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]
    assert failures("wait-60") == before + 11
    assert [process.has(name) for name in ("wait-60", "wait-0")] == [False, False]
    assert "queue long ended with -9 while wait-60 ran; lost with it: wait-60, wait-0." in caplog.text
    assert process.look_after() == {}


@pytest.mark.usefixtures("_own_processes")
def test_a_job_that_ends_is_told_apart_from_one_that_is_lost():
    process = QueueProcess(LONG)
    lost_with(process, "wait-0")
    process.run("wait-0")
    assert wait_until(lambda: process.look_after() == {} and not process.has("wait-0"))
    assert lost_with(process, "wait-60") == {"wait-60": 10.0}
    assert lost_with(process, "wait-0") == {"wait-0": 10.0}  # not 20: it has ended since


@pytest.mark.usefixtures("_own_processes")
def test_a_job_that_is_named_to_a_process_that_has_just_died_is_lost_too():
    process = QueueProcess(LONG)
    process.run("wait-60")
    os.kill(process._process.pid, signal.SIGKILL)
    os.waitid(os.P_PID, process._process.pid, os.WEXITED | os.WNOWAIT)
    process.run("wait-0")
    assert process.look_after() == {"wait-60": 10.0, "wait-0": 0.0}


def test_a_process_that_cannot_be_started_leaves_no_pipes_open(monkeypatch):
    def refuse(*args, **options):
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(subprocess.Popen, "__init__", refuse)
    process, opened = QueueProcess(LONG), len(list(Path("/dev/fd").iterdir()))
    with pytest.raises(BlockingIOError):
        process.run("drop-old")
    assert len(list(Path("/dev/fd").iterdir())) == opened
    assert process.look_after() == {"drop-old": 10.0}


@pytest.mark.usefixtures("_own_processes")
def test_running_jobs_may_end_before_their_processes():
    running = [QueueProcess(queue) for queue in (LONG, NETWORK)]
    for process in running:
        process.run("wait-0")
    assert wait_until(lambda: [process.look_after() or process.has("wait-0") for process in running] == [False] * 2)
    for process in running:
        process.run("wait-1")
        process.run("wait-60")
    children = [process._process for process in running]
    end_all(running, grace=30)
    assert [child.returncode for child in children] == [0, 0]
    assert [os.read(child.answers, 100) for child in children] == [b"wait-1\n"] * 2


@pytest.mark.parametrize("names", ["", "one\ntwo\n"])
def test_a_process_of_jobs_ends_at_sigterm_after_the_job_that_runs(names):
    """While it waits for names, too."""
    with subprocess.Popen(
        [sys.executable, "-c", JOBS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True
    ) as process:
        process.stdin.write(f"zero\n{names}")
        process.stdin.flush()
        assert [process.stdout.readline() for _ in range(2)] == ["begun zero\n", "zero\n"]
        if names:
            assert process.stdout.readline() == "begun one\n"
        process.send_signal(signal.SIGTERM)
        assert (process.stdout.read(), process.wait()) == ("one\n" if names else "", 0)
