"""The outbox: what failed too often is tried again, what runs is left alone."""

import datetime as dt

import pytest
from django.urls import reverse
from django.utils import timezone

from ranking.models import Event, OutboxEntry
from tests.support.factories import make_mode, record

LIST = reverse("admin:ranking_outboxentry_changelist")
MINUTE = dt.timedelta(minutes=1)


@pytest.fixture
def entries(db, settings) -> dict[str, OutboxEntry]:
    settings.OUTBOX_CONSUMERS = {}
    make_mode()
    now = timezone.now()
    states = {
        "parked": {"parked_at": now, "attempts": 8, "last_error": "OSError: full", "due_at": now},
        "overdue": {"due_at": now - 11 * MINUTE},
        "waiting": {"due_at": now + MINUTE, "attempts": 2},
        "running": {"due_at": now, "claimed_until": now + MINUTE, "attempts": 1},
    }
    made = {}
    for number, (consumer, state) in enumerate(states.items()):
        record([f"a{number}"], ["b"])
        made[consumer] = OutboxEntry.objects.create(consumer=consumer, event=Event.objects.latest("pk"), **state)
    return made


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["running", "waiting", "overdue", "parked"]),
        ({"state": "parked"}, ["parked"]),
        ({"state": "overdue"}, ["overdue"]),
    ],
)
def test_filters(boss, entries, query, expected):
    rows = boss.get(LIST, query).context["cl"].result_list
    assert [row.consumer for row in rows] == expected


def test_the_error_is_readable(boss, entries):
    assert "OSError: full" in boss.get(LIST).text
    assert "OSError: full" in boss.get(f"{LIST}{entries['parked'].pk}/change/").text


def test_trying_again_clears_parking_and_attempts(boss, entries):
    rows = [entry.pk for entry in entries.values()]
    done = boss.post(LIST, {"action": "again", "index": 0, "_selected_action": rows}, follow=True)
    assert "3 entries are due" in done.text
    states = {entry.consumer: (entry.parked_at, entry.attempts) for entry in OutboxEntry.objects.all()}
    assert states == {"parked": (None, 0), "overdue": (None, 0), "waiting": (None, 0), "running": (None, 1)}
    assert OutboxEntry.objects.get(consumer="parked").due_at <= timezone.now()


def test_what_runs_is_left_alone(boss, entries):
    row = {"action": "again", "index": 0, "_selected_action": [entries["running"].pk]}
    assert "is running" in boss.post(LIST, row, follow=True).text
