"""Runs of jobs: what is counted and noted, by workers and by the embedded jobs process alike; and their heartbeats."""

import datetime as dt
import functools
import threading
import time

import pytest
from celery import signals
from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError, connection
from django.utils import timezone
from prometheus_client import REGISTRY

from config.celery import LONG, NETWORK, app
from config.management.commands.jobs import run_due, schedule_of
from ranking import tasks
from ranking.models import JobRun
from ranking.operations import heartbeats, job_runs
from ranking.operations.jobs import run_each, run_observed
from ranking.rerating.reratings import request_rerating
from tests.support.caches import forget_notes
from tests.support.factories import NOW, make_mode, record
from tests.support.patience import wait_until
from tests.support.refusing_databases import full, read_only
from tests.support.servers import free_port
from tests.support.webhooks import hang_up, receive

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_noted():
    forget_notes()


def counted(name, **labels):
    return REGISTRY.get_sample_value(name, labels) or 0.0


def outcome_of(run):
    """By how much runs and failures of the job `x` grow, and whether its success is noted."""
    before = [counted("rungs_job_seconds_count", task="x"), counted("rungs_job_failures_total", task="x")]
    try:
        run_observed("x", run)
    except Exception as error:
        raised = type(error)
    else:
        raised = None
    after = [counted("rungs_job_seconds_count", task="x"), counted("rungs_job_failures_total", task="x")]
    return (*(int(b - a) for a, b in zip(before, after, strict=True)), JobRun.objects.filter(task="x").exists(), raised)


def fail(error, *_):
    raise error


def fails_for_one():
    return run_each([1, 2], lambda item: fail(ValueError("odd")) if item == 1 else item, "%s failed.")


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (lambda: None, (1, 0, True, None)),
        (lambda: run_each([1, 2], str, "%s failed."), (1, 0, True, None)),
        (fails_for_one, (1, 1, False, None)),
        (functools.partial(fail, ValueError("wrong")), (1, 1, False, ValueError)),
        (functools.partial(fail, SoftTimeLimitExceeded()), (1, 1, False, SoftTimeLimitExceeded)),
    ],
)
def test_a_job_succeeds_if_it_fails_for_nobody(run, expected):
    assert outcome_of(run) == expected


@pytest.mark.django_db(transaction=True)
def test_the_jobs_process_and_workers_run_jobs_alike():
    """Both call the task; the embedded jobs process is asked here."""
    make_mode()
    before = counted("rungs_job_seconds_count", task="publish-standings")
    tasks.publish_standings()
    assert JobRun.objects.filter(task="publish-standings").exists()
    app.loader.import_default_modules()
    others = {queue: Named() for queue in (LONG, NETWORK)}
    run_due(dict.fromkeys(("publish-standings",), NOW), NOW + dt.timedelta(hours=1), others)
    assert counted("rungs_job_seconds_count", task="publish-standings") == before + 2
    assert {queue: other.names for queue, other in others.items()} == {
        LONG: [
            "count-achievements", "report-abuse", "find-doubled-matches", "drop-old-records", "drop-old",
            "drop-old-tickets",
        ],
        NETWORK: [],
    }  # fmt: skip
    idle = {"tick-queues", "sweep-lobbies", "rerate-modes", "continue-fits", "deliver-webhooks"}
    assert idle < set(JobRun.objects.values_list("task", flat=True))


class Named:
    """What a process of another queue is told to run; it hasn't ended anything yet."""

    def __init__(self, lost=None):
        self.names, self.lost = [], lost or {}

    def look_after(self):
        return self.lost

    def has(self, name):
        return name in self.names

    def run(self, name):
        self.names.append(name)


@pytest.mark.django_db(transaction=True)
def test_a_job_that_still_runs_elsewhere_stays_due():
    mode = make_mode()
    record(["me"], ["other"])
    request_rerating(mode, reason="test", now=NOW)
    app.loader.import_default_modules()
    busy, last_run = Named(), dict.fromkeys(app.conf.beat_schedule, timezone.now())
    last_run["rerate-modes"] = NOW
    run_due(last_run, timezone.now(), {LONG: busy, NETWORK: Named()})
    named_at, last_run["rerate-modes"] = last_run["rerate-modes"], NOW
    assert (busy.names, named_at > NOW) == (["rerate-modes"], True)
    assert run_due(last_run, timezone.now(), {LONG: busy, NETWORK: Named()}) == 0.2
    assert (busy.names, last_run["rerate-modes"]) == (["rerate-modes"], NOW)


@pytest.mark.django_db(transaction=True)
def test_daily_jobs_that_were_lost_with_their_process_run_again_soon():
    """The one that ran waits for a while, the other one doesn't."""
    app.loader.import_default_modules()
    last_run, now = dict.fromkeys(app.conf.beat_schedule, timezone.now()), timezone.now()
    long = Named({"report-abuse": 300.0, "drop-old-tickets": 0.0})
    run_due(last_run, now, {LONG: long, NETWORK: Named()})
    assert (long.names, last_run["drop-old-tickets"]) == (["drop-old-tickets"], now)
    assert 299 < schedule_of(app.conf.beat_schedule["report-abuse"]).is_due(last_run["report-abuse"]).next <= 300


def test_a_dropped_message_is_counted_and_logged_once_a_minute(caplog):
    caplog.set_level("INFO")
    before = counted("rungs_job_messages_dropped_total", task="tick-queues")
    request = type("Request", (), {"task": "matchmaking.tick_queues"})()
    signals.task_revoked.send(sender=None, request=request, expired=True, terminated=False, signum=None)
    signals.task_revoked.send(sender=None, request=request, expired=True, terminated=False, signum=None)
    assert counted("rungs_job_messages_dropped_total", task="tick-queues") == before + 2
    assert caplog.text.count("A message of the job tick-queues was dropped") == 1


def test_a_success_is_noted_every_fifteen_seconds_at_most(django_assert_num_queries, monkeypatch):
    assert job_runs.NOTE_EVERY == 15
    monkeypatch.setattr(job_runs, "NOTE_EVERY", 3_600)  # which no machine takes for three jobs that do nothing
    with django_assert_num_queries(1):
        run_observed("x", lambda: None)
    noted = JobRun.objects.get(task="x").succeeded_at
    with django_assert_num_queries(0):
        run_observed("x", lambda: None)
    monkeypatch.setitem(job_runs._noted, "x", time.monotonic() - job_runs.NOTE_EVERY)
    with django_assert_num_queries(1):
        run_observed("x", lambda: None)
    assert JobRun.objects.get(task="x").succeeded_at > noted


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="A full disk is told to SQLite alone.")
def test_a_database_that_refuses_the_note_fails_no_job(caplog):
    with full():
        run_observed("x" * 100_000, lambda: None)
    assert "The success of xx" in caplog.text
    assert not JobRun.objects.exists()
    run_observed("x", lambda: None)
    assert JobRun.objects.get().task == "x"


@pytest.mark.django_db(transaction=True)
def test_jobs_wait_without_a_word_while_the_database_takes_no_writes(caplog):
    """As during a move."""
    before = counted("rungs_job_failures_total", task="x"), counted("rungs_database_errors_total", during="job")

    def write(*_):
        JobRun.objects.create(task="y", succeeded_at=NOW)

    with read_only():
        for work in (write, lambda: run_each([1, 2], write, "%s failed."), lambda: None):
            run_observed("x", work)
    after = counted("rungs_job_failures_total", task="x"), counted("rungs_database_errors_total", during="job")
    assert (after, caplog.text, JobRun.objects.count()) == (before, "", 0)
    run_observed("x", write)
    assert {row.task for row in JobRun.objects.all()} == {"x", "y"}


def test_a_refusal_of_the_database_is_counted():
    before = counted("rungs_database_errors_total", during="job")
    outcome_of(functools.partial(fail, OperationalError("disk full")))
    outcome_of(functools.partial(fail, ValueError("wrong")))
    assert counted("rungs_database_errors_total", during="job") == before + 1


@pytest.fixture
def receiver(settings, monkeypatch):
    monkeypatch.setattr(heartbeats, "TIMEOUT", 600)  # an answer that a busy machine gives late is one
    with receive() as listening:
        settings.HEARTBEAT_URL = f"http://127.0.0.1:{listening.port}/{{job}}"
        settings.HEARTBEATS = {}
        yield listening


def heartbeat_threads():
    return {thread for thread in threading.enumerate() if thread.name.startswith("heartbeat-")}


def run(task, *, take=0.0):
    """Run a job that is noted, whenever it was noted last."""
    forget_notes()
    run_observed(task, lambda: time.sleep(take))
    assert wait_until(lambda: not heartbeat_threads())


def test_a_success_sends_the_jobs_heartbeat_and_a_failure_doesnt(receiver):
    run("end-seasons")
    outcome_of(fails_for_one)
    assert [(request.path, request.headers["user-agent"]) for request in receiver.requests] == [
        ("/end-seasons", "Rungs")
    ]


def test_heartbeats_are_a_minute_apart_whichever_process_sends_them(receiver, monkeypatch):
    assert heartbeats.EVERY.total_seconds() == 55
    monkeypatch.setattr(heartbeats, "EVERY", dt.timedelta(hours=55))
    for back in (0, 10, 50):
        JobRun.objects.update(heartbeat_at=timezone.now() - dt.timedelta(hours=back))
        run("end-seasons")
    assert len(receiver.requests) == 1
    JobRun.objects.update(heartbeat_at=timezone.now() - heartbeats.EVERY)
    run("end-seasons")
    assert len(receiver.requests) == 2


def test_a_job_may_have_an_address_of_its_own_or_none(receiver, settings):
    settings.HEARTBEATS = {"end-seasons": f"http://127.0.0.1:{receiver.port}/own", "sweep-outbox": ""}
    for task in ("end-seasons", "sweep-outbox", "drop-old"):
        run(task)
    assert [request.path for request in receiver.requests] == ["/own", "/drop-old"]


def test_without_an_address_no_heartbeat_costs_anything(settings, django_assert_num_queries):
    settings.HEARTBEAT_URL, settings.HEARTBEATS = "", {}
    with django_assert_num_queries(1):
        run_observed("x", lambda: None)


def test_a_heartbeat_that_fails_is_tried_again(receiver, monkeypatch):
    monkeypatch.setattr(heartbeats, "_PAUSE", 0.01)
    receiver.answers = [500, hang_up]
    run("end-seasons")
    assert len(receiver.requests) == 3


def test_a_heartbeat_that_reaches_nobody_is_counted_and_keeps_its_address_secret(settings, monkeypatch, caplog):
    monkeypatch.setattr(heartbeats, "_PAUSE", 0.01)
    settings.HEARTBEAT_URL, settings.HEARTBEATS = f"http://127.0.0.1:{free_port()}/secret/{{job}}", {}
    before = counted("rungs_heartbeat_failures_total", task="x")
    run("x")
    assert counted("rungs_heartbeat_failures_total", task="x") == before + 1
    assert ("The heartbeat of x " in caplog.text, "secret" in caplog.text) == (True, False)


def test_a_job_waits_for_a_tenth_of_its_time(receiver, monkeypatch):
    """Then the job ends, though the address hasn't answered yet."""
    monkeypatch.setattr(heartbeats, "_TRIES", 1)
    may_answer = threading.Event()
    receiver.answers = [lambda request: (may_answer.wait(600), hang_up(request))] * 2
    for take in (0.0, 0.3):
        JobRun.objects.all().delete()
        forget_notes()
        before, began = heartbeat_threads(), time.monotonic()
        run_observed("x", functools.partial(time.sleep, take))
        assert time.monotonic() - began >= 1.09 * take
        assert len(heartbeat_threads() - before) == 1
    may_answer.set()
    assert wait_until(lambda: not heartbeat_threads())
