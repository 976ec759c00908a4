"""Doctor: clean where all is well, and a violation for each thing that is broken by hand."""

import datetime as dt
import re

import pytest
from django.db.models import F

from ranking.matches import invariants
from ranking.models import Change, Event, Match, OutboxEntry, Participation, Rating, Snapshot, Void
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record
from tests.support.savepoints import rolled_back
from tests.support.seasons import break_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def played(settings):
    settings.OUTBOX_CONSUMERS = {}
    mode = make_mode()
    for winner, loser in (("a", "b"), ("a", "c"), ("b", "a"), ("c", "a")):
        record([winner], [loser])
    publish(mode, now=NOW)
    return mode


def codes(now: dt.datetime = NOW) -> list[str]:
    return [violation.code for violation in invariants.violations(now)]


def test_nothing_is_found_in_a_sound_ledger(played):
    assert codes() == []


def test_an_empty_database_is_sound(db):
    assert codes() == []


def break_chain() -> None:
    change = Change.objects.filter(player__key="a").order_by("event")[2]
    Change.objects.filter(pk=change.pk).update(mu_before=F("mu_before") + 1e-9)


def break_first() -> None:
    Change.objects.filter(event=Change.objects.earliest("event").event_id).update(display_before=1)


def lose_change() -> None:
    last = Change.objects.latest("pk")
    last.delete()


def lose_match() -> None:
    match = Match.objects.latest("pk")
    Change.objects.filter(match=match).delete()
    Participation.objects.filter(match=match).delete()
    match.delete()


def lift_void() -> None:
    record(["a"], ["b"], no_contest="The map broke.")
    Void.objects.all().delete()


def park() -> None:
    OutboxEntry.objects.create(consumer="x", event=Event.objects.first(), due_at=NOW, parked_at=NOW)


def leave_undone() -> None:
    OutboxEntry.objects.create(consumer="x", event=Event.objects.first(), due_at=NOW - dt.timedelta(hours=1))


def test_each_breakage_is_found(played, subtests):
    for row, (breakage, expected) in enumerate(
        [
            (break_chain, ["ledger.chain"]),
            (break_first, ["ledger.first"]),
            (lambda: Rating.objects.filter(player__key="a").update(mu=1.0), ["rating.state"]),
            (lambda: Rating.objects.filter(player__key="a").update(display_hundredths=1), ["rating.state"]),
            (lambda: Rating.objects.filter(player__key="a").update(wins=F("wins") + 1), ["rating.counts"]),
            (lambda: Rating.objects.filter(player__key="a").update(last_completed_at=None), ["rating.counts"]),
            (lose_change, ["rating.state", "rating.counts", "rating.places", "match.whole"]),
            (lose_match, ["rating.state", "rating.counts", "rating.places", "event.fact"]),
            (lift_void, ["match.uncounted"]),
            (lambda: break_off("duel"), ["mode.in_force"]),
            (lambda: Rating.objects.filter(player__key="a").update(listed=False), ["board.table"]),
            (lambda: Snapshot.objects.all().delete(), ["board.missing"]),
            (park, ["outbox.parked"]),
            (leave_undone, ["outbox.overdue"]),
        ]
    ):
        with subtests.test(row=row, expected=expected), rolled_back():
            breakage()
            assert codes() == expected


def test_a_board_is_old_only_where_something_waits_for_it(played):
    later = NOW + dt.timedelta(hours=1)
    assert codes(later) == []
    record(["a"], ["b"], now=NOW)
    assert codes(later) == ["board.old"]


def test_a_violation_names_examples_and_a_cure(played):
    Rating.objects.update(mu=1.0)
    (violation,) = invariants.violations(NOW)
    examples = {int(number) for number in re.findall(r"\brating (\d+)", violation.sentence)}
    assert examples
    assert examples <= set(Rating.objects.values_list("pk", flat=True))
    assert (violation.code, bool(violation.cure)) == ("rating.state", True)
