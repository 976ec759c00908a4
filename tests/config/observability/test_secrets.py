"""Whatever fails, no secret is in what processes print and answer: whole processes, their database and Redis gone."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.environment import manage
from tests.support.paths import ROOT
from tests.support.patience import wait_until
from tests.support.servers import SCALED, Redis, free_port

SETTINGS = {
    "RUNGS_SECRET_KEY": "SECRETKEY-abcdefghijklmnopqrstuvwxyz-0123456789-ABCDEFGHIJ",
    "RUNGS_STEAM_KEY": "STEAMKEY0123456789ABCDEF",
    "RUNGS_DISCORD_ID": "1234",
    "RUNGS_DISCORD_SECRET": "DISCORDSECRET0123456789",
    "RUNGS_DEVICE_PEPPER": "DEVICEPEPPER0123456789",
    "RUNGS_METRICS_TOKEN": "METRICSTOKEN0123456789",
}
KEY = "rungs_0a1b2c3d_APIKEYabcdefghijklmnopqrstuvwx"
PLAYER_TOKEN, SESSION, CODE, PASSWORD = (
    "p1:1tOkEn:PLAYERTOKENabcdefgh",
    "sessionkeysessionkeysessionkey12",
    "CLAIMC0DE",
    "TYPEDpw#1",
)
DATABASE, BROKER, CACHE, MAIL = "DATABASEpw", "BROKERpw", "REDISpw", "MAILpw"
PLANTED = {
    "SECRETKEY", "STEAMKEY", "DISCORDSECRET", "DEVICEPEPPER", "METRICSTOKEN", "APIKEY", "PLAYERTOKEN", SESSION, CODE,
    PASSWORD, DATABASE, BROKER, CACHE, MAIL, "STRANGERpw",
}  # fmt: skip


def site(**more: str) -> dict[str, str]:
    """A scaled site whose database, cache, broker and mail server don't answer."""
    dead = free_port()
    return {
        **SETTINGS,
        "RUNGS_PROFILE": "scaled",
        "RUNGS_DATABASE_URL": f"postgres://someone:{DATABASE}@127.0.0.1:{dead}/nowhere",
        "RUNGS_REDIS_URL": f"redis://:{CACHE}@127.0.0.1:{dead}/0",
        "RUNGS_BROKER_URL": f"redis://:{BROKER}@127.0.0.1:{dead}/1",
        "RUNGS_EMAIL_URL": f"smtp://someone:{MAIL}@127.0.0.1:{dead}",
        "RUNGS_HOSTS": "127.0.0.1",
        "RUNGS_HTTPS": "no",
        "RUNGS_LOG_LEVEL": "DEBUG",
        "RUNGS_METRICS_ALLOW": "127.0.0.1",
        **more,
    }


def embedded_site(folder: Path, **more: str) -> dict[str, str]:
    """An embedded site without tables."""
    return {**SETTINGS, "RUNGS_DATABASE_URL": f"sqlite:///{folder}/empty.sqlite3", "RUNGS_LOG_LEVEL": "DEBUG",
            "RUNGS_METRICS_ALLOW": "127.0.0.1", **more}  # fmt: skip


def leaked(text: str) -> list[str]:
    return sorted(secret for secret in PLANTED if secret in text)


@contextmanager
def running(output: Path, environment: dict[str, str], *command: str) -> Iterator[None]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RUNGS_")}
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, env={**kept, **environment}, stdout=file, stderr=file,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def ask(port: int, method: str, path: str, body: str | None = None, **headers: str) -> str:
    """The whole answer, or "" if there is none."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        return f"{answer.status} {answer.headers} {answer.read().decode()}"
    except OSError:
        return ""
    finally:
        connection.close()


FORM, JSON = "application/x-www-form-urlencoded", "application/json"
REQUESTS = [
    ("GET", "/", None, {"Cookie": f"sessionid={SESSION}"}),
    ("GET", f"/account/claim/?code={CODE}", None, {"Cookie": f"sessionid={SESSION}"}),
    ("GET", f"/account/password/reset/key/1-{CODE}/", None, {}),
    ("GET", f"/account/confirm-email/{CODE}/", None, {}),
    ("POST", "/account/login/", f"login=fox&password={PASSWORD}", {"Content-Type": FORM}),
    ("POST", "/admin/login/", f"login=fox&password={PASSWORD}", {"Content-Type": FORM}),
    ("GET", "/api/v1/modes/", None, {"Authorization": f"Bearer {KEY}"}),
    ("GET", "/api/v1/players/p1/notifications/", None, {"Authorization": f"Bearer {PLAYER_TOKEN}"}),
    ("POST", "/api/v1/matches/", '{"id": "STRANGERpw', {"Authorization": f"Bearer {KEY}", "Content-Type": JSON}),
    ("POST", "/api/v1/rate/", '{"id": "STRANGERpw', {"Authorization": f"Bearer {KEY}", "Content-Type": JSON}),
    ("GET", f"/?token={PLAYER_TOKEN}", None, {"Host": "elsewhere.example", "Authorization": f"Bearer {KEY}"}),
    ("GET", "/metrics", None, {"Authorization": f"Bearer {PLAYER_TOKEN}"}),
    ("GET", "/metrics", None, {}),
    ("GET", "/health/ready", None, {}),
    ("GET", f"/nowhere/?code={CODE}", None, {}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("profile", "debug"),
    [
        ("scaled", "no"),
        pytest.param("scaled", "yes", marks=pytest.mark.long),
        pytest.param("embedded", "no", marks=pytest.mark.long),
        pytest.param("embedded", "yes", marks=pytest.mark.long),
    ],
)
def test_web(tmp_path, profile, debug):
    environment = site(RUNGS_DEBUG=debug) if profile == "scaled" else embedded_site(tmp_path, RUNGS_DEBUG=debug)
    port, log = free_port(), tmp_path / "log"
    with running(log, environment, "manage.py", "web", "--port", str(port)):
        assert wait_until(lambda: ask(port, "GET", "/health/live").startswith("200"), 60), log.read_text()
        answers = [ask(port, method, path, body, **headers) for method, path, body, headers in REQUESTS]
    text = log.read_text()
    assert "" not in answers
    assert leaked(text) == []
    shown = [leaked(answer) for answer in answers]
    if debug == "yes":  # Django's pages of an unknown address and host tell the asker what was asked
        shown = [secrets for secrets, answer in zip(shown, answers, strict=True) if "Page not found" not in answer]
    assert shown == [[]] * len(shown)
    assert "OperationalError" in text


@pytest.mark.parametrize(
    "command",
    [
        "doctor",
        *(
            pytest.param(command, marks=pytest.mark.long)
            for command in ("migrate", "create_key game --scope results", "rerate duel", "backup {}/x")
        ),
    ],
)
def test_commands(tmp_path, command):
    code, output = manage(*command.format(tmp_path).split(), **site(RUNGS_DEBUG="yes"))
    assert code != 0
    assert leaked(output) == []
    assert len(output) < 10_000


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "sentence"), [("worker --pool solo", "Cannot connect to redis"), ("beat", "Connection error")]
)
def test_celery_without_its_broker(tmp_path, command, sentence):
    log = tmp_path / "log"
    with running(log, site(), "-m", "celery", "-A", "config", *command.split()):
        assert wait_until(lambda: sentence in log.read_text(), 60), log.read_text()
    assert leaked(log.read_text()) == []


@pytest.mark.skipif(not SCALED, reason="needs a Redis server")
def test_a_worker_whose_database_is_gone(tmp_path):
    redis, log = Redis(), tmp_path / "log"
    environment = site(RUNGS_BROKER_URL=redis.url)
    try:
        with running(
            log, environment, "-m", "celery", "-A", "config", "worker", "--beat", "--schedule", f"{tmp_path}/s"
        ):
            assert wait_until(lambda: log.read_text().count("OperationalError") > 5, 60), log.read_text()
    finally:
        redis.kill()
    assert leaked(log.read_text()) == []
    assert max(map(len, log.read_text().splitlines())) < 10_000


@pytest.mark.long
def test_jobs_without_tables(tmp_path):
    log = tmp_path / "log"
    with running(log, embedded_site(tmp_path), "manage.py", "jobs"):
        assert wait_until(lambda: log.read_text().count("OperationalError") > 5, 60), log.read_text()
        time.sleep(0.2)
    assert leaked(log.read_text()) == []
