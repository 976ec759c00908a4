"""Roles by OpenID Connect: the provider gives and takes them, and nobody keeps one by another way in."""

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.test import Client

from ranking.models import AuditEntry
from tests.support.oidc_logins import LOGIN, PASSWORD, come, enter_code, enter_password, give_password, rights

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_limits")]


# --- roles ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (["mods"], (True, ["moderator"])),
        (["mods", "leads", "others"], (True, ["administrator", "moderator"])),
        ("leads", (True, ["administrator"])),
        ("helpers", (True, ["junior moderator"])),
        (["administrator", "moderator", "MODS"], (False, [])),
        ([], (False, [])),
        ([["mods"], {"mods": 1}, None, 7], (False, [])),
        (None, (False, [])),
    ],
)
def test_roles_come_by_the_mapping_alone(provider, groups, expected):
    assert rights(come(provider, groups=groups, amr=["mfa"])) == expected
    assert User.objects.get().is_staff == bool(expected[1])


def test_roles_that_are_lost_there_are_lost_here_at_the_next_login(provider):
    first = come(provider, groups=["mods", "leads"], amr=["mfa"])
    assert rights(first) == (True, ["administrator", "moderator"])
    assert rights(come(provider, groups=["mods"])) == (True, ["moderator"])
    assert rights(come(provider, groups=[])) == (False, [])
    assert rights(first) == (False, [])


def test_other_groups_and_superusers_stay_as_they_are(provider):
    come(provider, groups=["mods"], amr=["mfa"])
    user = User.objects.get()
    user.groups.create(name="testers")
    come(provider, groups=[])
    assert [group.name for group in user.groups.all()] == ["testers"]
    User.objects.update(is_superuser=True, is_staff=True)
    assert rights(come(provider, groups=[])) == (True, ["testers"])


def test_without_a_mapping_no_role_is_given_or_taken(provider, settings):
    settings.OIDC_ROLES = {}
    come(provider, groups=["moderator"], amr=["mfa"])
    assert not User.objects.get().is_staff
    User.objects.update(is_staff=True)
    assert rights(come(provider, groups=[])) == (True, [])


def test_a_password_gives_none_of_the_providers_rights(provider):
    """So that somebody who has left the studio doesn't come back by one."""
    come(provider, groups=["mods"], amr=["mfa"])
    browser = enter_password(Client(), give_password(User.objects.get()))
    assert rights(browser) == (False, ["moderator"])
    page = browser.get("/admin/", follow=True)
    assert page.redirect_chain[-1][0].startswith(LOGIN)
    assert "Your staff rights come with Studio: log in with it." in page.text


# --- ways round the provider -----------------------------------------------------------------------------------


def test_a_login_by_the_provider_that_stopped_halfway_counts_for_nothing(provider, elsewhere):
    """Its roles were never read, so a log-in by another site after it doesn't get those of an earlier one."""
    come(provider, groups=["leads"], amr=["mfa"])
    owl = User.objects.get()
    secret = give_password(owl)
    SocialAccount.objects.create(user=owl, provider=elsewhere, uid="7")
    browser = come(provider, groups=[])
    assert browser.answer["Location"] == "/account/2fa/authenticate/"
    sent = browser.post("/account/dummy/login/?process=login")
    browser.post(sent["Location"], {"id": "7"})
    assert rights(enter_code(browser, secret)) == (False, ["administrator"])


def disconnect(browser):
    """On the account's own page, which asks for the password."""
    asked = browser.post("/account/connections/", {"account": SocialAccount.objects.get().pk})
    browser.post(asked["Location"], {"password": PASSWORD})


def delete_in_the_admin(_):
    boss = Client()
    boss.force_login(User.objects.create_superuser("boss"))
    boss.post(f"/admin/socialaccount/socialaccount/{SocialAccount.objects.get().pk}/delete/", {"post": "yes"})


def delete_all(_):
    SocialAccount.objects.all().delete()


WAYS = [disconnect, delete_in_the_admin, delete_all]


@pytest.mark.parametrize("goes", WAYS)
def test_roles_go_with_the_connection_to_the_provider(provider, settings, goes):
    settings.ADMIN_MFA = False
    browser = come(provider, groups=["leads", "mods"])
    user = User.objects.get()
    user.groups.create(name="testers")
    user.set_password(PASSWORD)
    user.save()
    browser = come(provider)
    assert rights(browser) == (True, ["administrator", "moderator", "testers"])
    goes(browser)
    assert not SocialAccount.objects.exists()
    assert rights(browser) == (False, ["testers"])
    assert not User.objects.get(pk=user.pk).is_staff


@pytest.mark.parametrize(
    ("changed", "mapping"), [({"is_superuser": True}, True), ({}, False)], ids=["superuser", "without a mapping"]
)
def test_rights_that_are_not_the_providers_stay_when_it_is_disconnected(provider, settings, changed, mapping):
    come(provider, groups=[])
    User.objects.update(is_staff=True, **changed)
    if not mapping:
        settings.OIDC_ROLES = {}
    SocialAccount.objects.all().delete()
    assert User.objects.get().is_staff


def test_rights_stay_when_another_site_is_disconnected(provider):
    come(provider, groups=["mods"])
    SocialAccount.objects.create(user=User.objects.get(), provider="discord", uid="1").delete()
    assert User.objects.get().is_staff


def test_a_login_during_which_the_account_was_disconnected_gives_no_role(provider):
    """Nothing would take the role later, because the account isn't the provider's any more."""
    come(provider, groups=["leads"], amr=["mfa"])
    secret = give_password(User.objects.get())
    browser = come(provider)
    SocialAccount.objects.all().delete()
    assert rights(enter_code(browser, secret)) == (False, [])


# --- the audit log ---------------------------------------------------------------------------------------------


def test_the_audit_log_tells_which_roles_the_provider_gave_and_took(provider):
    come(provider, groups=["mods"])
    come(provider)
    come(provider, groups=["leads", "mods"])
    User.objects.update(is_staff=False)
    come(provider)
    come(provider, groups=[])
    come(provider)
    come(provider, groups=["leads"])
    SocialAccount.objects.all().delete()
    named = "OpenID Connect named these roles at a log-in."
    disconnected = "The account was disconnected from OpenID Connect."
    both = "staff, administrator, moderator"
    changes = [
        ("none → staff, moderator", named),
        (f"staff, moderator → {both}", named),
        (f"administrator, moderator → {both}", named),
        (f"{both} → none", named),
        ("none → staff, administrator", named),
        ("staff, administrator → none", disconnected),
    ]
    account = User.objects.get().pk
    lines = AuditEntry.objects.order_by("pk").values_list("act", "by", "who", "player", "subject", "reason")
    assert list(lines) == [
        ("change roles", None, "", None, f"account {account}: {change}", reason) for change, reason in changes
    ]
