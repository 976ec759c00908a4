"""Rate limits: exact at any concurrency, told with 429 and Retry-After, and never the reason to lose a result."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User

from config import limits
from tests.journeys.harness import ROOT
from tests.journeys.servers import SCALED

COUNT = """
from config import limits
limits.WINDOW = 10**8
print(sum(limits.count("test", "two-processes", 150) is None for _ in range(100)))
"""


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch):
    monkeypatch.setattr(limits, "_resume_at", 0.0)
    monkeypatch.setattr(limits, "WINDOW", 10**8)  # so that no test meets the border of two windows


def limit(settings, **most):
    settings.LIMITS = {"key": 0, "address": 0, "picture": 0, "failed": 0, **most}


def test_threads_count_together():
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda _: limits.count("test", "threads", 50), range(100)))
    assert sum(wait is None for wait in waits) == 50
    assert all(wait >= 1 for wait in waits if wait is not None)


@pytest.mark.skipif(not SCALED, reason="the embedded profile has one web process")
def test_processes_count_together(settings):
    environment = {**os.environ, "RUNGS_REDIS_URL": settings.CACHES["default"]["LOCATION"]}
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-v0", "-c", COUNT]
    both = [subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert sum(int(one.communicate(timeout=60)[0]) for one in both) == 150


def test_looking_doesnt_count():
    assert [limits.look("test", "looks", 1) for _ in range(3)] == [None] * 3
    limits.count("test", "looks", 1)
    assert limits.look("test", "looks", 1) is not None


def test_without_a_cache_nothing_is_limited(settings):
    nowhere = {"LOCATION": "redis://127.0.0.1:1/0", "OPTIONS": {"socket_connect_timeout": 0.2}}
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", **nowhere}}
    assert [limits.count("test", "nobody", 1) for _ in range(3)] == [None] * 3


def check_refused(answer):
    assert (answer.status_code, answer["Content-Type"]) == (429, "application/problem+json")
    assert int(answer["Retry-After"]) >= 1
    assert answer.json()["status"] == 429


@pytest.mark.django_db
def test_an_address_without_a_key(client, settings):
    limit(settings, address=2)
    assert [client.get("/api/schema/").status_code for _ in range(2)] == [200, 200]
    check_refused(client.get("/api/schema/"))
    assert client.get("/").status_code == 429  # pages too, told as a page
    assert client.get("/health/live").status_code == 200
    assert client.get("/api/schema/", REMOTE_ADDR="192.0.2.9").status_code == 200


@pytest.mark.django_db
def test_a_key(client, settings, result_key):
    limit(settings, key=2, address=1)
    send = lambda: client.post("/api/v1/matches/", {}, "application/json", headers=result_key)  # noqa: E731
    assert [send().status_code for _ in range(2)] == [400, 400]
    check_refused(send())


@pytest.mark.django_db
def test_failed_authentications_of_an_address(client, settings):
    limit(settings, failed=2)
    send = lambda **more: client.post("/api/v1/matches/", {}, "application/json", headers=WRONG, **more)  # noqa: E731
    assert [send().status_code for _ in range(2)] == [401, 401]
    check_refused(send())
    assert send(REMOTE_ADDR="192.0.2.9").status_code == 401


WRONG = {"authorization": "Bearer rungs_wrong_key"}


@pytest.mark.django_db
def test_wrong_passwords(client, settings):
    limit(settings, failed=2)
    guess = {"login": "admin", "password": "guess"}
    assert [client.post("/account/login/", guess).status_code for _ in range(3)] == [200, 200, 429]


@pytest.mark.django_db
def test_wrong_codes(client, settings):
    limit(settings, failed=2)
    client.force_login(User.objects.create_user("fox"))
    assert [client.post("/account/claim/", {"code": "x"}).status_code for _ in range(3)] == [200, 200, 429]


@pytest.mark.django_db
def test_pictures_have_a_limit_of_their_own(client, settings):
    limit(settings, picture=2)
    assert [client.get("/players/nobody/card.png").status_code for _ in range(3)] == [404, 404, 429]
    assert client.get("/players/nobody/badge.svg").status_code == 404
