"""The language and zone of a page: `?lang=`, the account, the cookie, the browser; the switch keeps a choice."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from leaderboards.models import Preferences
from ranking.models import Player
from tests.support.factories import make_mode, record

pytestmark = pytest.mark.django_db
GERMAN = {"HTTP_ACCEPT_LANGUAGE": "de-AT,de;q=0.9,en;q=0.5"}


def language(client: Client, address: str = "/", **headers: str) -> str:
    body = client.get(address, **headers).content.decode()
    found = re.search(r'<html lang="([^"]+)"', body)
    assert found is not None
    return found[1]


def test_the_address_is_asked_before_the_account_the_cookie_and_the_browser(client: Client) -> None:
    user = User.objects.create_user("fox")
    assert [language(client), language(client, **GERMAN)] == ["en", "de"]
    assert [language(client, HTTP_ACCEPT_LANGUAGE="xx"), language(client, "/?lang=xx")] == ["en", "en"]
    client.post("/language/", {"language": "en"})
    assert language(client, **GERMAN) == "en"
    client.force_login(user)
    assert language(client, **GERMAN) == "en"
    Preferences.objects.create(user=user, language="de")
    assert [language(client), language(client, "/?lang=en"), language(client)] == ["de", "en", "de"]


def test_an_address_with_a_language_is_remembered_by_the_browser(client: Client) -> None:
    assert language(client, "/?lang=de") == "de"
    assert language(client) == "de"


def test_the_switch_leads_back_and_keeps_the_account_s_choice(client: Client) -> None:
    user = User.objects.create_user("fox")
    client.force_login(user)
    answer = client.post("/language/", {"language": "de", "next": "/boards/duel/?rank=3&lang=en"})
    assert answer["Location"] == "/boards/duel/?rank=3"
    assert Preferences.objects.get(user=user).language == "de"
    assert client.post("/language/", {"language": "xx", "next": "https://example.org/"})["Location"] == "/"
    assert Preferences.objects.get(user=user).language == "de"


def test_every_page_varies_by_what_decides_the_language(client: Client) -> None:
    assert {"Accept-Language", "Cookie"} <= set(client.get("/")["Vary"].split(", "))


def test_the_api_and_its_errors_are_english(client: Client) -> None:
    client.cookies["language"] = "de"
    answer = client.get("/api/v1/nothing/", **GERMAN)
    assert (answer.status_code, "Accept-Language" in answer.headers.get("Vary", "")) == (404, False)
    assert "nicht" not in answer.content.decode()


def test_an_account_s_zone_is_that_of_its_pages(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel")
    record(["me"], ["b"])
    me = log_in("me")
    for zone, words in (("Asia/Tokyo", 'data-zone="Asia/Tokyo"'), ("Mars/Olympus", 'data-zone=""')):
        client.post("/language/", {"zone": zone})
        assert words in client.get("/").content.decode()
    assert Preferences.objects.get(user=me.user).zone == ""


def test_a_browser_s_zone_words_the_times_of_accounts_that_chose_none(
    client: Client, log_in: Callable[[str], Player]
) -> None:
    make_mode("duel")
    record(["me"], ["b"])  # on 20 May 2026, 12:00 UTC
    client.cookies["zone"] = "Asia/Tokyo"
    assert 'title="20 May 2026, 12:00 UTC"' in client.get("/").content.decode()  # pages of strangers are for caches
    log_in("me")
    client.cookies["zone"] = "Asia/Tokyo"
    body = client.get("/").content.decode()
    assert ('data-zone=""' in body, 'title="20 May 2026, 21:00"' in body) == (True, True)
    client.post("/language/", {"zone": "Europe/Berlin"})
    assert 'title="20 May 2026, 14:00"' in client.get("/").content.decode()
    client.post("/language/", {"zone": ""})
    client.cookies["zone"] = "Mars/Olympus"
    assert 'title="20 May 2026, 12:00 UTC"' in client.get("/").content.decode()


def test_the_language_takes_no_statement_of_its_own(
    client: Client, log_in: Callable[[str], Player], django_assert_num_queries: Callable
) -> None:
    make_mode("duel")
    record(["me"], ["b"])
    with django_assert_num_queries(0):
        client.get("/language/", **GERMAN)
    me = log_in("me")
    with django_assert_num_queries(9):  # the session, the account with its preferences, the player; the page's own
        assert language(client, "/boards/duel/") == "en"
    Preferences.objects.create(user=me.user, language="de")
    with django_assert_num_queries(9):
        assert language(client, "/boards/duel/") == "de"
