"""Limits on guesses: nobody guesses for long, and nobody keeps somebody else out for long."""

import datetime as dt

import pytest
import time_machine
from django.conf import settings as configured
from django.contrib.auth.models import User
from django.core import mail
from django.http import HttpResponse, SimpleCookie
from django.test import Client, RequestFactory

from config.people.devices import remember_device
from tests.config.people.conftest import NOON, PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock", "_limits", "fox")]
HOME, ABROAD = "192.0.2.1", "198.51.100.1"


def try_password(password: str, *, name: str = "fox", at: str = HOME, browser: Client | None = None) -> str:
    answer = (browser or Client()).post("/account/login/", {"login": name, "password": password}, REMOTE_ADDR=at)
    if answer.status_code == 302:
        return "in"
    return "held up" if "Too many wrong tries." in answer.text else "wrong"


def guess(times: int, *, name: str = "fox", at: str = HOME) -> None:
    assert [try_password("wrong", name=name, at=at) for _ in range(times)] == ["wrong"] * times


def guess_from_everywhere() -> None:
    for number in range(30):
        guess(1, at=f"203.0.113.{number}")


def known_browser(name: str = "fox", at: str = ABROAD) -> Client:
    browser = Client()
    assert try_password(PASSWORD, name=name, at=at, browser=browser) == "in"
    browser.post("/account/logout/")
    return browser


@pytest.mark.parametrize("name", ["fox", "FOX", "fox@example.org", "nobody", "nobody@example.org"])
def test_an_address_guesses_five_times_at_an_account(name):
    guess(5, name=name)
    assert try_password(PASSWORD, name=name) == "held up"
    assert try_password(PASSWORD, name=name, at=ABROAD) == ("wrong" if "nobody" in name else "in")


def test_after_five_minutes_it_may_try_again(clock):
    guess(5)
    clock.shift(301)
    assert try_password(PASSWORD) == "in"


def test_an_address_guesses_ten_times_a_minute_at_all_accounts(clock):
    for number in range(10):
        guess(1, name=f"name{number}")
    assert [try_password(PASSWORD), try_password(PASSWORD, at=ABROAD)] == ["held up", "in"]
    clock.shift(61)
    assert try_password(PASSWORD) == "in"


def test_an_address_guesses_a_hundred_times_an_hour_at_all_accounts(clock):
    for number in range(100):
        guess(1, name=f"name{number}")
        clock.shift(7)
    assert [try_password(PASSWORD), try_password(PASSWORD, at=ABROAD)] == ["held up", "in"]


def test_right_passwords_dont_count():
    assert [try_password(PASSWORD) for _ in range(20)] == ["in"] * 20


@pytest.mark.parametrize("name", ["fox", "nobody"])
def test_an_account_is_guessed_at_thirty_times_an_hour_from_all_addresses(clock, name):
    for number in range(30):
        guess(1, name=name, at=f"203.0.113.{number}")
    assert try_password(PASSWORD, name=name) == "held up"
    clock.shift(3601)
    assert try_password(PASSWORD, name=name) == ("in" if name == "fox" else "wrong")


def test_a_known_browser_gets_in_meanwhile():
    known = known_browser()
    guess_from_everywhere()
    guess(5, name="fox@example.org")
    assert [try_password(PASSWORD), try_password(PASSWORD, browser=known)] == ["held up", "in"]
    assert try_password(PASSWORD, name="fox@example.org", browser=known) == "in"


def test_a_known_browser_guesses_five_times():
    known = known_browser()
    assert [try_password("wrong", browser=known) for _ in range(6)] == ["wrong"] * 5 + ["held up"]
    assert try_password(PASSWORD, browser=known) == "held up"
    assert try_password(PASSWORD) == "in"  # from another browser


@pytest.mark.parametrize("page", ["change", "set"])
def test_a_browser_stays_known_after_a_new_password_on_it(fox, page):
    known = Client()
    assert try_password(PASSWORD, browser=known) == "in"
    if page == "set":  # an account that came from another site has no password yet
        fox.set_unusable_password()
        fox.save()
        known.force_login(fox)
        known.cookies.update(remembered(known, fox))
    new = {"oldpassword": PASSWORD, "password1": "another secret", "password2": "another secret"}
    assert known.post(f"/account/password/{page}/", new).status_code == 302
    known.post("/account/logout/")
    guess_from_everywhere()
    assert [try_password("another secret"), try_password("another secret", browser=known)] == ["held up", "in"]


def remembered(browser: Client, user: User) -> SimpleCookie:
    """The browser's cookies once it is known to the account."""
    request, response = RequestFactory().get("/"), HttpResponse()
    request.COOKIES = {name: morsel.value for name, morsel in browser.cookies.items()}
    remember_device(request, response, user)
    return response.cookies


def test_a_password_that_wasnt_changed_makes_no_browser_known(fox):
    unknown = Client()
    unknown.force_login(fox)
    wrong = {"oldpassword": "wrong", "password1": "another secret", "password2": "another secret"}
    assert unknown.post("/account/password/change/", wrong).status_code == 200
    right = {**wrong, "oldpassword": PASSWORD}
    assert unknown.post("/account/password/change/", right).status_code == 302  # a session that somebody stole
    assert configured.DEVICE_COOKIE_NAME not in unknown.cookies


def others() -> Client:
    User.objects.create_user("owl", password=PASSWORD)
    return known_browser("owl")


def forged() -> Client:
    browser = known_browser()
    device = browser.cookies[configured.DEVICE_COOKIE_NAME]
    browser.cookies[configured.DEVICE_COOKIE_NAME] = "x" + device.value
    return browser


def known_before_a_new_password() -> Client:
    browser = known_browser()
    fox = User.objects.get(username="fox")
    fox.set_password("another secret")
    fox.set_password(PASSWORD)
    fox.save()
    return browser


def known_long_ago() -> Client:
    with time_machine.travel(NOON - dt.timedelta(days=366), tick=False):
        return known_browser()


@pytest.mark.parametrize("make_browser", [Client, others, forged, known_before_a_new_password, known_long_ago])
def test_no_other_browser_gets_in_meanwhile(make_browser):
    unknown = make_browser()
    guess_from_everywhere()
    assert try_password(PASSWORD, browser=unknown) == "held up"


def test_a_browser_is_known_to_the_last_five_accounts():
    browser = known_browser()
    for number in range(5):
        User.objects.create_user(f"owl{number}", password=PASSWORD)
        assert try_password(PASSWORD, name=f"owl{number}", browser=browser) == "in"
        browser.post("/account/logout/")
    assert len(browser.cookies[configured.DEVICE_COOKIE_NAME].value.split(":")[0].split(".")) == 6
    guess_from_everywhere()
    assert try_password(PASSWORD, browser=browser) == "held up"


@pytest.mark.parametrize("secure", [False, True])
def test_no_script_reads_the_cookie_of_a_browser(settings, secure):
    settings.SESSION_COOKIE_SECURE = secure
    cookie = known_browser().cookies[settings.DEVICE_COOKIE_NAME]
    kept = {name: cookie[name] for name in ("path", "domain", "max-age", "httponly", "samesite", "secure")}
    year = 365 * 86_400
    assert kept == {
        "path": "/", "domain": "", "max-age": year, "httponly": True, "samesite": "Lax", "secure": secure or "",
    }  # fmt: skip


def test_a_password_that_was_reset_by_mail_is_let_in(client, settings):
    settings.SENDS_MAIL = True
    guess_from_everywhere()
    client.post("/account/password/reset/", {"email": "fox@example.org"})
    link = next(word for word in mail.outbox[0].body.split() if "/password/reset/key/" in word)
    form = client.get(link.removeprefix("http://testserver"), follow=True)
    client.post(form.redirect_chain[-1][0], {"password1": "another secret", "password2": "another secret"})
    assert try_password("another secret") == "in"
