"""Codes of second factors: guessed at for a while only, let in once, and asked for before a factor goes."""

from unittest.mock import Mock

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client

from config.people import accounts
from ranking.models import AuditEntry
from tests.config.people.conftest import PASSWORD
from tests.support.second_factors import code_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock", "_limits", "fox")]
HOME, ABROAD = "192.0.2.1", "198.51.100.1"


@pytest.fixture
def factors(fox) -> dict[str, str]:
    """A right code of each kind."""
    secret = generate_totp_secret()
    TOTP.activate(fox, secret)
    return {"app": code_of(secret), "recovery": RecoveryCodes.activate(fox).get_unused_codes()[0]}


def try_code(code: str, at: str) -> str:
    browser = Client()
    browser.post("/account/login/", {"login": "fox", "password": PASSWORD}, REMOTE_ADDR=at)
    answer = browser.post("/account/2fa/authenticate/", {"code": code}, REMOTE_ADDR=at)
    if answer.status_code == 302:
        return "in"
    return "held up" if "Too many wrong tries." in answer.text else "wrong"


@pytest.mark.parametrize("kind", ["app", "recovery"])
def test_codes_of_an_account_are_guessed_five_times(factors, kind):
    assert [try_code("000000", f"203.0.113.{number}") for number in range(5)] == ["wrong"] * 5
    assert try_code(factors[kind], ABROAD) == "held up"


@pytest.mark.parametrize("kind", ["app", "recovery"])
def test_right_codes_are_let_in(factors, kind):
    assert try_code(factors[kind], HOME) == "in"


def test_codes_are_guessed_fifty_times_a_day(factors, clock):
    for number in range(50):
        assert try_code("000000", f"203.0.113.{number}") == "wrong"
        clock.shift(301)
    assert try_code(factors["recovery"], ABROAD) == "held up"
    clock.shift(86_400)
    assert try_code(factors["recovery"], ABROAD) == "in"


def test_an_apps_code_is_let_in_once_as_long_as_it_fits(factors, clock):
    """It fits for a period before and one after its own."""
    clock.shift(-29)
    assert try_code(factors["app"], HOME) == "in"
    again = []
    for _ in range(8):
        clock.shift(11)
        again.append(try_code(factors["app"], ABROAD))
    assert again[:4] == ["wrong"] * 4
    assert set(again) <= {"wrong", "held up"}


@pytest.mark.parametrize("typed", [str, lambda code: f"{code[:3]} {code[3:]}"])
@pytest.mark.parametrize("kind", ["app", "recovery"])
def test_a_used_code_is_refused_everywhere(factors, kind, typed, clock):
    """A log-in's code confirms no later act, and the other way round."""
    browser = Client()
    browser.post("/account/login/", {"login": "fox", "password": PASSWORD})
    assert browser.post("/account/2fa/authenticate/", {"code": factors[kind]}).status_code == 302
    clock.shift(31)
    assert browser.post("/account/2fa/reauthenticate/", {"code": typed(factors[kind])}).status_code == 200
    assert try_code(typed(factors[kind]), ABROAD) == "wrong"


def test_a_factor_goes_only_after_a_fresh_password_or_code(factors, fox, clock):
    browser = Client()
    browser.post("/account/login/", {"login": "fox", "password": PASSWORD})
    browser.post("/account/2fa/authenticate/", {"code": factors["app"]})
    clock.shift(301)
    for page in ("totp/deactivate", "recovery-codes/generate"):
        answer = browser.post(f"/account/2fa/{page}/")
        assert "/reauthenticate/" in answer["Location"]
    assert fox.authenticator_set.count() == 2


@pytest.mark.parametrize(("staff", "author"), [(False, ("", "player")), (True, ("fox", ""))])
def test_a_factor_that_goes_is_in_the_audit_log(factors, fox, clock, staff, author, monkeypatch):
    fox.is_staff = staff
    fox.save()
    browser = Client()
    browser.post("/account/login/", {"login": "fox", "password": PASSWORD})
    browser.post("/account/2fa/authenticate/", {"code": factors["app"]})
    clock.shift(31)
    browser.post("/account/2fa/reauthenticate/", {"code": factors["recovery"]})
    with monkeypatch.context() as broken:
        broken.setattr(accounts, "record_act", Mock(side_effect=OSError("down")))
        with pytest.raises(OSError, match="down"):
            browser.post("/account/2fa/totp/deactivate/")
    assert fox.authenticator_set.count() == 2
    assert browser.post("/account/2fa/totp/deactivate/").status_code == 302
    assert fox.authenticator_set.count() == 0
    lines = AuditEntry.objects.filter(act="delete second factor").values_list("subject", "who", "via")
    assert {line[1:] for line in lines} == {author}
    assert [line[0].rpartition(": ")[0] for line in lines] == [f"second factor of account {fox.pk}"] * 2
