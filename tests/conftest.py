"""What every test gets."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test.signals import setting_changed
from hypothesis import settings as hypothesis_settings
from pytest_django.plugin import DjangoDbBlocker

from config.languages.compiling import ROOT, compile_catalogues
from tests.support import examples  # noqa: F401 - registers Hypothesis's profiles
from tests.support.caches import forget_everything
from tests.support.databases import suite_database
from tests.support.module_data import module_db  # noqa: F401 - a fixture

hypothesis_settings.load_profile("short")
REDIS_DATABASES = 16


def pytest_configure() -> None:
    """`make` compiles the catalogues of messages; pytest may run without it on a checkout that was just pulled."""
    compile_catalogues(ROOT)


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_modify_db_settings: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """In place of pytest-django's, which would run all migrations in each process."""
    with django_db_blocker.unblock(), suite_database(), django_db_blocker.block():
        yield


@pytest.fixture(autouse=True)
def _nothing_cached() -> None:
    """No test sees what another left in a cache; databases of tests use ids again."""
    forget_everything()


@pytest.fixture(scope="session", autouse=True)
def _cache_of_its_own(worker_id: str) -> None:
    """Processes of one run, which clear the cache before each test, have a Redis database each."""
    if settings.SCALED and worker_id != "master":
        address, _, number = settings.CACHES["default"]["LOCATION"].rpartition("/")
        own = (int(number) + 1 + int(worker_id.removeprefix("gw"))) % REDIS_DATABASES
        settings.CACHES["default"]["LOCATION"] = f"{address}/{own}"
        setting_changed.send(sender=None, setting="CACHES", value=settings.CACHES, enter=True)


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords() -> None:
    """Hashing one for real takes a third of a second, on purpose."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    setting_changed.send(sender=None, setting="PASSWORD_HASHERS", value=settings.PASSWORD_HASHERS, enter=True)


@pytest.fixture(scope="session", autouse=True)
def _static_files_when_asked_for() -> None:
    """Whoever makes a client loads the middleware, which would look through all static files."""
    settings.WHITENOISE_AUTOREFRESH = True


@pytest.fixture(scope="session", autouse=True)
def _plain_http() -> None:
    """Test clients and live servers speak HTTP, and log in with no second factor, whatever the profile asks."""
    settings.SECURE_SSL_REDIRECT = False
    settings.ADMIN_MFA = False
