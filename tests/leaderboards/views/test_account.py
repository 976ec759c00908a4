from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from ranking.models import Player
from ranking.players.claims import issue_claim_code
from tests.support.factories import make_mode, record
from tests.support.page_tree import read_page

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("login", ["fox", "fox@example.org"])
def test_logging_in_leads_back(client: Client, login: str) -> None:
    user = User.objects.create_user("fox", email="fox@example.org", password="a long secret")
    EmailAddress.objects.create(user=user, email=user.email, verified=True)
    response = client.post("/account/login/", {"login": login, "password": "a long secret", "next": "/boards/duel/"})
    assert (response.status_code, response["Location"]) == (302, "/boards/duel/")


def test_a_wrong_password_gets_a_sentence(client: Client) -> None:
    body = client.post("/account/login/", {"login": "fox", "password": "wrong"}).content.decode()
    assert "don’t fit together" in body


def test_the_header_names_the_player_and_logs_out(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel")
    record(["me"], ["b"])
    log_in("me")
    for url in ("/", "/boards/duel/", "/players/b/"):
        assert '<span class="account-name" translate="no">me</span>' in client.get(url).content.decode()
    assert client.post("/account/logout/")["Location"] == "/"


@pytest.mark.parametrize("url", ["/account/", "/account/claim/"])
def test_strangers_log_in_first(client: Client, url: str) -> None:
    assert client.get(url)["Location"] == f"/account/login/?next={url}"


def test_the_account_has_all_settings_in_one_place(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel")
    record(["me"], ["b"])
    log_in("me")
    main = client.get("/account/").content.decode().partition("<main")[2].partition("</main>")[0]
    for setting in ('name="zone"', 'name="language" value="de"', 'name="theme" value="dark"'):
        assert setting in main
    for address in ("/notifications/", "/account/privacy/"):
        assert f'<a href="{address}">' in main


def test_the_account_leads_to_its_player(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel")
    record(["me"], ["b"])
    log_in("me")
    page = client.get("/account/").content.decode()
    assert '<a href="/players/me/" translate="no">me</a></p>' in page
    assert 'name="code"' not in page


def test_the_account_says_where_name_and_picture_come_from(
    client: Client, log_in: Callable[[str], Player], settings: Any
) -> None:
    make_mode("duel")
    record(["me"], ["b"])
    user = log_in("me").user
    assert user is not None

    def facts() -> dict[str, tuple[str, list[str]]]:
        rows = read_page(client.get("/account/").text).all("dl.account-facts")
        return {row.one("dt").text: (row.one("dd").text, row.links) for facts in rows for row in facts.all("div")}

    settings.SOCIALACCOUNT_PROVIDERS = {}
    plain = facts()
    assert "comes from the game" in plain["Name"][0]
    assert (plain["Username"][0].startswith(user.username), plain["Picture"][1]) == (True, [])
    settings.SOCIALACCOUNT_PROVIDERS = {"discord": {}}
    assert facts()["Picture"][1] == ["/account/connections/"]
    SocialAccount.objects.create(user=user, provider="discord", uid="1")
    assert "Show my picture from Discord" in facts()["Picture"][0]


@pytest.mark.parametrize("number", [1, 3])
def test_the_account_takes_as_many_queries_however_much_it_has(
    client: Client, django_assert_num_queries: Any, number: int
) -> None:
    user = User.objects.create_user("fox")
    for index in range(number):
        EmailAddress.objects.create(user=user, email=f"fox{index}@example.org", primary=not index)
        SocialAccount.objects.create(user=user, provider=f"site{index}", uid="1")
    client.force_login(user)
    with django_assert_num_queries(7):  # session, account, player, addresses, connections, second factor, modes
        page = client.get("/account/").content.decode()
    assert (page.count("@example.org"), page.count("Site")) == (number, number)


def claim(client: Client, code: str) -> tuple[int, str]:
    response = client.post("/account/claim/", {"code": code}, follow=True)
    return len(response.redirect_chain), response.content.decode()


def test_a_code_is_entered(client: Client) -> None:
    make_mode("duel")
    record(["me"], ["b"])
    client.force_login(User.objects.create_user("fox"))
    code = issue_claim_code(Player.objects.get(key="me"), now=timezone.now()).code
    assert f'value="{code}"' in client.get(f"/account/claim/?code={code}").content.decode()
    refused, said = claim(client, "AAAA-BBBB")
    assert (refused, "This code isn’t known." in said, 'value="AAAA-BBBB"' in said) == (0, True, True)
    done, said = claim(client, code)
    assert (done, "Welcome, me:" in said, Player.objects.get(key="me").user.username) == (1, True, "fox")
    assert claim(client, code)[1].count("Your account has a player already: me. An account has one.") == 1
    page = client.get("/account/claim/").content.decode()
    assert ("Your account has a player already: me." in page, 'name="code"' in page) == (True, False)


def test_an_account_that_guesses_waits(client: Client) -> None:
    client.force_login(User.objects.create_user("fox"))
    for _ in range(10):
        claim(client, "AAAA-BBBB")
    assert "Too many tries." in claim(client, "AAAA-BBBB")[1]


@pytest.mark.parametrize("url", ["/nope/", "/boards/nope/", "/players/nope/", "/matches/1/"])
def test_not_found_in_our_look(client: Client, url: str) -> None:
    response = client.get(url)
    assert response.status_code == 404
    assert read_page(response.text).one("p.error-code").inside == ["404"]
    assert "unsafe-inline" not in response["Content-Security-Policy"]
