from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from ranking.models import Player
from tests.factories import make_mode, record

pytestmark = pytest.mark.django_db


def test_logging_in_leads_back(client: Client) -> None:
    User.objects.create_user("fox", password="a long secret")
    response = client.post("/account/login/", {"username": "fox", "password": "a long secret", "next": "/boards/duel/"})
    assert (response.status_code, response["Location"]) == (302, "/boards/duel/")


def test_a_wrong_password_gets_a_sentence(client: Client) -> None:
    body = client.post("/account/login/", {"username": "fox", "password": "wrong"}).content.decode()
    assert "don’t fit together" in body


def test_the_header_names_the_player_and_logs_out(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel")
    record(["me"], ["b"])
    log_in("me")
    for url in ("/", "/boards/duel/", "/players/b/"):
        assert '<a class="account-name" href="/players/me/">me</a>' in client.get(url).content.decode()
    assert client.post("/account/logout/")["Location"] == "/"


@pytest.mark.parametrize("url", ["/nope/", "/boards/nope/", "/players/nope/", "/matches/1/"])
def test_not_found_in_our_look(client: Client, url: str) -> None:
    response = client.get(url)
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()
    assert "unsafe-inline" not in response["Content-Security-Policy"]
