"""/metrics: counters of all processes on this machine, and gauges that are read at each request, as Prometheus text."""

import hmac
import ipaddress
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import structlog
from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponse
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Metric, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from config.observability.metrics import jobs, ledger, machine, matchmaking, webhooks
from config.observability.metrics.gauges import gauge, labelled_gauge
from config.security.addresses import client_address
from config.serving.errors import error_response

# What is read from the database, by subject.
SUBJECTS: dict[str, Callable[[], Iterable[Metric]]] = {
    "ledger": ledger.read_gauges,
    "matchmaking": matchmaking.read_gauges,
    "webhooks": webhooks.read_gauges,
    "jobs": jobs.read_gauges,
}

log = structlog.get_logger(__name__)


class _MultiprocessCollector(Collector):
    """Adds up the counters of all processes, from their files; each machine or container has a folder of its own."""

    def collect(self) -> Iterable[Metric]:
        files = [str(file) for file in Path(settings.METRICS_DIR).glob("*/*.db")]
        return MultiProcessCollector.merge(files)  # type: ignore[no-untyped-call,no-any-return]


class _GaugeCollector(Collector):
    """Reads the gauges. If one subject can't be read, the others are told all the same.

    If the database doesn't answer, no subject is tried: each would wait for it, and Prometheus doesn't wait that long.
    """

    def collect(self) -> Iterable[Metric]:
        readiness = machine.find_readiness()
        yield from machine.read_gauges(readiness)
        began, failed = time.perf_counter(), dict.fromkeys(SUBJECTS, 0 if readiness["database"] else 1)
        for subject, read in SUBJECTS.items():
            if not readiness["database"]:
                break
            try:
                yield from list(read())
            except Error as error:
                failed[subject] = 1
                log.warning("metrics_unread", subject=subject, reason=f"{type(error).__name__}: {error}")
        seconds = time.perf_counter() - began
        up = not all(failed.values())
        yield gauge("rungs_database_up", "1 if the database answers.", up)
        yield gauge("rungs_database_seconds", "Time the database took for these gauges.", seconds)
        yield labelled_gauge(
            "rungs_metrics_unread", "1 if this subject's gauges couldn't be read.", ["subject"],
            (([subject], value) for subject, value in failed.items()),
        )  # fmt: skip


def metrics(request: HttpRequest) -> HttpResponse:
    if not may_read(request):
        return error_response(request, "forbidden", "Metrics want the token or an address that the settings name.")
    registry = CollectorRegistry()
    if settings.METRICS_DIR:
        registry.register(_MultiprocessCollector())
    registry.register(_GaugeCollector())
    text = generate_latest(registry) + (b"" if settings.METRICS_DIR else generate_latest(REGISTRY))
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


def may_read(request: HttpRequest) -> bool:
    """True if the request has RUNGS_METRICS_TOKEN, or comes from RUNGS_METRICS_ALLOW; by default always False."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if settings.METRICS_TOKEN and scheme.lower() == "bearer":
        return hmac.compare_digest(token.strip().encode(), settings.METRICS_TOKEN.encode())
    address = client_address(request)
    return any(address in ipaddress.ip_network(network, strict=False) for network in settings.METRICS_ALLOW)
