"""What /metrics says of requests, jobs, queues, lobbies, servers, webhooks and the machine, and what it costs."""

import datetime as dt
import functools
import os
import subprocess
import sys

import pytest
from django.conf import settings as site_settings
from django.contrib.sessions.models import Session
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from config import VERSION
from config.celery import app
from config.observability.metrics import gauges
from leaderboards.models import Delivery, Webhook
from leaderboards.webhooks.queueing import queue_test
from matchmaking.models import Queue, Server
from matchmaking.queues.queueing import Wish, queue_player
from matchmaking.server_failures import note_failed_start, note_start
from matchmaking.servers import register_server
from matchmaking.tasks import tick_queues
from ranking.models import Mode, Player, Rerating, Season, Snapshot
from ranking.standings.publishing import publish
from tests.support.caches import forget_notes
from tests.support.factories import make_mode, make_source, record
from tests.support.paths import ROOT
from tests.support.scrapes import scrape

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _token(settings):
    settings.METRICS_ALLOW = ["127.0.0.1"]
    forget_notes()


def grown(client, act, name, **labels):
    """By how much an act lets a counter grow."""
    before = scrape(client).get(name, **labels) or 0.0
    act()
    return (scrape(client).get(name, **labels) or 0.0) - before


def test_requests_are_counted_by_the_name_of_their_route(client):
    make_mode()
    requests = [
        ("get", "/", "leaderboards:home", "GET", "200"),
        ("get", "/boards/duel/", "leaderboards:board", "GET", "200"),
        ("get", "/boards/no-such-mode/", "leaderboards:board", "GET", "404"),
        ("get", "/no-such-page/17/", "none", "GET", "404"),
        ("get", "/static/no-such-file.css", "static", "GET", "404"),
        ("post", "/api/v1/matches/", "api:matches", "POST", "401"),
    ]
    given = {}
    for method, path, route, counted, status in requests:
        labels = {"route": route, "method": counted, "status": status}
        ask = functools.partial(getattr(client, method), path)
        given[path] = grown(client, ask, "rungs_http_requests_total", **labels)
    assert given == {path: 1 for _, path, *_ in requests}


def test_the_operators_own_requests_are_one_route(client):
    labels = {"route": "operators", "method": "GET", "status": "200"}
    act = lambda: [client.get(path) for path in ("/health/live", "/api/v1/health/live")]  # noqa: E731
    assert grown(client, act, "rungs_http_requests_total", **labels) == 3  # with the first of the two scrapes


def test_an_unknown_method_makes_no_series(client):
    labels = {"route": "none", "method": "other", "status": "404"}
    act = lambda: [client.generic(method, "/nowhere/") for method in ("BREW", "WHEN")]  # noqa: E731
    assert grown(client, act, "rungs_http_requests_total", **labels) == 2


def test_requests_are_timed(client):
    labels = {"route": "none", "status": "4xx"}
    assert grown(client, lambda: client.get("/nowhere/"), "rungs_http_seconds_count", **labels) == 1
    assert 0 < grown(client, lambda: client.get("/nowhere/"), "rungs_http_seconds_sum", **labels) < 5


def test_queues_tickets_and_ticks(client):
    mode = make_mode()
    queue = Queue.objects.create(mode=mode, team_size=1, accept_seconds=600)
    now = timezone.now()
    record(["a"], ["b"])
    players = Player.objects.in_bulk(["a", "b"], field_name="key")
    queue_player(players["a"], queue, wish=Wish(width=100), now=now - dt.timedelta(seconds=90))
    said = scrape(client)
    assert (
        said.get("rungs_queue_waiting_players", mode="duel"),
        said.get("rungs_queue_waiting_tickets", mode="duel"),
    ) == (1, 1)
    assert 90 <= said.get("rungs_queue_oldest_wait_seconds", mode="duel") < 120
    assert said.get("rungs_queue_tick_age_seconds", mode="duel") is None
    assert said.get("rungs_queue_players_needing_servers") == 0
    Queue.objects.update(servers=Queue.REQUIRED)
    assert scrape(client).get("rungs_queue_players_needing_servers") == 1
    Queue.objects.update(servers=Queue.AUTO)
    queue_player(players["b"], queue, wish=Wish(width=100), now=now)
    assert grown(client, tick_queues, "rungs_queue_matches_formed_total", mode="duel") == 1
    said = scrape(client)
    assert said.get("rungs_queue_waiting_players", mode="duel") == 0
    assert said.get("rungs_queue_tick_age_seconds", mode="duel") < 30
    states = {state: said.get("rungs_lobbies", mode="duel", state=state) for state in ("accepting", "ready", "live")}
    assert states == {"accepting": 1, "ready": 0, "live": 0}


def test_servers_and_their_places(client):
    mode, now = make_mode(), timezone.now()
    for name, region, capacity, heard in (("one", "eu", 4, now), ("two", "eu", 2, now),
                                          ("gone", "eu", 8, now - dt.timedelta(minutes=5)),
                                          ("old", "us", 8, now - dt.timedelta(days=2))):  # fmt: skip
        register_server(make_source("servers"), name=name, region=region, address="x", capacity=capacity,
                        modes=[mode], now=heard)  # fmt: skip
    Server.objects.filter(name="two").update(busy=1)
    said = scrape(client)
    rows = {state: said.get("rungs_server_places", region="eu", state=state) for state in ("free", "busy")}
    assert rows == {"free": 5, "busy": 1}
    rows = {state: said.get("rungs_servers", region="eu", state=state) for state in ("online", "silent")}
    assert rows == {"online": 2, "silent": 1}
    assert said.get("rungs_servers", region="us", state="silent") is None


def test_servers_whose_starts_fail_have_a_gauge_and_no_free_place(client):
    mode, now = make_mode(), timezone.now()
    for name in ("well", "bad"):
        register_server(make_source("servers"), name=name, region="eu", address="x", capacity=2, modes=[mode], now=now)
    Queue.objects.create(mode=mode, team_size=1)
    bad = Server.objects.get(name="bad")
    for hours in (5, 4, 3, 2, 0):  # after each rest
        note_failed_start(bad.pk, now - dt.timedelta(hours=hours))
    said = scrape(client)
    assert said.labels_of("rungs_server_failed_starts") == [{"server": "servers · bad"}]
    assert said.get("rungs_server_failed_starts", server="servers · bad") == 5
    assert said.get("rungs_queue_free_places", mode="duel", region="eu") == 2
    assert said.get("rungs_server_places", region="eu", state="free") == 2
    note_start(bad.pk)
    assert scrape(client).labels_of("rungs_server_failed_starts") == []


def free_places(client):
    said = scrape(client)
    return {
        (row["mode"], row["region"]): said.get("rungs_queue_free_places", **row)
        for row in said.labels_of("rungs_queue_free_places")
    }


def test_places_that_are_free_for_a_queue(client):
    """By region, with the places that are good for all regions; if a queue requires servers and has none, none."""
    duel, race, now = make_mode(), make_mode("race"), timezone.now()
    for mode in (duel, race):
        Queue.objects.create(mode=mode, team_size=1, accept_seconds=600)
    queues = Queue.objects.filter(mode=race)
    source, silent = make_source("servers"), now - dt.timedelta(minutes=5)

    def add(name, region, capacity, modes, heard=now):
        register_server(source, name=name, region=region, address="x", capacity=capacity, modes=modes, now=heard)

    assert free_places(client) == {}
    queues.update(servers=Queue.REQUIRED)
    assert free_places(client) == {("race", ""): 0}
    add("one", "eu", 4, [duel, race])
    add("two", "us", 2, [duel])
    add("gone", "asia", 2, [duel], silent)
    Server.objects.filter(name="one").update(busy=1)
    of_duel = {("duel", "eu"): 3, ("duel", "us"): 2, ("duel", "asia"): 0}
    assert free_places(client) == {**of_duel, ("race", "eu"): 3}
    add("anywhere", "", 5, [race])
    assert free_places(client) == {**of_duel, ("race", "eu"): 8}
    queues.update(servers=Queue.NONE)
    assert free_places(client) == of_duel


def test_an_auto_queue_whose_servers_have_all_been_silent_for_long_needs_none(client):
    queue = Queue.objects.create(mode=make_mode(), team_size=1, accept_seconds=600, server_memory=600)
    for minutes, places in ((9, {("duel", "eu"): 0}), (11, {})):
        heard = timezone.now() - dt.timedelta(minutes=minutes)
        Server.objects.all().delete()
        register_server(make_source(f"servers-{minutes}"), region="eu", address="x", capacity=1, modes=[queue.mode],
                        now=heard)  # fmt: skip
        assert free_places(client) == places


def test_counters_of_failures_begin_at_zero(client):
    """A counter that begins at one has not increased, so no alert would notice the first failure."""
    scrape(client)
    said = scrape(client)
    for name in app.conf.beat_schedule:
        assert said.get("rungs_job_failures_total", task=name) is not None
        assert said.get("rungs_heartbeat_failures_total", task=name) is not None
        assert said.get("rungs_job_messages_dropped_total", task=name) is not None


def test_the_backlog_of_webhooks(client):
    now = timezone.now()
    hook = Webhook.objects.create(name="hook", kind=Webhook.GAME, url="https://example.org", created_at=now)
    first = queue_test(hook, now)
    Delivery.objects.filter(pk=first.pk).update(due_at=now - dt.timedelta(minutes=10))
    said = scrape(client)
    assert (said.get("rungs_webhook_backlog"), said.get("rungs_webhook_parked")) == (1, 0)
    assert 600 <= said.get("rungs_webhook_oldest_seconds") < 630
    Delivery.objects.update(parked_at=now)
    said = scrape(client)
    assert [said.get(f"rungs_webhook_{name}") for name in ("backlog", "parked", "oldest_seconds")] == [0, 1, 0]


def test_the_age_of_a_board_is_that_of_its_newest_publication(client):
    mode = make_mode()
    assert scrape(client).get("rungs_board_age_seconds", mode="duel") is None
    publish(mode, now=timezone.now())
    assert scrape(client).get("rungs_board_age_seconds", mode="duel") < 30
    Snapshot.objects.update(taken_at=timezone.now() - dt.timedelta(hours=1))
    assert 3_600 <= scrape(client).get("rungs_board_age_seconds", mode="duel") < 3_630


def unrated(client):
    said = scrape(client)
    return said.get("rungs_unrated_matches"), said.get("rungs_unrated_oldest_seconds") >= 3_600


def test_results_that_are_not_rated_yet(client):
    """Those of the next season wait as they should while late results of this one may come."""
    mode, now = make_mode(), timezone.now()
    long_ago, hour = now - dt.timedelta(hours=2), dt.timedelta(hours=1)
    Season.objects.update(ends_at=long_ago)
    record(["a"], ["b"], ended_at=long_ago, now=long_ago)
    assert unrated(client) == (1, True)  # nothing has let the season close
    Season.objects.update(state=Season.CLOSING, late_until=now + hour)
    assert unrated(client) == (0, False)
    Season.objects.update(late_until=now - hour)
    assert unrated(client) == (1, True)  # nothing has ended it
    lease = Rerating.objects.create(mode=mode, kind=Rerating.SEASON_END, state=Rerating.RUNNING, reason="x",
                                    requested_at=now, started_at=now, worker="w", claimed_until=now + hour)  # fmt: skip
    Mode.objects.update(lease=lease)
    assert unrated(client) == (1, False)


def test_the_program_and_its_readiness(client):
    said = scrape(client)
    assert said.labels_of("rungs_info")[0]["version"] == VERSION
    assert {row["check"]: said.get("rungs_ready", **row) for row in said.labels_of("rungs_ready")} == dict.fromkeys(
        ["database", "writes", "migrations", "cache", *(["broker"] if site_settings.SCALED else [])], 1.0
    )


def test_every_job_of_the_schedule_says_when_it_counts_as_late(client):
    said = scrape(client)
    for name, entry in app.conf.beat_schedule.items():
        queue = entry["options"]["queue"]
        assert said.get("rungs_job_last_success_timestamp_seconds", task=name, queue=queue) == 0
        assert said.get("rungs_job_interval_seconds", task=name) == entry["schedule"]
    assert said.get("rungs_job_late_after_seconds", task="tick-queues") == 604
    assert said.get("rungs_job_late_after_seconds", task="rerate-modes") == 86_010


def test_a_scrape_costs_so_many_queries(client, django_assert_num_queries):
    make_mode()
    client.get("/metrics")
    with django_assert_num_queries(19):
        client.get("/metrics")


def test_a_long_backlog_is_counted_up_to_a_bound(client, monkeypatch):
    monkeypatch.setattr(gauges, "MOST_COUNTED", 2)
    sessions = [Session(session_key=str(n), session_data="", expire_date=timezone.now()) for n in range(3)]
    Session.objects.bulk_create(sessions)
    assert gauges.count_some(Session.objects.all()) == 2


@pytest.mark.parametrize("error", [OperationalError("no such table"), InterfaceError("connection already closed")])
def test_metrics_of_a_subject_that_cannot_be_read(client, monkeypatch, error):
    from config.observability.metrics import view

    def fail():
        raise error

    monkeypatch.setitem(view.SUBJECTS, "webhooks", fail)
    said = scrape(client)
    assert (said.get("rungs_metrics_unread", subject="webhooks"), said.get("rungs_metrics_unread", subject="jobs")) == (
        1,
        0,
    )
    assert said.get("rungs_database_up") == 1
    for subject in view.SUBJECTS:
        monkeypatch.setitem(view.SUBJECTS, subject, fail)
    assert scrape(client).get("rungs_database_up") == 0


def test_the_age_of_the_newest_backup(client, settings, tmp_path):
    settings.BACKUP_DIR = ""
    assert scrape(client).get("rungs_backup_timestamp_seconds") is None
    for folder in (tmp_path / "lost", tmp_path):
        settings.BACKUP_DIR = str(folder)
        assert scrape(client).get("rungs_backup_timestamp_seconds") == 0
    for name in ("rungs-20260520T120000Z.backup", "rungs-20260519T120000Z.backup"):
        (tmp_path / name).write_text("x")
    said = scrape(client)
    assert said.get("rungs_backup_timestamp_seconds") == dt.datetime(2026, 5, 20, 12, tzinfo=dt.UTC).timestamp()
    assert said.get("rungs_backup_interval_seconds") == 3_600 * site_settings.BACKUP_EVERY
    assert {row["folder"] for row in said.labels_of("rungs_disk_free_bytes")} >= {"backups"}


def test_the_age_of_the_newest_copy(client, settings, tmp_path):
    """Read from the timer's folder: whoever is scraped has no key of the storage."""
    settings.BACKUP_DIR, settings.BACKUP_URL = str(tmp_path), ""
    metric, mark = "rungs_backup_copy_timestamp_seconds", tmp_path / ".copies"
    assert scrape(client).get(metric) is None
    settings.BACKUP_URL = "s3://bucket"
    moment = dt.datetime(2026, 5, 20, 12, tzinfo=dt.UTC).timestamp()
    for content, expected in [
        (None, 0), (b"", 0), (b"\xff", 0), (b"rungs-2026.backup", 0), (b"rungs-29990101T000000Z.backup", 0),
        (b"rungs-20260520T120000Z.backup", moment),
        (b"rungs-20260520T120000Z.backup\nrungs-29990101T000000Z.backup", moment),  # made by a clock that was ahead
    ]:  # fmt: skip
        if content is not None:
            mark.write_bytes(content)
        assert (content, scrape(client).get(metric)) == (content, expected)


def test_a_folder_that_cannot_be_looked_at_is_left_out(client, settings, tmp_path):
    """Here its name is too long; elsewhere a share is gone, or a right is missing."""
    settings.BACKUP_DIR, settings.METRICS_DIR = f"/{'x' * 300}", str(tmp_path)
    folders = {row["folder"] for row in scrape(client).labels_of("rungs_disk_free_bytes")}
    assert ("backups" in folders, "metrics" in folders) == (False, True)


def test_a_process_counts_although_the_folder_of_metrics_was_deleted_before_it_began(tmp_path):
    """As systemd does with the folders in memory of a user who logs out."""
    code = (
        "import django, os, shutil; django.setup(); from ranking.operations.metrics import JOB_FAILURES as failures;"
        " failures.labels('x').inc(); shutil.rmtree(os.environ['RUNGS_METRICS_DIR']); process = os.fork();"
        " process or (failures.labels('x').inc(), os._exit(0)); print(os.waitpid(process, 0)[1])"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "RUNGS_METRICS_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout == "0\n", done.stderr
    assert len(list(tmp_path.glob("*/counter_*.db"))) == 1
