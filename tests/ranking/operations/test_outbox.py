"""The outbox: done at least once, by one at a time, parked after too many failures."""

import datetime as dt
from collections.abc import Sequence

import pytest
from django.conf import settings

from ranking.database import locks
from ranking.matches.recording import record_results
from ranking.models import Event, OutboxEntry
from ranking.operations import outbox
from ranking.tasks import sweep_outbox
from tests.support.concurrency import at_once
from tests.support.factories import NOW, make_mode, make_report, make_source, record

pytestmark = pytest.mark.django_db

done: list[tuple[str, int]] = []


def note(event_ids: Sequence[int], now: dt.datetime) -> None:
    done.extend(("note", event) for event in event_ids)


def fail(event_ids: Sequence[int], now: dt.datetime) -> None:
    raise RuntimeError("no such luck")


@pytest.fixture(autouse=True)
def consumers(settings):
    done.clear()
    settings.OUTBOX_CONSUMERS = {"note": f"{__name__}.note", "fail": f"{__name__}.fail"}
    settings.OUTBOX_MAX_ATTEMPTS = 3


def test_each_rated_match_leaves_a_row_for_each_consumer():
    make_mode()
    record(["a"], ["b"])
    event = Event.objects.get(kind=Event.MATCH)
    rows = OutboxEntry.objects.order_by("consumer").values_list("consumer", "event", "due_at", "attempts")
    assert list(rows) == [("fail", event.pk, NOW, 0), ("note", event.pk, NOW, 0)]


def test_repeats_conflicts_and_refusals_leave_none():
    make_mode()
    reports = [make_report(["a"], ["b"], id="1"), make_report(["b"], ["a"], id="1"), make_report(["a"], ["b"], ["c"])]
    record_results(reports, source=make_source(), now=NOW)
    record_results(reports, source=make_source(), now=NOW)
    assert OutboxEntry.objects.count() == 2


def test_what_is_done_is_gone_and_what_failed_waits_longer_each_time():
    make_mode()
    record(["a"], ["b"])
    assert outbox.sweep(NOW) == 1
    assert len(done) == 1
    waits = []
    moment = NOW
    for _ in range(2):
        entry = OutboxEntry.objects.get()
        waits.append((entry.due_at - moment).total_seconds())
        assert outbox.sweep(moment) == 0  # not due yet
        moment = entry.due_at
        outbox.sweep(moment)
    entry = OutboxEntry.objects.get()
    assert waits == [20, 40]
    assert (entry.attempts, entry.last_error, entry.parked_at) == (3, "RuntimeError: no such luck", moment)
    outbox.sweep(NOW + dt.timedelta(days=1))
    assert OutboxEntry.objects.get().attempts == 3


def test_a_claim_keeps_others_out_until_it_lapses():
    make_mode()
    record(["a"], ["b"])
    OutboxEntry.objects.filter(consumer="fail").delete()
    OutboxEntry.objects.update(claimed_until=NOW + outbox.LEASE)
    assert outbox.sweep(NOW + outbox.LEASE) == 0
    assert outbox.sweep(NOW + outbox.LEASE + dt.timedelta(seconds=1)) == 1


def test_a_sweep_is_bounded_and_takes_the_oldest_first():
    make_mode()
    for number in range(4):
        record(["a"], ["b"], now=NOW - dt.timedelta(minutes=number))
    OutboxEntry.objects.filter(consumer="fail").delete()
    newest_first = list(Event.objects.filter(kind=Event.MATCH).order_by("id").values_list("id", flat=True))
    assert outbox.sweep(NOW, limit=3) == 3
    assert [event for _, event in done] == newest_first[::-1][:3]
    assert OutboxEntry.objects.count() == 1


batches: list[list[int]] = []


def take(event_ids: Sequence[int], now: dt.datetime) -> None:
    batches.append(list(event_ids))
    if poison & set(event_ids):
        raise RuntimeError("one of these")


poison: set[int] = set()


@pytest.fixture
def batched(settings) -> list[int]:
    """Five entries of a consumer that takes batches; their events."""
    batches.clear()
    poison.clear()
    settings.OUTBOX_CONSUMERS = {"take": f"{__name__}.take"}
    make_mode()
    for _ in range(5):
        record(["a"], ["b"])
    return list(OutboxEntry.objects.order_by("id").values_list("event", flat=True))


def test_a_consumer_that_takes_batches_gets_one(batched, django_assert_num_queries):
    with django_assert_num_queries(8):  # claiming: 4; deleting; finding no more: 3
        assert outbox.sweep(NOW) == 5
    assert batches == [batched]
    assert OutboxEntry.objects.count() == 0


def test_one_bad_entry_of_a_batch_fails_alone(batched):
    poison.add(batched[2])
    assert outbox.sweep(NOW) == 4
    assert batches == [batched, *([event] for event in batched)]
    left = OutboxEntry.objects.get()
    assert (left.event_id, left.attempts, left.last_error) == (batched[2], 1, "RuntimeError: one of these")


def test_a_consumer_that_is_not_named_any_more_fails_alone(batched, settings):
    settings.OUTBOX_CONSUMERS = {}
    assert outbox.sweep(NOW) == 0
    assert set(OutboxEntry.objects.values_list("attempts", "last_error")) == {(1, "KeyError: 'take'")}


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(not settings.SCALED, reason="On SQLite one process sweeps.")
def test_one_process_sweeps_at_a_time_so_that_others_are_left_for_ticks():
    make_mode()
    record(["a"], ["b"])
    with locks.claim_sweeping() as claimed:
        assert claimed
        at_once([sweep_outbox])  # by a connection of its own
        assert OutboxEntry.objects.filter(attempts=0).count() == 2
    at_once([sweep_outbox])
    assert not OutboxEntry.objects.filter(attempts=0).exists()
