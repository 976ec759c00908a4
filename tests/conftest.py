"""What every test gets."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import connection
from django.test.signals import setting_changed
from hypothesis import settings as hypothesis_settings
from pytest_django.plugin import DjangoDbBlocker

from config.languages.compiling import ROOT, compile_catalogues
from tests.support import examples  # noqa: F401 - registers Hypothesis's profiles
from tests.support.caches import forget_everything
from tests.support.databases import suite_database
from tests.support.module_data import module_db  # noqa: F401 - a fixture
from tests.support.selection import DatabaseAsked, Proof, left_out

hypothesis_settings.load_profile("short")
REDIS_DATABASES = 16


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--of-databases", action="store_true", help="leave out tests that touch no database")
    parser.addoption("--prove", action="store_true", help="note which tests needn't run on SQLite as well")
    parser.addoption("--all", action="store_true", help="run what PostgreSQL has proven, too")


def pytest_configure(config: pytest.Config) -> None:
    """Compile the catalogues of messages, as `make` does; with --prove, one process keeps the proof, others watch."""
    compile_catalogues(ROOT)
    if config.getoption("--prove"):
        works = hasattr(config, "workerinput")
        if not works:
            config.pluginmanager.register(Proof())
        if works or not config.getoption("numprocesses", None):
            config.pluginmanager.register(DatabaseAsked())


@pytest.hookimpl(trylast=True)  # after browser tests are marked
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if unneeded := left_out(items, config):
        config.hook.pytest_deselected(items=unneeded)
        kept = {*items} - {*unneeded}
        items[:] = [item for item in items if item in kept]


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Nothing is lost if the suite's databases don't wait for the disk. Sites of tests that kill processes do wait."""
    options = connection.settings_dict["OPTIONS"]
    if connection.vendor == "sqlite":
        options["init_command"] = options["init_command"].replace("synchronous=FULL", "synchronous=OFF")
    else:
        options["options"] = "-c synchronous_commit=off"
    connection.close()


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
        for cache in settings.CACHES.values():
            cache["LOCATION"] = f"{address}/{own}"
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
def _pages_made() -> None:
    """Tests count the statements of a page that is made; those of kept pages ask for `kept_pages`."""
    settings.KEPT_PAGES = False


@pytest.fixture
def kept_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are kept, as on a site."""
    monkeypatch.setattr(settings, "KEPT_PAGES", True)


@pytest.fixture(scope="session", autouse=True)
def _plain_http() -> None:
    """Test clients and live servers speak HTTP, and log in with no second factor, whatever the profile asks."""
    settings.SECURE_SSL_REDIRECT = False
    settings.ADMIN_MFA = False
