"""One account, a clock that stands still, and no limit on failed requests by address."""

import datetime as dt

import pytest
import time_machine
from allauth.account.models import EmailAddress
from allauth.socialaccount.providers import registry
from allauth.socialaccount.providers.dummy.provider import DummyProvider
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from django.contrib.auth.models import User

from tests.support.environment import read_settings
from tests.support.factories import make_role
from tests.support.oidc_logins import GIVEN, OWL, PASSWORD
from tests.support.oidc_provider import Provider

NOON = dt.datetime(2026, 5, 20, 12, tzinfo=dt.UTC)


@pytest.fixture
def clock():
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


@pytest.fixture
def _limits(settings) -> None:
    settings.LIMITS = {**settings.LIMITS, "failed": 0}


@pytest.fixture
def fox() -> User:
    user = User.objects.create_user("fox", email="fox@example.org", password=PASSWORD)
    EmailAddress.objects.create(user=user, email=user.email, verified=True)
    return user


@pytest.fixture
def provider(settings, db):
    """A provider that is configured as by these variables. The roles that it gives are there."""
    make_role("moderator")
    provider = Provider()
    read = read_settings(**{**GIVEN, "RUNGS_OIDC_ISSUER": provider.issuer})
    for name in ("SOCIALACCOUNT_PROVIDERS", "OIDC_NAME", "OIDC_CLAIM", "OIDC_ROLES", "OIDC_MFA"):
        setattr(settings, name, read[name])
    settings.ADMIN_MFA = True
    settings.ROOT_URLCONF = "tests.support.oidc_urls"
    registry.register(OpenIDConnectProvider)
    provider.claims = OWL
    yield provider
    del registry.provider_map[OpenIDConnectProvider.id]
    provider.close()


@pytest.fixture
def elsewhere():
    """Another site by which people log in: it believes whatever number it is told."""
    registry.register(DummyProvider)
    yield DummyProvider.id
    del registry.provider_map[DummyProvider.id]
