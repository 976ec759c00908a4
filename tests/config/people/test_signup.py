"""Who may make an account: everybody, nobody, or people with addresses of some domains."""

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.core import mail
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from tests.support.environment import read_settings
from tests.support.oidc_logins import come

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_limits")]
PASSWORD = "a long secret"
NEW = {"username": "owl", "email": "owl@example.org", "password1": PASSWORD}
CLOSED = "This site takes no new accounts."


def sign_up(**changed):
    return Client().post("/account/signup/", {**NEW, **changed})


def log_in(name: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=name), "config.people.backend.PasswordBackend")
    return client


@pytest.fixture
def domains(settings):
    settings.SIGNUP_DOMAINS = ["example.org", "team.example.com"]
    settings.SENDS_MAIL, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"


def test_a_closed_site_makes_no_account_and_shows_no_way_to_one(settings, client, fox, subtests):
    pages = ("/", "/account/login/", "/account/signup/")
    opened = {page: "/account/signup/" in client.get(page).text for page in pages[:2]}
    assert opened == dict.fromkeys(pages[:2], True)
    settings.SIGNUP_OPEN = False
    for page in pages:
        with subtests.test(page):
            answer = client.get(page)
            assert (answer.status_code, 'href="/account/signup/' in answer.text) == (200, False)
    answer = sign_up()
    assert (CLOSED in answer.text, User.objects.count()) == (True, 1)
    logged_in = Client().post("/account/login/", {"login": "fox", "password": PASSWORD})
    assert logged_in.status_code == 302


def test_only_addresses_of_the_domains_sign_up(domains, client, subtests):
    page = client.get("/account/signup/").text
    assert "It has to be at example.org or team.example.com." in page
    for address, taken in (
        ("owl@example.org", True),
        ("Owl@EXAMPLE.ORG", True),
        ("owl@team.example.com", True),
        ("owl@example.com", False),
        ("owl@sub.example.org", False),
        ("owl@example.org.evil.test", False),
        ("owl@notexample.org", False),
        ('"owl@example.org"@evil.test', False),
    ):
        with subtests.test(address):
            User.objects.all().delete()
            answer = sign_up(email=address)
            assert User.objects.exists() is taken
            if not taken:
                assert "Use an email address at example.org or team.example.com." in answer.text


def test_the_address_has_to_be_confirmed(domains):
    assert sign_up()["Location"] == "/account/confirm-email/"
    assert [sent.to for sent in mail.outbox] == [["owl@example.org"]]
    answer = Client().post("/account/login/", {"login": "owl", "password": PASSWORD})
    assert answer["Location"] == "/account/confirm-email/"


def test_no_other_address_comes_later(domains, fox):
    client = log_in("fox")
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    for address, added in (("fox@evil.test", False), ("fox@team.example.com", True)):
        answer = client.post("/account/email/", {"action_add": "", "email": address})
        assert EmailAddress.objects.filter(email=address).exists() is added
        assert ("Use an email address at" in answer.text) is not added


def test_who_has_another_address_still_logs_in_and_gets_a_new_password(domains):
    user = User.objects.create_user("old", email="old@elsewhere.test", password=PASSWORD)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    logged_in = Client().post("/account/login/", {"login": "old@elsewhere.test", "password": PASSWORD})
    assert logged_in["Location"] == "/"
    Client().post("/account/password/reset/", {"email": "old@elsewhere.test"})
    assert [sent.to for sent in mail.outbox] == [["old@elsewhere.test"]]


def by_other_site(**data) -> Client:
    """Come by another site for the first time."""
    client = Client()
    sent = client.post("/account/dummy/login/?process=login")
    client.answer = client.post(sent["Location"], {"id": "1", "username": "owl", **data})
    return client


def test_other_sites_make_accounts_by_the_same_rule(settings, elsewhere, subtests):
    settings.ROOT_URLCONF = "tests.support.oidc_urls"
    ours, other = {"email": "owl@example.org"}, {"email": "owl@evil.test"}
    confirmed = {"email_verified": "on"}
    for name, is_open, domains, data, made, sentence in (
        ("open", True, [], {}, True, ""),
        ("closed", False, [], ours | confirmed, False, CLOSED),
        ("no address", True, ["example.org"], {}, False, "An address is needed"),
        ("another's address", True, ["example.org"], other | confirmed, False, "An address is needed"),
        ("an address that nobody confirmed", True, ["example.org"], ours, False, "An address is needed"),
        ("a confirmed address", True, ["example.org"], ours | confirmed, True, ""),
        ("closed, and a confirmed address", False, ["example.org"], ours | confirmed, False, CLOSED),
    ):
        with subtests.test(name):
            User.objects.all().delete()
            settings.SIGNUP_OPEN, settings.SIGNUP_DOMAINS = is_open, domains
            client = by_other_site(**data)
            assert (SocialAccount.objects.exists(), User.objects.exists()) == (made, made)
            if sentence:
                assert sentence in client.answer.text


def test_the_sites_own_provider_says_who_comes_in(settings, provider):
    settings.SIGNUP_OPEN, settings.SIGNUP_DOMAINS = False, ["team.example.com"]
    come(provider, groups=["mods"], amr=["mfa"])
    user = User.objects.get()
    assert (user.username, user.email, user.is_staff) == ("owl", "", True)  # its address is of another domain


def test_domains_need_mail(settings):
    settings.SIGNUP_DOMAINS = ["example.org"]
    settings.ACCOUNT_EMAIL_VERIFICATION = "none"
    [error] = [each for each in run_checks() if each.id == "rungs.E008"]
    assert "RUNGS_EMAIL_URL" in str(error.hint)
    settings.SENDS_MAIL, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"
    assert not [each for each in run_checks() if each.id == "rungs.E008"]


def test_how_it_is_set(subtests):
    read = read_settings(RUNGS_SIGNUP="closed", RUNGS_SIGNUP_DOMAINS="Example.org, team.example.com")
    assert (read["SIGNUP_OPEN"], read["SIGNUP_DOMAINS"]) == (False, ["example.org", "team.example.com"])
    assert (read_settings()["SIGNUP_OPEN"], read_settings()["SIGNUP_DOMAINS"]) == (True, [])
    for given, sentence in (
        ({"RUNGS_SIGNUP": "domains"}, "RUNGS_SIGNUP is 'domains'; it must be one of open, closed."),
        ({"RUNGS_SIGNUP_DOMAINS": "@example.org"}, "RUNGS_SIGNUP_DOMAINS has '@example.org', which is no domain"),
        ({"RUNGS_SIGNUP_DOMAINS": "*.example.org"}, "which is no domain"),
        ({"RUNGS_SIGNUP_DOMAINS": "example"}, "which is no domain"),
    ):
        with subtests.test(given), pytest.raises(ImproperlyConfigured) as refused:
            read_settings(**given)
        assert sentence in str(refused.value)
