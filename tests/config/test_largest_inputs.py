"""The largest inputs that `python -m bench.largest_inputs` measures: every route has one, and none fails at it."""

from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import resolve

from bench.largest_addresses import route_cases
from config.observability import endpoints
from ranking.models.access import SCOPES
from tests.support.api import make_key
from tests.support.routes import site_routes
from tests.support.whole_site import make_whole_site

pytestmark = pytest.mark.django_db


def route_of(address: str) -> str:
    path = urlsplit(address).path
    return plain(resolve(path, urlconf=endpoints.__name__ if endpoints.find_view(path) else None).route)


def plain(route: str) -> str:
    """Without the marks that Django drops where it joins routes."""
    return route.replace("^", "")


def test_every_route_has_one() -> None:
    """So a new route, which needs a row in the table of routes, is measured, too."""
    cases = list(route_cases(make_whole_site()))
    assert {route_of(case.make(0.0)[1]) for case in cases} == set(map(plain, site_routes()))


@pytest.mark.long
def test_no_route_fails_at_it() -> None:
    cases, client = list(route_cases(make_whole_site())), Client()
    boss, key = User.objects.create_superuser("boss"), {"Authorization": f"Bearer {make_key(*SCOPES)}"}
    failed = {}
    for case in cases:
        client.force_login(boss)
        method, address, body = case.make(1.0)
        kind = "application/x-www-form-urlencoded" if case.form else "application/json"
        answer = client.generic(method, address, body, kind, headers=key if case.sender == "key" else {})
        if answer.status_code >= 500 or answer.status_code in (413, 414):
            failed[case.name] = answer.status_code
    assert failed == {}
