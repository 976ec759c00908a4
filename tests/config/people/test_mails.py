"""Mails that strangers can have sent: nobody buries an address under them."""

import datetime as dt

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

pytestmark = pytest.mark.django_db
PASSWORD = "a long secret"
NOON = dt.datetime(2026, 5, 20, 12, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


@pytest.fixture(autouse=True)
def _limits(settings) -> None:
    settings.LIMITS = {**settings.LIMITS, "failed": 0}


@pytest.fixture(autouse=True)
def fox() -> User:
    user = User.objects.create_user("fox", email="fox@example.org", password=PASSWORD)
    EmailAddress.objects.create(user=user, email=user.email, verified=True)
    return user


def ask_for_mail(how: str, number: int, email: str) -> int:
    at = f"203.0.113.{number}"
    if how == "reset":
        answer = Client().post("/account/password/reset/", {"email": email}, REMOTE_ADDR=at)
    else:
        new = {"username": f"probe{number}", "email": email, "password1": PASSWORD}
        answer = Client().post("/account/signup/", new, REMOTE_ADDR=at)
    return answer.status_code


@pytest.mark.parametrize("how", ["reset", "signup"])
@pytest.mark.parametrize("email", ["fox@example.org", "nobody@example.org"])
def test_nobody_buries_an_address_under_mail(settings, clock, how, email):
    """Ten an hour, thirty a day, whoever asks from wherever; the page tells nothing."""
    settings.SENDS_MAIL, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"
    sent = []
    for hour in range(5):
        for number in range(15):
            assert ask_for_mail(how, 20 * hour + number, email) == 302
            clock.shift(200)
        sent.append(len(mail.outbox))
        clock.shift(600)
    assert sent == [10, 20, 30, 30, 30]


def test_mails_to_an_account_about_itself_are_never_held_back(settings, fox):
    settings.SENDS_MAIL = settings.ACCOUNT_EMAIL_NOTIFICATIONS = True
    for number in range(11):
        ask_for_mail("reset", number, fox.email)
    browser = Client()
    browser.force_login(fox)
    browser.post(
        "/account/password/change/",
        {"oldpassword": PASSWORD, "password1": "another secret", "password2": "another secret"},
    )
    assert "password" in mail.outbox[-1].subject.lower()
    assert mail.outbox[-1].to == [fox.email]
