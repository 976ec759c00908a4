"""Log-in of staff by OpenID Connect, against a provider on this machine: second factors, no takeover, settings."""

import json

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from config.people import provider_errors
from tests.support.environment import manage, read_settings
from tests.support.log_lines import caught_logs
from tests.support.oidc_logins import GIVEN, LOGIN, OWL, come, enter_code, give_password, rights
from tests.support.oidc_provider import SECRET


def lines_of(text, event="oidc_failed"):
    """The lines of an event in what was logged."""
    return [line for line in map(json.loads, text.getvalue().splitlines()) if line["event"] == event]


pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_limits")]


# --- second factors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amr", "says", "enough"),
    [
        (["pwd", "mfa"], False, True),
        ("mfa", False, True),
        (["pwd"], False, False),
        (["pwd", "otp"], False, False),
        (None, False, False),
        (None, True, True),
    ],
)
def test_the_providers_second_factor_counts_if_it_says_so(provider, settings, amr, says, enough):
    settings.OIDC_MFA = says
    browser = come(provider, groups=["mods"], amr=amr)
    assert rights(browser) == (enough, ["moderator"])
    if not enough:
        assert browser.get("/admin/", follow=True).redirect_chain[-1][0].startswith("/account/2fa/totp/activate/")


def test_else_our_own_is_asked_for(provider):
    come(provider, groups=["mods"])
    secret = give_password(User.objects.get())
    browser = come(provider)
    assert browser.answer["Location"] == "/account/2fa/authenticate/"
    assert "_auth_user_id" not in browser.session
    assert rights(enter_code(browser, secret)) == (True, ["moderator"])


# --- no takeover -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verified", [True, False, "true", None])
def test_an_address_that_another_account_has_opens_nothing(provider, fox, verified):
    browser = come(provider, email="Fox@example.org", email_verified=verified, preferred_username="fox")
    assert browser.session["_auth_user_id"] != str(fox.pk)
    assert list(EmailAddress.objects.values_list("user", "email")) == [(fox.pk, "fox@example.org")]
    newcomer = User.objects.exclude(pk=fox.pk).get()
    assert (newcomer.email, newcomer.username == "fox", newcomer.has_usable_password()) == ("", False, False)
    assert SocialAccount.objects.get().user == newcomer


@pytest.mark.parametrize(("verified", "kept"), [(True, [("owl@example.org", True)]), (False, []), ("true", [])])
def test_an_address_is_kept_if_the_provider_has_confirmed_it(provider, verified, kept):
    come(provider, email_verified=verified)
    assert list(EmailAddress.objects.values_list("email", "verified")) == kept


@pytest.mark.parametrize(
    ("where", "wrong"),
    [
        ("userinfo", {"sub": "somebody-else"}),
        ("token", {"iss": "https://elsewhere.example.org"}),
        ("token", {"aud": "another-client"}),
        ("token", {"exp": 1}),
    ],
)
def test_an_answer_that_isnt_about_this_login_is_refused(provider, where, wrong):
    setattr(provider, where, wrong)
    browser = come(provider, groups=["leads"], amr=["mfa"])
    assert ("_auth_user_id" in browser.session, User.objects.count()) == (False, 0)
    assert browser.answer.status_code < 500


def test_a_state_of_another_browser_is_refused(provider):
    victim, attacker = Client(), Client()
    sent = attacker.post(f"{LOGIN}?process=login")
    answer = victim.get(f"{LOGIN}callback/", provider.authorize(sent["Location"]))
    assert ("_auth_user_id" in victim.session, answer.status_code < 500) == (False, True)


def test_a_provider_that_is_away_is_no_error_of_ours(provider):
    browser = Client()
    sent = browser.post(f"{LOGIN}?process=login")
    provider.close()
    with caught_logs(json=True) as text:
        answers = (
            browser.post(f"{LOGIN}?process=login"),
            browser.get(f"{LOGIN}callback/", provider.authorize(sent["Location"])),
        )
    reasons = [line["reason"] for line in lines_of(text)]
    assert [reason.startswith("ConnectionError: ") for reason in reasons] == [True, True]
    for answer in answers:
        assert answer.context["advice"] == provider_errors.AWAY
        assert "socialaccount/authentication_error.html" in [template.name for template in answer.templates]
        assert answer.status_code < 500


# --- refusals: what the log and the person read ----------------------------------------------------------------


def come_back(provider, browser, **query):
    """Begin a log-in and come back with these parameters beside the state."""
    sent = browser.post(f"{LOGIN}?process=login")
    state = provider.authorize(sent["Location"])["state"]
    return browser.get(f"{LOGIN}callback/", {"state": state, **query})


def test_a_wrong_secret_is_logged_with_the_providers_reason(provider, settings):
    settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]["secret"] = "another-secret"
    with caught_logs(json=True) as text:
        answer = come(provider).answer
    [line] = lines_of(text)
    assert line["reason"].startswith("OAuth2Error: ")
    assert '"error": "invalid_request"' in line["reason"]
    assert (answer.status_code, str(provider_errors.REFUSED) in answer.text) == (401, True)


@pytest.mark.parametrize(
    ("where", "wrong", "reason"),
    [
        ("userinfo", {"sub": "somebody-else"}, "The provider's ID token and its user info differ."),
        ("token", {"iss": "https://elsewhere.example.org"}, "Invalid issuer"),
        ("token", {"aud": "another-client"}, "Audience doesn't match"),
        ("token", {"exp": 1}, "Signature has expired"),
    ],
)
def test_a_refused_token_is_logged_with_what_is_wrong(provider, where, wrong, reason):
    setattr(provider, where, wrong)
    with caught_logs(json=True) as text:
        answer = come(provider).answer
    assert [reason in line["reason"] for line in lines_of(text)] == [True]
    assert answer.context["advice"] == provider_errors.REFUSED


def test_the_providers_error_is_logged_in_one_short_line(provider):
    with caught_logs(json=True) as text:
        come_back(provider, Client(), error="access_denied", error_description="Not assigned.")
        come_back(provider, Client(), error="server_error", error_description="a\nb" + "c" * 1_000)
        come_back(provider, Client())
    reasons = [line["reason"] for line in lines_of(text)]
    assert reasons == [
        "access_denied: Not assigned.",
        f"server_error: a b{'c' * 1_000}"[: provider_errors.LONGEST] + "…",
        "The provider sent neither a code nor an error.",
    ]


def test_a_stale_log_in_says_to_begin_again(provider):
    with caught_logs(json=True) as text:
        answer = Client().get(f"{LOGIN}callback/", {"state": "old", "code": "x"})
    reason = "This browser has no log-in under way with the state that it brought back."
    assert [line["reason"] for line in lines_of(text)] == [reason]
    assert answer.context["advice"] == provider_errors.STALE


def test_no_token_is_logged(rf):
    error = OAuth2Error("Error retrieving access token: {'id_token': 'eyJhbGciOi.eyJzdWIi.c2ln'}")
    reason = provider_errors.reason_of(rf.get("/"), error, stale=False)
    assert reason == "OAuth2Error: Error retrieving access token: {'id_token': '***'}"


def test_a_missing_claim_is_logged(provider):
    with caught_logs(json=True) as text:
        come(provider)
        come(provider, groups=[])
    [line] = lines_of(text, "oidc_claim_missing")
    assert (line["claim"], "'preferred_username'" in line["given"]) == ("groups", True)


@pytest.mark.parametrize("left_out", ["sub", "preferred_username"])
def test_a_provider_that_leaves_something_out(provider, left_out):
    provider.claims = {name: value for name, value in OWL.items() if name != left_out}
    browser = come(provider)
    assert (browser.answer.status_code < 500, "_auth_user_id" in browser.session) == (True, left_out != "sub")


# --- by environment ------------------------------------------------------------------------------------------


def test_the_button_is_there_only_if_it_is_configured(provider, settings):
    assert "Log in with Studio" in Client().get("/account/login/").text
    settings.SOCIALACCOUNT_PROVIDERS = {}
    assert "Log in with" not in Client().get("/account/login/").text


def test_the_whole_site_starts_with_it():
    code = "from django.urls import reverse; print(reverse('openid_connect_callback', args=['openid_connect']))"
    assert manage("shell", "--no-imports", "-v0", "-c", code, **GIVEN) == (0, f"{LOGIN}callback/\n")
    policy = read_settings(**GIVEN)["CONTENT_SECURITY_POLICY"]["DIRECTIVES"]["form-action"]
    assert policy[1:] == ["https://id.example.org"]


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"RUNGS_OIDC_ISSUER": ""}, "belong together; set all three or none."),
        ({"RUNGS_OIDC_SECRET": ""}, "belong together; set all three or none."),
        ({"RUNGS_OIDC_ISSUER": "http://id.example.org"}, "RUNGS_OIDC_ISSUER must begin with https://"),
        ({"RUNGS_OIDC_ISSUER": "id.example.org"}, "RUNGS_OIDC_ISSUER can't be read"),
        ({"RUNGS_OIDC_ROLES": "mods"}, "RUNGS_OIDC_ROLES has 'mods'; write group=role"),
        (
            {"RUNGS_OIDC_ROLES": "mods=superuser"},
            "one of the roles viewer, junior moderator, moderator, administrator.",
        ),
        ({"RUNGS_OIDC_MFA": "maybe"}, "RUNGS_OIDC_MFA is 'maybe'; it must be yes or no."),
    ],
)
def test_what_is_half_set_or_wrong_is_refused(variables, sentence):
    with pytest.raises(ImproperlyConfigured) as refused:
        read_settings(**{**GIVEN, **variables})
    assert sentence in str(refused.value)
    assert SECRET not in str(refused.value)


def test_a_mapping_without_a_provider_is_refused():
    with pytest.raises(ImproperlyConfigured, match="mean nothing without RUNGS_OIDC_ISSUER"):
        read_settings(RUNGS_OIDC_ROLES="mods=moderator, new mods=junior moderator")
