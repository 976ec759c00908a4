"""What a site stands on: a database of its own on the suite's server, and a Redis server of its own."""

import secrets
import shutil
import socket
import subprocess
import uuid
from contextlib import closing, suppress
from pathlib import Path

import psycopg
from django.conf import settings

from tests.support.patience import wait_until

SCALED: bool = settings.SCALED


def free_port() -> int:
    """A port on which nobody listens, below those that systems give to clients: none takes it before a server does."""
    while True:
        port = 10_000 + secrets.randbelow(22_000)
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port


def server_query(statement: str, database: str = "postgres") -> None:
    """A statement for the PostgreSQL server of the settings."""
    given = settings.DATABASES["default"]
    address = {"host": given["HOST"], "port": given["PORT"], "user": given["USER"], "password": given["PASSWORD"]}
    with closing(psycopg.connect(dbname=database, autocommit=True, **address)) as connection:
        connection.execute(statement)


def new_database(folder: Path, template: str | None = None) -> str:
    """The URL of a new database: a copy of the one at the URL `template`, or empty."""
    name = f"rungs_journey_{uuid.uuid4().hex[:12]}"
    if not SCALED:
        if template is not None:
            shutil.copy(template.removeprefix("sqlite:///"), folder / f"{name}.sqlite3")
        return f"sqlite:///{folder}/{name}.sqlite3"
    copied = f" TEMPLATE {template.rpartition('/')[2]}" if template else ""
    server_query(f"CREATE DATABASE {name}{copied}")
    given = settings.DATABASES["default"]
    return f"postgres://{given['USER']}:{given['PASSWORD']}@{given['HOST']}:{given['PORT']}/{name}"


def drop_database(url: str) -> None:
    if SCALED:
        server_query(f"DROP DATABASE IF EXISTS {url.rpartition('/')[2]} WITH (FORCE)")


class Redis:
    """A Redis server of one site."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        assert wait_until(self._answers)

    def _answers(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
