"""Matches and forfeits are voided and restored together: all or none, each once, and each mode is rated anew."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ranking.matches.forfeits import record_forfeit
from ranking.models import AuditEntry, Forfeit, Match, Mode, Player, Rerating, Void
from ranking.moderation.voids import restore, void
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db
LATER = NOW + dt.timedelta(hours=1)


@pytest.fixture
def facts() -> list[Match | Forfeit]:
    """Two matches and a forfeit of one mode, and a match of another."""
    mode = make_mode()
    make_mode("ladder")
    first, second = record(["a"], ["b"], id="first").record.match, record(["b"], ["c"], id="second").record.match
    a, b = Player.objects.get(key="a"), Player.objects.get(key="b")
    forfeit = record_forfeit(mode, lobby="L", teams=[[a], [b]], player=b, reason="left", now=NOW)
    return [forfeit, second, record(["a"], ["b"], id="other", mode="ladder").record.match, first]


def waiting() -> dict[str, tuple[int | None, str]]:
    return {row.mode.slug: (row.since, row.reason) for row in Rerating.objects.select_related("mode")}


def test_matches_and_forfeits_together(facts):
    forfeit, second, other, first = facts
    assert void(facts, by=None, reason="Crash.", now=NOW) == [first, second, other, forfeit]
    assert void(facts, by=None, reason="Crash.", now=NOW) == []
    assert waiting() == {
        "duel": (Match.objects.get(pk=first.pk).event_id, "void: 2 matches, 1 forfeit"),
        "ladder": (Match.objects.get(pk=other.pk).event_id, "void: 1 match"),
    }
    assert restore([forfeit, first], by=None, reason="No crash.", now=LATER) == [first, forfeit]
    assert restore([forfeit, first], by=None, reason="No crash.", now=LATER) == []
    assert Void.objects.filter(lifted_at=LATER, lift_reason="No crash.").count() == 2
    assert waiting()["duel"][1] == "void: 2 matches, 1 forfeit; restored: 1 match, 1 forfeit"
    assert list(AuditEntry.objects.order_by("id").values_list("act", "subject")) == [
        ("void", "match first"), ("void", "match second"), ("void", "match other"), ("void", f"forfeit {forfeit.pk}"),
        ("restore", "match first"), ("restore", f"forfeit {forfeit.pk}"),
    ]  # fmt: skip


def follow(matches, now):
    followed.append((list(matches), now))


followed: list[tuple[list[Match], dt.datetime]] = []


def test_followers_are_told_of_matches_that_were_voided_just_now(facts, settings):
    settings.VOID_FOLLOWERS = [f"{__name__}.follow"]
    followed.clear()
    forfeit, second, other, first = facts
    void([first, forfeit], by=None, reason="Crash.", now=NOW)
    void([forfeit], by=None, reason="Crash.", now=NOW)
    void(facts, by=None, reason="Crash.", now=LATER)
    assert followed == [([first], NOW), ([second, other], LATER)]


def test_a_void_ends_after_it_began_whatever_the_clock_says(facts):
    void(facts[:1], by=None, reason="Crash.", now=LATER)
    restore(facts[:1], by=None, reason="No crash.", now=NOW)
    assert Void.objects.get().lifted_at == LATER


@pytest.mark.parametrize("act", [void, restore])
def test_nothing_happens_without_a_reason(facts, act):
    with pytest.raises(ValueError, match="Say why"):
        act(facts, by=None, reason=" ", now=NOW)
    assert not Void.objects.exists()
    assert not Rerating.objects.exists()


@pytest.mark.parametrize("act", [void, restore])
def test_as_many_queries_for_any_number_of_facts(act):
    make_mode()
    matches = [record(["a"], ["b"]).record.match for _ in range(4)]
    if act is restore:
        void(matches, by=None, reason="Crash.", now=NOW)
    else:
        Rerating.objects.create(mode=Mode.objects.get(), reason="waits", requested_at=NOW)
    counts = []
    for group in (matches[:1], matches[1:]):
        with CaptureQueriesContext(connection) as queries:
            assert len(act(group, by=None, reason="x", now=NOW)) == len(group)
        counts.append(len(queries))
    assert counts[0] == counts[1]
