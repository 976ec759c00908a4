"""Accounts: signing up, mail, second factors, other sites, the admin's door; every page in our look."""

import re
from pathlib import Path

import allauth
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import MinimumLengthValidator
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from config.people.accounts import AccountAdapter
from tests.support.environment import SCALED_SITE, manage, read_settings
from tests.support.mail_servers import send_to_server
from tests.support.page_tree import read_page
from tests.support.second_factors import code_of
from tests.support.sites import ROOT

pytestmark = pytest.mark.django_db
PASSWORD = "a long secret"
NEW = {"username": "fox", "email": "fox@example.org", "password1": PASSWORD}


def make_user(name: str = "fox", **more) -> User:
    return User.objects.create_user(name, email=f"{name}@example.org", password=PASSWORD, **more)


def log_in(client: Client, name: str = "fox", next: str = ""):
    return client.post("/account/login/", {"login": name, "password": PASSWORD, "next": next})


@pytest.fixture
def secret() -> str:
    return generate_totp_secret()


@pytest.fixture
def fox(secret: str) -> User:
    """Somebody with a second factor."""
    user = make_user()
    TOTP.activate(user, secret)
    return user


OFF = re.compile(r"base|phone|code\.html|passkey|webauthn|trust|email_change|snippets")


def test_every_page_is_in_our_look():
    """Of what is on; the library's own pages know nothing of our policy and our sheets."""
    theirs = Path(allauth.__path__[0]) / "templates"
    pages = [
        page.relative_to(theirs)
        for app in ("account", "mfa", "socialaccount")
        for page in theirs.glob(f"{app}/**/*.html")
    ]
    assert [page for page in pages if not OFF.search(str(page)) and not (ROOT / "templates" / page).exists()] == []


# --- signing up, mail --------------------------------------------------------------------------------------


def test_signing_up_leads_to_the_account(client):
    assert client.post("/account/signup/", NEW)["Location"] == "/account/"
    assert client.get("/account/").status_code == 200
    assert EmailAddress.objects.get().verified is False


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"username": "FOX"}, "Somebody has that name already. Choose another."),
        ({"password1": "123"}, "This password is too short."),
        ({"email": ""}, "This field is required."),
    ],
)
def test_what_nobody_may_sign_up_with(client, changed, sentence):
    make_user("fox")
    answer = client.post("/account/signup/", {**NEW, "email": "new@example.org", **changed})
    assert (answer.status_code, sentence in answer.text, User.objects.count()) == (200, True, 1)


def test_the_form_helps_beside_each_field_and_says_what_comes_next(client, settings):
    form = read_page(client.get("/account/signup/").text).one("main").one("form")
    texts = {part.attributes["id"]: part.text for part in form.all("div.hint")}
    assert (set(texts), form.all("ul")) == ({"id_username_helptext", "id_password1_helptext"}, [])
    assert f"At least {MinimumLengthValidator().min_length} characters" in texts["id_password1_helptext"]
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    page = read_page(client.get("/account/signup/").text)
    assert "id_email_helptext" in [part.attributes["id"] for part in page.all("div.hint")]
    steps = page.one("section.first-steps").all("li")
    assert [step.attributes.get("aria-current") for step in steps] == ["step", None, None, None]
    wrong = read_page(client.post("/account/signup/", {**NEW, "password1": "123", "email": "x"}).text)
    assert {part.attributes["id"] for part in wrong.all("div.wrong")} == {"id_email_error", "id_password1_error"}


def test_where_mail_is_sent_the_address_is_confirmed_first(client, settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    assert client.post("/account/signup/", NEW)["Location"] == "/account/confirm-email/"
    assert log_in(client)["Location"] == "/account/confirm-email/"
    (link,) = set(re.findall(r"http://testserver(/account/confirm-email/\S+/)", mail.outbox[0].body))
    assert "Confirm your address" in client.get(link).text
    client.post(link)
    assert log_in(client)["Location"] == "/"


def test_a_mail_server_that_is_gone_loses_no_account(client, settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    send_to_server(settings, port=1)
    answer = client.post("/account/signup/", NEW, follow=True)
    assert (answer.status_code, User.objects.count()) == (200, 1)
    assert "Our mail can’t be sent just now." in answer.text


def test_a_forgotten_password_is_reset_by_mail(client, settings):
    settings.SENDS_MAIL = True
    make_user()
    client.post("/account/password/reset/", {"email": "fox@example.org"})
    (link,) = re.findall(r"http://testserver(/account/password/reset/key/\S+)", mail.outbox[0].body)
    form = client.get(link, follow=True)
    new = {"password1": "another secret", "password2": "another secret"}
    assert client.post(form.redirect_chain[-1][0], new)["Location"] == "/account/password/reset/key/done/"
    assert User.objects.get().check_password("another secret")


def test_a_site_without_mail_says_so(client, settings):
    settings.SENDS_MAIL = False
    for answer in (client.get("/account/password/reset/"), client.post("/account/password/reset/", {"email": "x"})):
        assert (answer.status_code, "This site sends no mail." in answer.text) == (200, True)


def test_whether_an_address_has_an_account_isnt_told(client, settings):
    settings.SENDS_MAIL = True
    answers = [client.post("/account/password/reset/", {"email": f"{name}@example.org"}) for name in ("fox", "owl")]
    assert [answer["Location"] for answer in answers] == ["/account/password/reset/done/"] * 2


# --- limits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("proxies", "seen"), [(0, "10.0.0.1"), (1, "192.0.2.7")])
def test_limits_count_by_the_address_that_the_site_believes(rf, settings, proxies, seen):
    settings.PROXIES = proxies
    request = rf.get("/", headers={"X-Forwarded-For": "1.1.1.1, 192.0.2.7"}, REMOTE_ADDR="10.0.0.1")
    assert AccountAdapter().get_client_ip(request) == seen


# --- second factors ----------------------------------------------------------------------------------------


def test_a_second_factor_is_asked_for(client, fox, secret):
    assert log_in(client, next="/boards/x/")["Location"] == "/account/2fa/authenticate/"
    assert client.get("/account/").status_code == 302
    assert client.post("/account/2fa/authenticate/", {"code": "000000x"}).status_code == 200
    assert client.post("/account/2fa/authenticate/", {"code": code_of(secret)})["Location"] == "/boards/x/"
    assert client.get("/account/").status_code == 200


@pytest.fixture
def _locked(settings):
    settings.ADMIN_MFA = True


def admin(client: Client) -> tuple[int, str]:
    answer = client.get("/admin/ranking/player/?q=x", follow=True)
    return answer.status_code, answer.redirect_chain[-1][0] if answer.redirect_chain else ""


def test_the_admin_is_entered_by_the_sites_own_door(client):
    make_user(is_staff=True, is_superuser=True)
    assert admin(client) == (200, "/account/login/?next=/admin/ranking/player/%3Fq%3Dx")
    assert log_in(client, next="/admin/")["Location"] == "/admin/"
    assert admin(client) == (200, "")
    assert client.get("/admin/login/")["Location"] == "/admin/"


@pytest.mark.parametrize("path", ["/admin/", "/admin/login/"])
def test_who_isnt_staff_is_told_so(client, path):
    client.force_login(make_user())
    assert client.get(path, follow=True).status_code == 403


@pytest.mark.usefixtures("_locked")
class TestAdminWithASecondFactor:
    def test_staff_without_one_are_led_to_set_it_up(self, client):
        make_user(is_staff=True, is_superuser=True)
        log_in(client)
        answer = client.get("/admin/", follow=True)
        assert answer.redirect_chain[-1][0] == "/account/reauthenticate/?next=%2Faccount%2F2fa%2Ftotp%2Factivate%2F"
        assert "The admin wants a second factor." in answer.text

    def test_a_session_that_proved_it_is_let_in(self, client, fox, secret):
        User.objects.update(is_staff=True, is_superuser=True)
        log_in(client)
        client.post("/account/2fa/authenticate/", {"code": code_of(secret)})
        assert admin(client) == (200, "")

    def test_a_session_from_before_it_was_set_up_proves_it_now(self, client, secret):
        user = make_user(is_staff=True, is_superuser=True)
        log_in(client)
        TOTP.activate(user, secret)
        assert admin(client) == (200, "/account/2fa/reauthenticate/?next=/admin/ranking/player/%3Fq%3Dx")
        proved = client.post("/account/2fa/reauthenticate/", {"code": code_of(secret), "next": "/admin/"})
        assert (proved["Location"], admin(client)) == ("/admin/", (200, ""))


def test_the_admins_page_of_a_new_password_is_the_sites_own(client):
    """Django's would let a stolen session guess the old password as often as it likes."""
    client.force_login(User.objects.create_superuser("boss", password=PASSWORD))
    for ask in (client.get, client.post):
        assert ask("/admin/password_change/")["Location"] == "/account/password/change/"


def test_the_admin_shows_no_secrets(client, fox, secret):
    client.force_login(User.objects.create_superuser("boss"))
    factor = Authenticator.objects.get()
    page = client.get(f"/admin/mfa/authenticator/{factor.pk}/change/")
    assert (page.status_code, secret in page.text, "fox" in page.text) == (200, False, True)
    assert client.get("/admin/socialaccount/socialapp/").status_code == 404


# --- by environment ------------------------------------------------------------------------------------------

SITES = {"RUNGS_STEAM_KEY": "k", "RUNGS_DISCORD_ID": "1", "RUNGS_DISCORD_SECRET": "s"}
MAIL = {"RUNGS_EMAIL_URL": "smtp+tls://fox:secret@mail.example.org:587"}
ALL_SITES = ["https://steamcommunity.com", "https://discord.com"]


@pytest.mark.parametrize(
    ("given", "sites", "mail"),
    [
        ({}, [], ("console", "none", True, False)),
        ({**SITES, **MAIL}, ALL_SITES, ("smtp", "mandatory", True, False)),
        (SCALED_SITE, [], ("dummy", "none", False, True)),
        ({**SCALED_SITE, **MAIL, "RUNGS_ADMIN_MFA": "no"}, [], ("smtp", "mandatory", True, False)),
    ],
)
def test_what_is_configured_is_on(given, sites, mail):
    settings = read_settings(**given)
    assert settings["CONTENT_SECURITY_POLICY"]["DIRECTIVES"]["form-action"][1:] == sites
    assert [app for app in settings["INSTALLED_APPS"] if ".providers." in app] == [
        f"allauth.socialaccount.providers.{name}" for name in ("openid", "steam", "discord") if sites
    ]
    backend = settings["MAILERS"]["default"]["BACKEND"].split(".")[-2]
    verification = settings["ACCOUNT_EMAIL_VERIFICATION"]
    assert (backend, verification, settings["SENDS_MAIL"], settings["ADMIN_MFA"]) == mail


ASK = """
from django.urls import NoReverseMatch, reverse
def there(name):
    try: return reverse(name)
    except NoReverseMatch: return None
print([there(f"{name}_login") for name in ("steam", "discord", "openid")])
"""


@pytest.mark.parametrize(
    ("given", "addresses"), [({}, [None] * 3), (SITES, ["/account/steam/login/", "/account/discord/login/", None])]
)
def test_providers_have_addresses_where_they_are_configured(given, addresses):
    assert manage("shell", "--no-imports", "-v0", "-c", ASK, **given) == (0, f"{addresses}\n")


def test_half_of_a_provider_is_refused():
    with pytest.raises(ImproperlyConfigured, match="RUNGS_DISCORD_ID and RUNGS_DISCORD_SECRET belong together"):
        read_settings(RUNGS_DISCORD_ID="1")
