"""Requests whose bodies didn't arrive are refused; tests/config/serving has how they arrive."""

import pytest

from config.serving.application import NOT_RECEIVED, PROVEN_KEY
from ranking.models import Player
from tests.support.api import make_key, make_token
from tests.support.factories import NOW

pytestmark = pytest.mark.django_db
PROBLEMS = {"request-timeout": 408, "too-many-slow-requests": 503}


@pytest.mark.parametrize("path", ["/api/v1/rate/", "/account/login/", "/nothing/", "/health/live"])
def test_a_body_that_did_not_arrive_is_refused_before_anything_else(client, path, django_assert_num_queries):
    for code, status in PROBLEMS.items():
        with django_assert_num_queries(0):
            answer = client.post(path, b"", "application/json", **{NOT_RECEIVED: code})
        assert (answer.status_code, answer.get("Retry-After")) == (status, "2" if status == 503 else None)
        assert "nothing was changed" in answer.text
        if path.startswith("/api/"):
            assert answer.json()["code"] == code


def test_the_web_server_learns_of_keys_but_not_of_tokens(client):
    fox = Player.objects.create(key="fox", name="fox", created_at=NOW)
    proven = {}
    for bearer in (make_key("players"), make_token(fox), "rungs_00000000_x", ""):
        headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        answer = client.get("/api/v1/players/fox/", headers=headers)
        proven[bearer] = answer.wsgi_request.META.get(PROVEN_KEY)
    assert list(proven.values()) == [True, None, None, None]
