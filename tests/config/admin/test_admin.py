"""Logins and what belongs to them in the admin: who may do what, lists that stay quick, no secrets."""

import os
import subprocess
import sys

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.contrib.admin import site
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config.people.permission_fields import names_of
from config.people.rights import RIGHTS, permissions_of
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
HOME = {
    User: "/admin/auth/user/",
    Group: "/admin/auth/group/",
    EmailAddress: "/admin/account/emailaddress/",
    Authenticator: "/admin/mfa/authenticator/",
    SocialAccount: "/admin/socialaccount/socialaccount/",
}
HIDDEN = "nobody reads this"


def client_of(user):
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def boss(db):
    return client_of(User.objects.create_superuser("boss"))


@pytest.fixture
def clerk(db):
    """Staff with every permission on accounts that there is, and no superuser."""
    user = User.objects.create_user("clerk", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(content_type__app_label__in=("auth", "account", "mfa")))
    user.user_permissions.add(*Permission.objects.filter(content_type__app_label="socialaccount"))
    return client_of(user)


def give_everything(user):
    """An address, an authenticator and an account elsewhere."""
    EmailAddress.objects.create(user=user, email=f"{user}@example.org", primary=True)
    Authenticator.objects.create(user=user, type="totp", data={"secret": HIDDEN})
    other = SocialAccount.objects.create(user=user, provider="steam", uid=f"7{user.pk}", extra_data={"told": HIDDEN})
    SocialToken.objects.create(account=other, token=HIDDEN, token_secret=HIDDEN)


@pytest.fixture
def fox(db):
    fox = User.objects.create_user("fox", password="a long secret")
    give_everything(fox)
    return fox


def row_of(model, user):
    return user if model is User else model.objects.get(user=user)


QUERIES = [  # three are the session, who is logged in, and their saved filters
    (User, "", 5),
    (User, "?q=us", 6),
    (User, "?groups__id__exact=1", 5),
    (Group, "", 4),
    (EmailAddress, "", 4),
    (EmailAddress, "?q=user1", 5),
    (Authenticator, "", 4),
    (Authenticator, "?q=user1", 5),
    (SocialAccount, "", 4),
    (SocialAccount, "?q=user1", 5),
]


@pytest.mark.parametrize("rows", [1, 30])
def test_queries_do_not_grow_with_rows(boss, rows):
    for number in range(rows):
        user = User.objects.create_user(f"user{number}")
        give_everything(user)
        user.groups.add(Group.objects.create(name=f"group {number}"))
    taken = []
    for model, query, _ in QUERIES:
        with CaptureQueriesContext(connection) as queries:
            assert boss.get(HOME[model] + query).status_code == 200
        taken.append((model, query, len(queries)))
        assert not [sql for sql in queries.captured_queries if "COUNT(" in sql["sql"].upper()], (model, query)
    assert taken == QUERIES


def test_what_a_search_finds(boss, fox):
    for role in ("junior moderator", "moderator", "viewer"):
        Group.objects.get_or_create(name=role)
    searches = [
        (User, "fo", ["fox"]),
        (User, "ox", []),
        (User, "FOX@example.org", ["fox"]),
        (User, "fox@", []),
        (EmailAddress, "Fox@example.org", ["fox@example.org"]),
        (EmailAddress, "fox", ["fox@example.org"]),
        (EmailAddress, "fo", []),
        (Authenticator, "fox", ["TOTP Authenticator"]),
        (SocialAccount, "fox", ["fox"]),
        (SocialAccount, "fo", []),
        (Group, "DERAT", ["junior moderator", "moderator"]),
    ]
    given = {}
    for model, term, _ in searches:
        found = boss.get(HOME[model], {"q": term}).context["cl"].result_list
        given[model, term] = [str(row) for row in found]
    assert given == {(model, term): rows for model, term, rows in searches}


def test_accounts_elsewhere_are_found_by_their_number_there(boss, fox, settings):
    settings.SOCIALACCOUNT_PROVIDERS = {"steam": {}}
    (row,) = boss.get(HOME[SocialAccount], {"q": f"7{fox.pk}", "provider": "steam"}).context["cl"].result_list
    assert row.user == fox


def test_a_search_for_names_uses_an_index(boss):
    postgres = connection.vendor == "postgresql"
    with CaptureQueriesContext(connection) as queries:
        boss.get(HOME[User], {"q": "fo"})
    sql = next(each["sql"] for each in queries.captured_queries if "fo\U0010ffff" in each["sql"])
    with connection.cursor() as cursor:
        if postgres:  # as in a large table
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
            cursor.execute("EXPLAIN " + sql.partition(" ORDER BY ")[0])
        else:
            cursor.execute("EXPLAIN QUERY PLAN " + sql)
        assert ("auth_user_username" if postgres else "sqlite_autoindex_auth_user") in str(cursor.fetchall())


PAGES = ("", "?q=fox", "{row}/change/", "{row}/delete/", "{row}/history/")


@pytest.mark.parametrize("model", HOME)
def test_no_page_shows_a_secret(boss, fox, model):
    row = Group.objects.create(name="few") if model is Group else row_of(model, fox)
    digest = fox.password.rpartition("$")[2]
    for page in PAGES:
        answer = boss.get(HOME[model] + page.format(row=row.pk))
        assert answer.status_code == 200, page
        assert HIDDEN not in answer.text, page
        assert digest not in answer.text, page
        assert 'name="data"' not in answer.text, page


@pytest.mark.parametrize("model", [Authenticator, SocialAccount])
def test_what_is_proved_is_deleted_but_never_made_or_edited(boss, fox, model):
    row = row_of(model, fox)
    for page in ("add/", f"{row.pk}/change/"):
        said = {"user": User.objects.get(username="boss").pk, "uid": "1", "type": "totp", "data": "{}"}
        assert boss.post(HOME[model] + page, said).status_code == 403
    assert row_of(model, fox).user == fox
    assert boss.post(f"{HOME[model]}{row.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not model.objects.exists()


def test_nothing_else_of_accounts_has_a_page():
    apps = ("auth", "account", "mfa", "socialaccount", "openid", "sites")
    assert {model for model in site._registry if model._meta.app_label in apps} == set(HOME)


def test_where_steam_is_configured_its_secrets_have_no_page_either():
    code = (
        "import django; django.setup(); from django.contrib.admin import autodiscover, site; autodiscover();"
        "print(*sorted({model._meta.app_label for model in site._registry}))"
    )
    given = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "RUNGS_STEAM_KEY": "key"}
    said = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True)
    assert said.stdout.split() == "account auth leaderboards matchmaking mfa ranking socialaccount".split()


def form(user, **changed):
    """What the page of a login sends, without its rights where its reader may not give any."""
    return {"username": user.username, "email": "", "first_name": "", "last_name": "", "is_active": "on", **changed}


def rights(user):
    user = User.objects.get(pk=user.pk)
    return (user.is_staff, user.is_superuser, user.groups.count(), user.user_permissions.count())


@pytest.fixture
def everything():
    """Every right that a form may send."""
    return {
        "is_staff": "on",
        "is_superuser": "on",
        "groups": [Group.objects.get_or_create(name="administrator")[0].pk],
        "user_permissions": ["pardon", "warn", "answers"],
    }


def test_a_superuser_gives_rights(boss, fox, everything):
    assert boss.post(f"{HOME[User]}{fox.pk}/change/", form(fox, **everything)).status_code == 302
    assert rights(fox) == (True, True, 1, 4)


def test_nobody_else_gives_rights(clerk, fox, everything):
    assert clerk.post(f"{HOME[User]}{fox.pk}/change/", form(fox, first_name="F", **everything)).status_code == 302
    assert rights(fox) == (False, False, 0, 0)
    assert User.objects.get(username="fox").first_name == "F"


def test_nobody_else_touches_accounts_of_staff(clerk, boss):
    given = {}
    for user in User.objects.filter(username__in=("clerk", "boss")):
        give_everything(user)
        said = {
            **form(user),
            "post": "yes",
            "email": "mine@example.org",
            "password1": "mine ever",
            "password2": "mine ever",
        }
        for model in (User, EmailAddress, Authenticator, SocialAccount):
            home = f"{HOME[model]}{row_of(model, user).pk}/"
            pages = ["change/", "delete/", *(["password/"] if model is User else [])]
            with rolled_back():
                looked = clerk.get(f"{home}change/").status_code
                given[user.username, model] = (looked, [clerk.post(home + page, said).status_code for page in pages])
    assert given == {
        (name, model): (200, [403] * (3 if model is User else 2))
        for name in ("clerk", "boss")
        for model in (User, EmailAddress, Authenticator, SocialAccount)
    }


def test_nobody_else_gives_staff_an_address_to_reset_a_password_by(clerk, boss, fox):
    staff = User.objects.get(username="boss")
    said = {"email": "mine@example.org", "verified": "on"}
    answers = [client.post(f"{HOME[EmailAddress]}add/", {**said, "user": staff.pk}) for client in (clerk, boss)]
    assert [answer.status_code for answer in answers] == [200, 302]
    assert clerk.post(f"{HOME[EmailAddress]}add/", {"email": "b@example.org", "user": fox.pk}).status_code == 302


def test_nobody_else_says_what_a_role_may(clerk, boss):
    role = Group.objects.get_or_create(name="viewer")[0]
    role.permissions.set(Permission.objects.filter(codename="view_player"))
    home = f"{HOME[Group]}{role.pk}/"
    every = {"name": "viewer", "bans_from": ["from_queues", "from_boards"], "permissions": list(RIGHTS)}
    assert "<strong>Others</strong>: Ranking: view player" in clerk.get(f"{home}change/").text
    assert [clerk.post(page, every).status_code for page in (f"{home}change/", f"{home}delete/")] == [403, 403]
    assert clerk.post(f"{HOME[Group]}add/", every).status_code == 403
    assert role.permissions.count() == 1
    assert boss.post(f"{home}change/", every).status_code == 302
    assert names_of(role.permissions.all()) == permissions_of(RIGHTS)


def test_addresses_are_verified_by_who_may_change_them_and_not_those_of_staff(clerk, fox):
    user = User.objects.get(username="clerk")
    own = EmailAddress.objects.create(user=user, email="own@example.org")
    ticked = {"action": "make_verified", "index": 0, "_selected_action": [own.pk, row_of(EmailAddress, fox).pk]}
    clerk.post(HOME[EmailAddress], ticked)
    assert dict(EmailAddress.objects.values_list("email", "verified")) == {
        "own@example.org": False,
        "fox@example.org": True,
    }
    EmailAddress.objects.update(verified=False)
    user.user_permissions.remove(*Permission.objects.filter(codename="change_emailaddress"))
    clerk.post(HOME[EmailAddress], ticked)
    assert not EmailAddress.objects.filter(verified=True).exists()
