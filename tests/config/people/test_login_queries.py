"""Log-in, sign-up and password reset find accounts by indexes, however many accounts there are."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
# Tables with rows for each account. Others that are read along, such as modes, are small.
ACCOUNTS = r'^SELECT .* FROM "(auth_user|account_emailaddress|mfa_authenticator|ranking_player|django_session)"'
PASSWORD = "a long secret"
LOGIN, SIGN_UP, RESET = "/account/login/", "/account/signup/", "/account/password/reset/"
NEW = {"username": "Owl", "email": "owl@example.org", "password1": PASSWORD}


def plan_of(sql: str) -> list[str]:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")  # as in a large table
            cursor.execute(f"EXPLAIN {sql}")
            return [row[0] for row in cursor.fetchall()]
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return [row[3] for row in cursor.fetchall()]


def reads_whole_table(plan: list[str]) -> bool:
    return any(line.startswith("SCAN ") or "Seq Scan on" in line for line in plan)


@pytest.mark.parametrize("confirms", [False, True])
def test_accounts_are_found_by_indexes(settings, confirms):
    settings.SENDS_MAIL = True
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory" if confirms else "none"
    fox = User.objects.create_user("fox", email="fox@example.org", password=PASSWORD)
    EmailAddress.objects.create(user=fox, email=fox.email, verified=confirms)
    forms = [
        (LOGIN, {"login": "Fox", "password": PASSWORD}),
        (LOGIN, {"login": "f_x", "password": "wrong"}),
        (LOGIN, {"login": "fox@example.org", "password": PASSWORD}),
        (LOGIN, {"login": "Nobody@example.org", "password": "wrong"}),
        (SIGN_UP, NEW),
        (SIGN_UP, {**NEW, "username": "FOX"}),
        (SIGN_UP, {**NEW, "email": "Fox@example.org"}),
        (RESET, {"email": "fox@example.org"}),
        (RESET, {"email": "nobody@example.org"}),
    ]
    given = {}
    for path, data in forms:
        with rolled_back():
            with CaptureQueriesContext(connection) as queries:
                Client().post(path, data)
            asked = [query["sql"] for query in queries if re.search(ACCOUNTS, query["sql"])]
            scans = [sql for sql in asked if reads_whole_table(plan_of(sql))]
            given[path, *data.values()] = (bool(asked), scans)
    assert given == {(path, *data.values()): (True, []) for path, data in forms}
