"""Alike and overlapping matches: the hourly search finds them, and moderators void or dismiss fifty groups at once."""

import datetime as dt
import re

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from ranking import tasks
from ranking.matches.doubles import search_doubles, waiting_sentence
from ranking.models import AuditEntry, DoubledMatch, JobRun, Match, Mode, Rerating, Void
from ranking.moderation.doubles import dismiss_doubles, void_doubles
from ranking.moderation.voids import restore, void
from ranking.rerating.reratings import rerate
from tests.support.factories import NOW, make_mode, make_report, make_source, record_result

pytestmark = pytest.mark.django_db
LIST = reverse("admin:ranking_doubledmatch_changelist")
ACT = {"by": None, "reason": "Sent twice.", "now": NOW}
HOUR = dt.timedelta(hours=1)


@pytest.fixture(autouse=True)
def _duel():
    make_mode()


def play(one, other, *, ended_at=NOW, source="test", now=NOW, seconds=600, **more):
    started_at = ended_at - dt.timedelta(seconds=seconds)
    report = make_report([one], [other], started_at=started_at, ended_at=ended_at, **more)
    return record_result(report, source=make_source(source), now=now).record.match


def group(number, count=2):
    """So many alike matches of one minute."""
    ended_at = NOW - dt.timedelta(minutes=number)
    return [play(f"a{number}", f"b{number}", ended_at=ended_at, source=f"s{n}") for n in range(count)]


def pair(number):
    """Two matches of one player at the same time."""
    ended_at = NOW - dt.timedelta(minutes=number)
    return [play(f"c{number}", f"d{number}", ended_at=ended_at), play(f"c{number}", f"e{number}", ended_at=ended_at)]


def search(now=NOW):
    search_doubles(since=now - HOUR, now=now)


def rows(**wanted):
    return [(row.kind, row.first_id, row.second_id) for row in DoubledMatch.objects.filter(**wanted).order_by("pk")]


def numbers(matches):
    return [match.pk for match in matches]


# --- the search ----------------------------------------------------------------------------------------------


def test_what_the_search_finds_once():
    trio, (one, other) = group(1, 3), pair(2)
    play("x", "y")
    for _ in range(2):
        search()
    assert rows() == [("alike", trio[0].pk, None), ("overlap", one.pk, other.pk)]


def test_matches_received_before_were_searched_then():
    group(1)
    search(NOW + 2 * HOUR)
    assert rows() == []
    play("a1", "b1", ended_at=NOW - dt.timedelta(minutes=1), source="s9", now=NOW + 2 * HOUR)
    search(NOW + 2 * HOUR)
    assert [kind for kind, _, _ in rows()] == ["alike"]


def test_more_than_a_batch():
    first = [play(f"a{n}", f"b{n}", ended_at=NOW - dt.timedelta(seconds=n)) for n in range(130)]
    for n in (0, 129):
        play(f"a{n}", f"b{n}", ended_at=NOW - dt.timedelta(seconds=n), source="other")
    search()
    assert {first for _, first, _ in rows()} == {first[0].pk, first[129].pk}


def test_a_resolved_row_vanishes_and_comes_back_with_a_restored_match():
    (a, b, c), (one, other) = group(1, 3), pair(2)
    search()
    void([b, other], **ACT)
    search()
    assert rows() == [("alike", a.pk, None)]
    void([a], **ACT)
    search()
    assert rows() == []
    later = NOW + dt.timedelta(days=1)
    restore([other], by=None, reason="Mistaken.", now=later)
    restore([b], by=None, reason="Mistaken.", now=later)
    search(later)
    assert sorted(rows()) == [("alike", a.pk, None), ("overlap", one.pk, other.pk)]  # b and c; a, void, gives the name
    assert c.pk in numbers(Match.objects.filter(voids=None))


def test_a_dismissal_stands():
    group(1)
    pair(2)
    search()
    assert len(dismiss_doubles(DoubledMatch.objects.all(), **ACT)) == 2
    play("a1", "b1", ended_at=NOW - dt.timedelta(minutes=1), source="s9")
    search()
    assert (len(rows()), rows(dismissed_at=None)) == (2, [])
    assert dismiss_doubles(DoubledMatch.objects.all(), **ACT) == []
    assert list(AuditEntry.objects.values_list("act", "reason")) == [("dismiss", "Sent twice.")] * 2
    with pytest.raises(ValueError, match="Say why"):
        dismiss_doubles([], by=None, reason=" ", now=NOW)


def test_the_job_searches_what_came_since_the_last_one(time_machine):
    time_machine.move_to(NOW)
    first = group(1)
    tasks.find_doubles()
    assert numbers([DoubledMatch.objects.get().first]) == [first[0].pk]
    DoubledMatch.objects.all().delete()
    JobRun.objects.update_or_create(task="find-doubled-matches", defaults={"succeeded_at": NOW + 2 * HOUR})
    time_machine.move_to(NOW + 3 * HOUR)
    tasks.find_doubles()
    assert rows() == []


def test_how_many_wait():
    assert waiting_sentence() == ""
    group(1)
    search()
    assert waiting_sentence().startswith("1 group of alike matches and 0 pairs of overlapping ones wait")
    dismiss_doubles(DoubledMatch.objects.all(), **ACT)
    assert waiting_sentence() == ""


# --- voiding -------------------------------------------------------------------------------------------------


def test_all_but_the_first_of_each_group_are_voided():
    (a, b, c), (one, other) = group(1, 3), pair(2)
    search()
    void([a], **ACT)
    assert numbers(void_doubles(list(DoubledMatch.objects.all()), **ACT)) == sorted([c.pk, other.pk])
    assert rows() == []
    assert set(Void.objects.values_list("match", flat=True)) == {a.pk, c.pk, other.pk}
    assert b.pk not in set(Void.objects.values_list("match", flat=True))
    assert one.pk not in set(Void.objects.values_list("match", flat=True))


def test_a_match_that_is_voided_anyway_costs_no_other_one():
    """A overlaps B, and B overlaps C: without B, A and C stay."""
    a = play("a", "x", ended_at=NOW)
    b = play("a", "c", ended_at=NOW + dt.timedelta(seconds=300))
    c = play("c", "y", ended_at=NOW + dt.timedelta(seconds=800), now=NOW + HOUR)
    search(NOW + HOUR)
    assert rows() == [("overlap", a.pk, b.pk), ("overlap", b.pk, c.pk)]
    assert numbers(void_doubles(list(DoubledMatch.objects.all()), **ACT)) == [b.pk]


# --- the list ------------------------------------------------------------------------------------------------


def send(client, action, chosen, **more):
    return client.post(LIST, {"action": action, "index": "0", "_selected_action": [row.pk for row in chosen], **more})


def test_fifty_groups_are_voided_together(boss):
    for number in range(25):
        group(number, 3)
        pair(number + 100)
    search()
    chosen = list(boss.get(LIST).context["cl"].result_list)
    assert len(chosen) == 50
    asked = send(boss, "void", chosen)
    assert re.findall(r"In Duel, the (\d+) matches", asked.text) == ["124"]
    assert not Void.objects.exists()
    done = send(boss, "void", chosen, confirmed="yes", reason="The servers sent them twice.")
    assert done.status_code == 302
    assert (Void.objects.count(), DoubledMatch.objects.count()) == (75, 0)
    assert Void.objects.filter(by__username="boss", reason="The servers sent them twice.").count() == 75
    assert Rerating.objects.count() == 1
    rerate(Mode.objects.get())
    assert Match.objects.filter(voids=None).count() == 50
    assert "Nothing had to be done" in boss.post(done.url, {
        "action": "void", "index": "0", "_selected_action": [row.pk for row in chosen], "confirmed": "yes",
        "reason": "Again.",
    }, follow=True).text  # fmt: skip


def test_fifty_groups_are_dismissed_together(boss):
    for number in range(50):
        group(number)
    search()
    chosen = list(boss.get(LIST).context["cl"].result_list)
    assert "for good" in send(boss, "dismiss", chosen).text
    send(boss, "dismiss", chosen, confirmed="yes", reason="Two servers.")
    assert DoubledMatch.objects.filter(dismissed_by__username="boss", reason="Two servers.").count() == 50
    assert list(boss.get(LIST).context["cl"].result_list) == []
    assert len(boss.get(LIST, {"state": "dismissed"}).context["cl"].result_list) == 50
    assert not Void.objects.exists()


# Three are the session, who is logged in and their saved filters; one names the modes of the filter, one reads the
# rows; four read their matches and players, one looks for those alike to them, and one for who played these.
@pytest.mark.parametrize("count", [1, 50])
def test_as_many_queries_for_fifty_groups_as_for_one(boss, count):
    for number in range(count):
        group(number)
        pair(number + 100)
    search()
    boss.get(LIST)
    taken = {}
    for query in ("", "?kind=alike", "?kind=overlap", "?state=all&o=-5"):
        with CaptureQueriesContext(connection) as queries:
            response = boss.get(LIST + query)
        assert response.status_code == 200, query
        taken[query] = len(queries)
    assert taken == {"": 9, "?kind=alike": 9, "?kind=overlap": 7, "?state=all&o=-5": 9}


def test_a_row_tells_which_matches_by_whom(boss):
    a, b = group(1)
    void_me = play("a1", "b1", ended_at=NOW - dt.timedelta(minutes=1), source="s9")
    search()
    void([void_me], **ACT)
    row = DoubledMatch.objects.get()
    for address in (LIST, reverse("admin:ranking_doubledmatch_change", args=[row.pk])):
        page = boss.get(address).text
        for words in (f">{a.pk}</a>", f">{b.pk}</a>", f"{a.external_id} (s0)", "a1, b1", "– void"):
            assert words in page, (address, words)


@pytest.mark.parametrize(
    ("permissions", "voids", "dismissed"),
    [(["view_doubledmatch"], 0, 0), (["view_doubledmatch", "add_void"], 1, 0),
     (["view_doubledmatch", "change_doubledmatch"], 0, 1)],
)  # fmt: skip
def test_who_may(clerk, permissions, voids, dismissed):
    User.objects.get(username="clerk").user_permissions.set(Permission.objects.filter(codename__in=permissions))
    group(1)
    search()
    for action in ("dismiss", "void"):
        send(clerk, action, DoubledMatch.objects.all(), confirmed="yes", reason="x")
    assert (Void.objects.count(), DoubledMatch.objects.exclude(dismissed_at=None).count()) == (voids, dismissed)
