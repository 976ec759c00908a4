"""What the site says of a database and a Redis whose machine hangs: they accept connections and say nothing."""

import os
import socket
import subprocess
import sys
import threading

import pytest

from tests.support.environment import SCALED_SITE
from tests.support.paths import ROOT
from tests.support.scrapes import Scrape

TIMEOUT = 2  # seconds that the site waits for a connection; libpq's least
PATIENCE = 40  # seconds, with the start of the process
CODE = """
from django.test import Client
print(Client().get({path!r}, REMOTE_ADDR="127.0.0.1").text)
"""


class SilentServer:
    """Accepts connections and never answers; counts them."""

    def __init__(self):
        self.listener, self.accepted = socket.create_server(("127.0.0.1", 0)), []
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                self.accepted.append(self.listener.accept()[0])
            except OSError:
                return  # closed


@pytest.fixture
def redis():
    yield from _serve()


@pytest.fixture
def database():
    yield from _serve()


def _serve():
    server = SilentServer()
    yield server
    for each in (server.listener, *server.accepted):
        each.close()


def get(path, database, redis):
    """What the site answers to a GET."""
    site = {
        **SCALED_SITE,
        "RUNGS_DATABASE_URL": f"postgres://rungs:secret@127.0.0.1:{database.port}/rungs?connect_timeout={TIMEOUT}",
        "RUNGS_REDIS_URL": f"redis://127.0.0.1:{redis.port}",
        "RUNGS_METRICS_ALLOW": "127.0.0.1",
    }
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-v0", "-c", CODE.format(path=path)]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **site}, capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    return done.stdout


def test_metrics_say_what_does_not_answer(database, redis):
    text = get("/metrics", database, redis)
    said = Scrape(text[text.index("# HELP") :])
    assert len(database.accepted) == 1  # so it takes as long as one connection, whatever is read
    assert said.get("rungs_database_up") == 0
    ready = {check: said.get("rungs_ready", check=check) for check in ("database", "writes", "migrations")}
    assert ready == {"database": 0, "writes": 0, "migrations": 0}
    assert {said.get("rungs_ready", check=check) for check in ("cache", "broker")} == {0}
    assert {row["subject"] for row in said.labels_of("rungs_metrics_unread")} >= {"ledger", "jobs"}
    assert said.get("rungs_info", **said.labels_of("rungs_info")[0]) == 1


def test_readiness_tries_to_connect_once(database, redis):
    text = get("/health/ready", database, redis)
    assert '"ready": false' in text
    assert text.count("It can't be reached; the log says more.") >= 3
    assert len(database.accepted) == 1
