"""Gauges of the jobs: when each succeeded last, on whatever machine, how often it is due, and when it is late."""

import functools
from collections.abc import Iterable, Mapping

from django.conf import settings
from prometheus_client import Metric

from config.celery import app
from config.observability.metrics.gauges import labelled_gauge
from ranking.models import JobRun
from ranking.operations.metrics import HEARTBEAT_FAILURES, JOB_DROPPED, JOB_FAILURES


def read_gauges() -> Iterable[Metric]:
    """One query, of a row for each job. Counters of failures begin at 0: from nothing to 1 is no increase."""
    succeeded = dict(JobRun.objects.values_list("task", "succeeded_at"))
    schedule, limits = app.conf.beat_schedule, _time_limits()
    for name in schedule:
        JOB_FAILURES.labels(name)
        HEARTBEAT_FAILURES.labels(name)
        JOB_DROPPED.labels(name)
    yield labelled_gauge(
        "rungs_job_last_success_timestamp_seconds", "When a job succeeded last, as a Unix time; 0 if it never has.",
        ["task", "queue"],
        (
            ([name, entry["options"]["queue"]], succeeded[name].timestamp() if name in succeeded else 0)
            for name, entry in schedule.items()
        ),
    )  # fmt: skip
    yield labelled_gauge(
        "rungs_job_interval_seconds", "How often beat starts a job.", ["task"],
        (([name], entry["schedule"]) for name, entry in schedule.items()),
    )  # fmt: skip
    yield labelled_gauge(
        "rungs_job_late_after_seconds", "Time after its last success when a job is late.", ["task"],
        (([name], 2 * entry["schedule"] + limits[name]) for name, entry in schedule.items()),
    )  # fmt: skip


@functools.cache
def _time_limits() -> Mapping[str, float]:
    """Seconds that each job may take."""
    app.loader.import_default_modules()
    tasks = {name: app.tasks[entry["task"]] for name, entry in app.conf.beat_schedule.items()}
    return {name: float(task.soft_time_limit or settings.CELERY_TASK_SOFT_TIME_LIMIT) for name, task in tasks.items()}
