"""Mails that strangers can have sent: nobody buries an address under them."""

import re
from pathlib import Path

import allauth
import pytest
from django.core import mail
from django.template.loader import render_to_string
from django.test import Client
from django.utils.translation import override

from leaderboards.accounts.language import keep_preferences
from tests.config.people.conftest import PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock", "_limits", "fox")]


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


def test_mail_is_in_the_language_of_the_account_or_of_the_page(settings, fox):
    settings.SENDS_MAIL = True
    asked = [("", ""), ("", "?lang=de"), ("de", ""), ("en", "?lang=de")]  # the account's choice, the page
    for chosen, query in asked:
        keep_preferences(fox, language=chosen)
        Client().post(f"/account/password/reset/{query}", {"email": fox.email})
    german = ["Passwort" in letter.subject for letter in mail.outbox]
    assert german == [False, True, True, False]


def test_german_mails_say_du(fox):
    folder = Path(allauth.__file__).parent / "templates"
    letters = {path.relative_to(folder).as_posix() for path in folder.glob("*/email/*_message.txt")}
    unused = {name for name in letters if re.search("webauthn|_code_|base_|email_confirm_", name)}
    with override("de"):
        texts = {name: render_to_string(name, {"user": fox}) for name in letters - unused}
    assert len(texts) == 15
    assert {name: text for name, text in texts.items() if re.search(r"\b(Sie|Ihr|Ihre[mnrs]?|Ihnen)\b", text)} == {}


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
