"""Metrics of the ledger and of jobs: results by outcome, the time that rating and publishing take, runs of jobs.

If PROMETHEUS_MULTIPROC_DIR is set, each process counts in files there, and `/metrics` adds them up.
"""

from collections.abc import Sequence

import structlog
from prometheus_client import Counter, Histogram

RESULTS = Counter("rungs_results", "Results that arrived, by what became of them.", ["outcome"])
RATING = Histogram(
    "rungs_rating_seconds", "Time to record and rate a transaction's results.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)  # fmt: skip
PUBLISHING = Histogram(
    "rungs_publish_seconds", "Time to publish a mode's board.",
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)  # fmt: skip
# Jobs are labelled `task`, because Prometheus itself gives each series a label `job`.
JOB_SECONDS = Histogram(
    "rungs_job_seconds", "Time that a run of a job takes.", ["task"], buckets=(0.01, 0.1, 1, 10, 60, 600, 3_600),
)  # fmt: skip
JOB_FAILURES = Counter("rungs_job_failures", "Runs of a job that failed, or failed for some mode or queue.", ["task"])
JOB_DROPPED = Counter("rungs_job_messages_dropped", "Messages that no worker took until the next was due.", ["task"])
ITEM_FAILURES = Counter(
    "rungs_job_item_failures", "Modes, queues and the like for which a step of a job failed; the log says why.",
    ["step"],
)  # fmt: skip
HEARTBEAT_FAILURES = Counter("rungs_heartbeat_failures", "Heartbeats that reached nobody.", ["task"])


def count_results(ids: Sequence[str], outcomes: Sequence[str]) -> None:
    """Count the outcomes, and add the match to every later log line of this request."""
    for outcome in outcomes:
        RESULTS.labels(outcome).inc()
    context = {"match_id": ids[0]} if len(ids) == 1 else {"matches": len(ids)}
    structlog.contextvars.bind_contextvars(**context)
