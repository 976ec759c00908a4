"""Players report while moderators review, each with a database connection of their own; only PostgreSQL lets them."""

import datetime as dt
import threading
import time

import pytest
from django.db import connection, transaction

from ranking.abuse.complaints import drop_old_complaints, reopen_cases, report_player, review_cases
from ranking.models import Complaint, ComplaintCase, Player
from ranking.moderation.merges import merge_players
from tests.support.concurrency import at_once
from tests.support.factories import NOW, make_mode, record

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer at a time"),
]
WAITS = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"


def wait_for_the_other() -> None:
    """Wait until another connection waits for a lock of this one."""
    with connection.cursor() as cursor:
        for _ in range(200):
            cursor.execute(WAITS)
            if cursor.fetchone() != (0,):
                return
            time.sleep(0.05)
    pytest.fail("Nobody waits.")


def test_a_complaint_that_waits_for_a_review_opens_another_case():
    make_mode()
    match = record(["a", "b"], ["c"]).record.match
    a, b, c = (Player.objects.get(key=key) for key in "abc")
    case = report_player(match, a, c, reason="words", now=NOW).case
    reviewed = threading.Event()

    def review() -> None:
        with transaction.atomic():
            review_cases({case.pk: 1}, uphold=False, by=None, reason="Seen.", now=NOW)
            reviewed.set()
            wait_for_the_other()

    def report() -> None:
        assert reviewed.wait(30)
        report_player(match, b, c, reason="words", now=NOW)

    at_once([report, review])
    cases = ComplaintCase.objects.order_by("pk").values_list("verdict", "complaints_count")
    assert list(cases) == [("dismissed", 1), ("open", 1)]
    assert list(Complaint.objects.order_by("pk").values_list("case__verdict", flat=True)) == ["dismissed", "open"]


def test_a_case_that_is_opened_again_while_old_ones_are_deleted_stays(settings):
    settings.COMPLAINTS_KEPT = 30
    make_mode()
    match = record(["a"], ["b", "c"]).record.match
    a, b, c = (Player.objects.get(key=key) for key in "abc")
    opened, old = (report_player(match, a, player, reason="words", now=NOW).case for player in (b, c))
    review_cases({opened.pk: 1, old.pk: 1}, uphold=True, by=None, reason="Seen.", now=NOW)
    locked = threading.Event()

    def open_again() -> None:
        with transaction.atomic():
            reopen_cases([opened.pk], by=None, reason="Another look.", now=NOW)
            locked.set()
            wait_for_the_other()

    def drop() -> int:
        assert locked.wait(30)
        return drop_old_complaints(NOW + dt.timedelta(days=31))

    assert at_once([open_again, drop]) == [None, 1]
    assert list(ComplaintCase.objects.values_list("player__key", "complaints_count")) == [("b", 1)]


def test_a_review_that_commits_before_a_merge_keeps_its_verdict():
    make_mode()
    matches = [record([f"{key}1"], [key]).record.match for key in "bc"]
    reporters = [Player.objects.get(key=f"{key}1") for key in "bc"]
    b, c = (Player.objects.get(key=key) for key in "bc")
    cases = [
        report_player(match, reporter, player, reason="words", now=NOW).case
        for match, reporter, player in zip(matches, reporters, (b, c), strict=True)
    ]
    reviewed = threading.Event()

    def review() -> None:
        with transaction.atomic():
            review_cases({cases[0].pk: 1}, uphold=True, by=None, reason="Seen.", now=NOW)
            reviewed.set()
            wait_for_the_other()

    def merge() -> None:
        assert reviewed.wait(30)
        merge_players(b, c, by=None, reason="One person.", now=NOW)

    at_once([review, merge])
    rows = ComplaintCase.objects.order_by("pk").values_list("player__key", "verdict", "complaints_count")
    assert list(rows) == [("b", "upheld", 1), ("b", "open", 1)]
