"""Gauges as a scrape makes them: from values that were read just now."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily

MOST_COUNTED = 10_000  # rows; a longer backlog is told as this many, so that a scrape stays quick


def gauge(name: str, documentation: str, value: float) -> Metric:
    return GaugeMetricFamily(name, documentation, value=value)


def labelled_gauge(
    name: str, documentation: str, labels: Iterable[str], samples: Iterable[tuple[Iterable[str], float]]
) -> Metric:
    """A gauge with a sample for each (values of the labels, value)."""
    family = GaugeMetricFamily(name, documentation, labels=list(labels))
    for values, value in samples:
        family.add_metric(list(values), value)
    return family


def count_some(rows: QuerySet[Any]) -> int:
    """Count rows, at most MOST_COUNTED."""
    return rows.order_by()[:MOST_COUNTED].count()


def age(moment: dt.datetime | None) -> float:
    """Seconds since a moment; 0 if there is none, or it is yet to come."""
    return max(0.0, (timezone.now() - moment).total_seconds()) if moment else 0.0
