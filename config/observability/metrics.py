"""/metrics: counters of all processes on this machine, and figures from the database, as Prometheus text."""

import hmac
import ipaddress
import time
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Count, Max, Min, Q
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Metric, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from config.errors import error_response
from config.security.addresses import client_address
from ranking.models import Match, OutboxEntry, Snapshot


class _MultiprocessCollector(Collector):
    """Adds up the counters of all processes, from their files; each machine or container has a folder of its own."""

    def collect(self) -> Iterable[Metric]:
        files = [str(file) for file in Path(settings.METRICS_DIR).glob("*/*.db")]
        return MultiProcessCollector.merge(files)  # type: ignore[no-untyped-call,no-any-return]


class _DatabaseCollector(Collector):
    """Queries, at each request, how much work is waiting."""

    def collect(self) -> Iterable[Metric]:
        began = time.perf_counter()
        try:
            yield from _waiting()
        except DatabaseError:
            yield _gauge("rungs_database_up", "1 where the database answers.", 0)
            return
        yield _gauge("rungs_database_up", "1 where the database answers.", 1)
        seconds = time.perf_counter() - began
        yield _gauge("rungs_database_seconds", "Time the database took for these figures.", seconds)


def _waiting() -> Iterable[Metric]:
    outbox = OutboxEntry.objects.aggregate(
        depth=Count("pk", filter=Q(parked_at=None)),
        parked=Count("pk", filter=Q(parked_at__isnull=False)),
        oldest=Min("due_at", filter=Q(parked_at=None)),
    )
    yield _gauge("rungs_outbox_depth", "Outbox entries to be done.", outbox["depth"])
    yield _gauge("rungs_outbox_parked", "Outbox entries given up after too many failures.", outbox["parked"])
    yield _gauge("rungs_outbox_oldest_seconds", "For how long the oldest entry is due.", _age(outbox["oldest"]))
    unrated = Match.objects.filter(event=None).aggregate(count=Count("pk"), oldest=Min("received_at"))
    yield _gauge("rungs_unrated_matches", "Results recorded and not yet rated.", unrated["count"])
    yield _gauge("rungs_unrated_oldest_seconds", "For how long the oldest of them waits.", _age(unrated["oldest"]))
    boards = GaugeMetricFamily("rungs_board_age_seconds", "Time since the board was published.", labels=["mode"])
    for row in Snapshot.objects.values("mode__slug").annotate(newest=Max("taken_at")).order_by("mode__slug"):
        boards.add_metric([row["mode__slug"]], _age(row["newest"]))
    yield boards


def _gauge(name: str, documentation: str, value: float) -> Metric:
    return GaugeMetricFamily(name, documentation, value=value)


def _age(moment: object) -> float:
    return max(0.0, (timezone.now() - moment).total_seconds()) if moment else 0.0  # type: ignore[operator]


def metrics(request: HttpRequest) -> HttpResponse:
    if not may_read(request):
        return error_response(request, 403, "Metrics want the token or an address that the settings name.")
    registry = CollectorRegistry()
    if settings.METRICS_DIR:
        registry.register(_MultiprocessCollector())
    registry.register(_DatabaseCollector())
    text = generate_latest(registry) + (b"" if settings.METRICS_DIR else generate_latest(REGISTRY))
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


def may_read(request: HttpRequest) -> bool:
    """True if the request has RUNGS_METRICS_TOKEN, or comes from RUNGS_METRICS_ALLOW; by default always False."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if settings.METRICS_TOKEN and scheme.lower() == "bearer":
        return hmac.compare_digest(token.strip().encode(), settings.METRICS_TOKEN.encode())
    address = client_address(request)
    return any(address in ipaddress.ip_network(network, strict=False) for network in settings.METRICS_ALLOW)
