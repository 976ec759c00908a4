"""Whether an address has an account is told to nobody but its owner, with mail and without."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from tests.support.hashers import hashed

pytestmark = pytest.mark.django_db
PASSWORD = "a long secret"
FREE, TAKEN, UNCONFIRMED = "free@example.org", "fox@example.org", "owl@example.org"
ADDRESSES = [TAKEN, UNCONFIRMED]
VARYING = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"|\S+@example\.org|probe\w+')


@pytest.fixture(autouse=True, params=["mail", "no mail"])
def sends_mail(request, settings) -> bool:
    settings.PASSWORD_HASHERS = ["tests.support.hashers.CountingHasher"]
    settings.SENDS_MAIL = request.param == "mail"
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory" if settings.SENDS_MAIL else "none"
    for email in (TAKEN, UNCONFIRMED):
        user = User.objects.create_user(email.partition("@")[0], email=email, password=PASSWORD)
        EmailAddress.objects.create(user=user, email=email, verified=email == TAKEN, primary=True)
    return settings.SENDS_MAIL


def outcome(client: Client, path: str, data: dict[str, str]) -> tuple[object, ...]:
    """What a client sees of an answer and of the page after it, the hashes it cost, and how many mails were sent."""
    hashed.clear()
    mail.outbox.clear()
    answer = client.post(path, data)
    cookies = sorted(answer.cookies)
    location = answer.headers.get("Location", "")
    page = client.get(location).text if location else answer.text
    return answer.status_code, location, cookies, VARYING.sub("…", page), len(hashed), len(mail.outbox)


def sign_up(name: str, email: str) -> list[tuple[object, ...]]:
    """Sign up, look at the addresses, sign up with the same name once more, and log in by name and by address."""
    client, again = Client(), Client()
    new = {"username": name, "email": email, "password1": PASSWORD}
    first = outcome(client, "/account/signup/", new)
    page = client.get("/account/email/")
    addresses = (page.status_code, VARYING.sub("…", page.text))
    second = outcome(again, "/account/signup/", {**new, "email": "another@example.org"})
    by_name = outcome(Client(), "/account/login/", {"login": name, "password": PASSWORD})
    by_address = outcome(Client(), "/account/login/", {"login": email, "password": "not so secret"})
    return [first, addresses, second, by_name, by_address]


@pytest.mark.parametrize("email", ADDRESSES)
def test_sign_up(email):
    assert sign_up("probe1", email) == sign_up("probe2", FREE)


@pytest.mark.parametrize("email", ADDRESSES)
def test_password_reset(email):
    reset = "/account/password/reset/"
    assert outcome(Client(), reset, {"email": email}) == outcome(Client(), reset, {"email": FREE})


def change(name: str, email: str) -> list[tuple[object, ...]]:
    client = Client()
    user = User.objects.create_user(name, email=f"{name}@example.org", password=PASSWORD)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    client.post("/account/login/", {"login": name, "password": PASSWORD})
    acts = (
        {"action_add": "", "email": email},
        {"action_primary": "", "email": email},
        {"action_send": "", "email": email},
    )
    return [outcome(client, "/account/email/", act) for act in acts]


@pytest.mark.parametrize("email", ADDRESSES)
def test_a_change_of_the_address(email):
    assert change("probe1", email) == change("probe2", FREE)


def test_a_log_in_by_an_unconfirmed_address_tries_nobodys_password():
    for number in range(20):
        User.objects.create_user(f"probe{number}", email=UNCONFIRMED, password=PASSWORD)
    unconfirmed = outcome(Client(), "/account/login/", {"login": UNCONFIRMED, "password": PASSWORD})
    assert unconfirmed == outcome(Client(), "/account/login/", {"login": FREE, "password": PASSWORD})


def test_the_owner_is_told_by_mail(sends_mail):
    if not sends_mail:
        return
    outcome(Client(), "/account/signup/", {"username": "probe", "email": TAKEN, "password1": PASSWORD})
    assert [(message.to, "/account/confirm-email/" in message.body) for message in mail.outbox] == [([TAKEN], False)]


def test_a_reset_reaches_at_most_five_accounts(sends_mail):
    for number in range(20):
        User.objects.create_user(f"probe{number}", email=UNCONFIRMED, password=PASSWORD)
    Client().post("/account/password/reset/", {"email": UNCONFIRMED})
    assert len(mail.outbox) == (5 if sends_mail else 0)
