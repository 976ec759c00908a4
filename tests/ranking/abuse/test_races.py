"""Players report while moderators review, each with a database connection of their own; only PostgreSQL lets them."""

import threading
import time

import pytest
from django.db import connection, transaction

from ranking.abuse.complaints import report_player, review_cases
from ranking.models import Complaint, ComplaintCase, Player
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
