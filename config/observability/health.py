"""Health checks: is this process alive, is it ready, and if not, what is missing."""

from collections.abc import Callable, Iterable

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache

from config.celery import app
from config.observability.write_check import check_writes
from config.storage.upgrades import TOO_OLD, is_too_old

BROKER_TIMEOUT = 2  # seconds
READY = "ready"

log = structlog.get_logger(__name__)


class NotReady(Exception):
    """A check failed; the message says why."""


def _check_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _check_writes() -> None:
    try:
        check_writes()
    except Exception as error:  # whatever it is, a result can't be written either
        log.warning("not_ready", check="writes", reason=f"{type(error).__name__}: {error}")
        raise NotReady("The database takes no writes: its disk may be full, or it is read-only.") from error


def _check_migrations() -> None:
    if is_too_old(connection):
        raise NotReady(TOO_OLD)
    executor = MigrationExecutor(connection)
    if missing := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise NotReady(f"{len(missing)} migrations are to be applied: manage.py migrate.")


def _check_cache() -> None:
    if check := getattr(cache, "check", None):  # fails if Redis doesn't answer; get and set would use local memory
        check()
    cache.set("health", "ready", timeout=10)
    if cache.get("health") != "ready":
        raise NotReady("The cache doesn't keep what it is given.")


def _check_broker() -> None:
    patience = {"socket_connect_timeout": BROKER_TIMEOUT, "socket_timeout": BROKER_TIMEOUT}
    with app.connection_for_write(transport_options=patience) as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=BROKER_TIMEOUT)


CHECKS: dict[str, Callable[[], None]] = {
    "database": _check_database,
    "writes": _check_writes,
    "migrations": _check_migrations,
    "cache": _check_cache,
    **({"broker": _check_broker} if settings.CELERY_BROKER_URL else {}),
}
_BY_DATABASE = ("writes", "migrations")  # each would wait as long as the check of the database itself


@never_cache
def live(request: HttpRequest) -> HttpResponse:
    """Return 200: this process answers."""
    return JsonResponse({"live": True})


@never_cache
def ready(request: HttpRequest) -> HttpResponse:
    """Return 200, or 503 with the checks that failed. `?only=database,migrations` runs only these checks.

    The site accepts results and shows pages even without cache and broker, so a load balancer should ask only for
    database and migrations.
    """
    only = request.GET.get("only")
    names = [name for name in CHECKS if only is None or name in only.split(",")]
    if not names:
        sentence = f"only={only!r} names no check; there are {', '.join(CHECKS)}."
        return JsonResponse({"ready": False, "detail": sentence}, status=400)
    checks = find_outcomes(names)
    is_ready = all(outcome == READY for outcome in checks.values())
    return JsonResponse({"ready": is_ready, "checks": checks}, status=200 if is_ready else 503)


def find_outcomes(names: Iterable[str]) -> dict[str, str]:
    """Run checks in the order of CHECKS. After that of the database has failed, those that need it aren't tried."""
    outcomes: dict[str, str] = {}
    for name in names:
        gone = name in _BY_DATABASE and outcomes.get("database", READY) != READY
        outcomes[name] = outcomes["database"] if gone else _outcome_of(name)
    return outcomes


def _outcome_of(name: str) -> str:
    """Run a check: "ready", or a sentence. Errors of libraries may name hosts, so they only go to the log."""
    try:
        CHECKS[name]()
    except NotReady as error:
        return str(error)
    except Exception as error:  # after any error, this isn't ready
        log.warning("not_ready", check=name, reason=f"{type(error).__name__}: {error}")
        return "It can't be reached; the log says more."
    return READY
