"""One account, a clock that stands still, and no limit on failed requests by address."""

import datetime as dt

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User

PASSWORD = "a long secret"
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
