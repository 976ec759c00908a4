"""Rate limits: exact at any concurrency, told with 429 and Retry-After, and never the reason to lose a result."""

import datetime as dt
import multiprocessing
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import time_machine
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.cache.backends.redis import RedisCache
from django.urls import get_resolver

from config.security import limits
from config.storage import caches
from ranking.models import Key, Player
from ranking.operations.keys import create_key, revoke_key
from ranking.players.tokens import issue_token
from tests.support.factories import NOW
from tests.support.savepoints import rolled_back
from tests.support.second_factors import code_of
from tests.support.servers import SCALED
from tests.support.sites import ROOT

COUNT = """
from config.security import limits
limits.WINDOW = 10**8
print(sum(limits.count("test", "two-processes", 150) is None for _ in range(100)))
"""


@pytest.fixture(autouse=True)
def _one_window(monkeypatch):
    """The clock stands still, so that no test meets the border of two windows."""
    monkeypatch.setattr(caches, "_retry_at", 0.0)
    with time_machine.travel(dt.datetime(2026, 5, 20, 12, tzinfo=dt.UTC), tick=False):
        yield


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


@pytest.mark.skipif(not SCALED, reason="the embedded profile has no Redis")
def test_threads_and_forks_dont_share_a_connection():
    mine = _connection()
    with ThreadPoolExecutor(1) as pool:
        of_thread = pool.submit(_connection).result()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        of_fork = pool.apply(_connection)
    assert _connection() == mine
    assert len({mine, of_thread, of_fork}) == 3


@pytest.mark.skipif(not SCALED, reason="the embedded profile has no Redis")
def test_a_connection_that_broke_is_made_anew():
    cut = _connection()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: cache._cache.get_client().client_kill_filter(_id=cut)).result() == 1
    cache.check()
    assert limits.count("test", "broken", 1) is None
    assert limits.count("test", "broken", 1)
    assert caches._retry_at == 0  # not this process's own memory
    assert _connection() != cut


def _connection():
    return cache._cache.get_client().client_id()


def test_looking_doesnt_count():
    assert [limits.seconds_to_wait("test", "looks", 1) for _ in range(3)] == [None] * 3
    limits.count("test", "looks", 1)
    assert limits.seconds_to_wait("test", "looks", 1) is not None


@pytest.fixture
def gone(settings):
    """Redis is gone, and the process's own counters are new."""
    nowhere = {"LOCATION": "redis://127.0.0.1:1/0", "OPTIONS": {"socket_connect_timeout": 0.2}}
    settings.CACHES = {"default": {"BACKEND": "config.storage.caches.SharedCache", **nowhere}}
    cache.local.clear()


def test_without_redis_each_process_counts_for_itself(gone):
    assert [limits.count("test", "nobody", 1) is None for _ in range(3)] == [True, False, False]
    assert limits.seconds_to_wait("test", "nobody", 1) is not None


def test_redis_is_asked_again_after_a_while(gone, monkeypatch):
    asked = []
    monkeypatch.setattr(RedisCache, "get", lambda *_: asked.append(1) or 7)
    cache.set("x", 1)  # finds Redis gone
    assert (cache.get("x"), asked) == (1, [])
    monkeypatch.setattr(caches, "_retry_at", 0.0)
    assert (cache.get("x"), asked) == (7, [1])


def test_health_tells_that_redis_is_gone(gone, client):
    answer = client.get("/health/ready?only=cache")
    assert (answer.status_code, [*answer.json()["checks"]]) == (503, ["cache"])
    assert answer.json()["checks"]["cache"] != "ok"


@pytest.mark.django_db
def test_without_redis_people_log_in_and_guesses_are_still_counted(gone, client):
    User.objects.create_user("fox", password="a long secret")
    say = lambda password: client.post("/account/login/", {"login": "fox", "password": password})  # noqa: E731
    assert [say("wrong").status_code, say("a long secret").status_code] == [200, 302]
    client.logout()
    for _ in range(5):
        say("wrong")
    assert "Too many wrong tries" in say("a long secret").text


@pytest.mark.django_db
def test_without_redis_an_operator_enters_the_admin(gone, client, settings):
    settings.ADMIN_MFA = True
    boss = User.objects.create_superuser("boss", password="a long secret")
    secret = generate_totp_secret()
    TOTP.activate(boss, secret)
    client.post("/account/login/", {"login": "boss", "password": "a long secret"})
    client.post("/account/2fa/authenticate/", {"code": code_of(secret)})
    assert client.get("/admin/").status_code == 200
    cache.local.clear()  # another process, which has counted nothing and knows no code
    assert client.get("/admin/").status_code == 200


@pytest.mark.django_db
def test_without_redis_a_code_holds_once(gone):
    fox = User.objects.create_user("fox", password="a long secret")
    secret = generate_totp_secret()
    totp = TOTP.activate(fox, secret)
    code = code_of(secret)
    assert [totp.validate_code(code), totp.validate_code(code)] == [True, False]


def check_refused(answer):
    assert (answer.status_code, answer["Content-Type"]) == (429, "application/problem+json")
    assert int(answer["Retry-After"]) >= 1
    assert answer.json()["status"] == 429


@pytest.mark.django_db
def test_forms_of_accounts_refuse_on_a_page_of_the_site(client, settings):
    settings.SENDS_MAIL = True
    settings.ACCOUNT_RATE_LIMITS = {"reset_password": "1/m/ip"}
    answers = [client.post("/account/password/reset/?lang=de", {"email": "a@example.org"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 429]
    assert "Warte ein paar Minuten und versuch es noch einmal." in answers[1].text


@pytest.mark.django_db
def test_an_address_without_a_key(client, settings):
    limit(settings, address=2)
    assert [client.get("/api/v1/modes/").status_code for _ in range(2)] == [200, 200]
    check_refused(client.get("/api/v1/modes/"))
    page = client.get("/", headers={"Accept-Language": "de"})  # pages too, told as a page
    assert (page.status_code, "Zu viele Anfragen" in page.text) == (429, True)
    assert re.search(r"Warte \d+ Sekunden? und versuch es noch einmal\.", page.text)
    assert client.get("/health/live").status_code == 200
    assert client.get("/api/schema/", REMOTE_ADDR="192.0.2.9").status_code == 200


@pytest.mark.django_db
def test_a_key(client, settings, result_key):
    limit(settings, key=2, address=1)
    send = lambda: client.post("/api/v1/matches/", {}, "application/json", headers=result_key)  # noqa: E731
    assert [send().status_code for _ in range(2)] == [400, 400]
    check_refused(send())


def proofs() -> dict[str, str]:
    """What the header `Authorization` may hold, by what it is worth."""
    valid, revoked = (create_key("games", scopes=["players"], now=NOW) for _ in range(2))
    key, other = Key.objects.order_by("pk")
    revoke_key(other, now=NOW)
    token = issue_token(Player.objects.create(key="fox", name="fox", created_at=NOW), key=key)
    return {
        "an empty one": "",
        "nonsense": "x",
        "another scheme": "Basic Zm94OnNlY3JldA==",
        "a wrong key": "Bearer rungs_wrong_key",
        "a wrong token": f"Bearer {token}x",
        "a revoked key": f"Bearer {revoked}",
        "a valid key": f"Bearer {valid}",
        "a valid token": f"Bearer {token}",
    }


def statuses(client, path, headers):
    return [client.get(path, headers=headers).status_code for _ in range(3)]


@pytest.mark.django_db
def test_only_a_proven_key_lifts_the_limit_of_an_address(client, settings):
    limit(settings, address=2)
    given = {}
    for proof, authorization in proofs().items():
        for path in ("/api/v1/modes/", "/"):
            with rolled_back():
                given[proof, path] = statuses(client, path, {"authorization": authorization})
    proven = ("a valid key", "a valid token")
    assert given == {
        (proof, path): [200, 200, 429] if path == "/" else [200, 200, 200] if proof in proven else [401, 401, 429]
        for proof, path in given
    }
    assert len(given) == 16


def paths(patterns, prefix="/"):
    """An address of every route below these patterns."""
    for pattern in patterns:
        route = prefix + re.sub(r"<int:[^>]+>", "1", str(pattern.pattern)).replace("\\Z", "")
        if hasattr(pattern, "url_patterns"):
            yield from paths(pattern.url_patterns, route)
        else:
            yield re.sub(r"<[^>]+>", "x", route)


@pytest.mark.django_db
def test_every_route_of_the_api_counts_an_address_that_proves_nothing(client, settings):
    api = [path for path in paths(get_resolver().url_patterns) if path.startswith("/api/")]
    limit(settings, address=1)
    uncounted = []
    for path in api:
        cache.clear()
        if [client.get(path, headers=WRONG).status_code for _ in range(2)][1] != 429:
            uncounted.append(path)
    assert ("/api/v1/modes/" in api, uncounted) == (True, [])


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
@pytest.mark.parametrize("headers", [{"x-requested-with": "XMLHttpRequest"}, {"accept": "application/json"}])
def test_wrong_passwords_of_scripts_count_like_those_of_browsers(client, settings, headers):
    limit(settings, failed=2)
    guess = {"login": "admin", "password": "guess"}
    answers = [client.post("/account/login/", guess, headers=headers) for _ in range(3)]
    assert [(answer.status_code, answer["Content-Type"]) for answer in answers] == [
        (200, "text/html; charset=utf-8"), (200, "text/html; charset=utf-8"), (429, "text/html; charset=utf-8")
    ]  # fmt: skip


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
