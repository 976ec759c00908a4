"""RateLimit-*: answers of the API tell what is left, by the key, the token or the address, before the 429 comes."""

import pytest
import time_machine
from django.test import Client

from config.security import limits
from ranking.models import Player
from tests.config.security.test_limits import limit
from tests.support.api import make_key, make_token
from tests.support.factories import NOW

pytestmark = pytest.mark.django_db
PATH = "/api/v1/players/"


@pytest.fixture(autouse=True)
def _one_window():
    """The clock stands still, so that no test meets the border of two windows."""
    with time_machine.travel(NOW, tick=False):
        yield


def ask(secret: str = "", path: str = PATH, method: str = "GET") -> tuple:
    """Status, limit and remaining of a request; None where a header is missing."""
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    response = Client().generic(method, path, headers=headers)
    numbers = (response.headers.get(f"RateLimit-{name}") for name in ("Limit", "Remaining"))
    assert ("RateLimit-Reset" in response.headers) == ("RateLimit-Limit" in response.headers)
    return (response.status_code, *(number and int(number) for number in numbers))


def test_an_address(settings):
    limit(settings, address=2)
    assert [ask() for _ in range(3)] == [(200, 2, 1), (200, 2, 0), (429, 2, 0)]


def test_a_key(settings):
    limit(settings, key=2, address=9)
    key = make_key("read")
    assert [ask(key) for _ in range(3)] == [(200, 2, 1), (200, 2, 0), (429, 2, 0)]
    assert ask() == (200, 9, 8)


def test_a_token(settings):
    limit(settings, key=2)
    token = make_token(Player.objects.create(key="fox", name="fox", created_at=NOW))
    assert [ask(token, f"{PATH}me/") for _ in range(3)] == [(200, 2, 1), (200, 2, 0), (429, 2, 0)]


def test_a_wrong_key_is_counted_by_its_address(settings):
    limit(settings, key=5, address=9)
    assert ask("rungs_nonsense") == (401, 9, 8)


def test_what_a_key_may_not_do_counts_too(settings):
    limit(settings, key=2)
    key = make_key("read")
    post = lambda: ask(key, "/api/v1/matches/", "POST")  # noqa: E731
    assert [post() for _ in range(3)] == [(403, 2, 1), (403, 2, 0), (429, 2, 0)]


def test_without_limits_and_on_pages_there_are_none(settings):
    limit(settings)
    assert ask() == (200, None, None)
    limit(settings, address=5)
    assert ask(path="/") == (200, None, None)


def test_reset_is_when_the_window_ends(settings):
    limit(settings, key=1, address=5)
    key = {"Authorization": f"Bearer {make_key('read')}"}
    with time_machine.travel("2026-01-20T18:00:20.7Z", tick=False):
        answers = [Client().get(PATH), *(Client().get(PATH, headers=key) for _ in range(2))]
    assert [answer.headers["RateLimit-Reset"] for answer in answers] == ["40"] * 3
    assert answers[2].headers["Retry-After"] == "40"


@pytest.mark.parametrize(("requests", "wait"), [(1, None), (5, None), (6, 12)])
def test_a_quota(requests, wait):
    quota = limits.Quota(limit=5, requests=requests, reset=12)
    assert (quota.wait, quota.headers()["RateLimit-Remaining"]) == (wait, str(max(0, 5 - requests)))


def test_counting_costs_one_round_trip(settings, monkeypatch):
    limit(settings, address=5)
    asked: list[str] = []
    counted = limits._count
    monkeypatch.setattr(limits, "_count", lambda key: asked.append(key) or counted(key))
    Client().get(PATH)
    assert len(asked) == 1
