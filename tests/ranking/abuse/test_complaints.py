"""Players report each other: who may, how often, and what becomes of it when it is reviewed, merged or erased."""

import datetime as dt

import pytest
from django.db import connection

from ranking.abuse.complaints import (
    MayNotReport,
    drop_old_complaints,
    find_reportable,
    reopen_cases,
    report_player,
    review_cases,
)
from ranking.models import AuditEntry, Complaint, ComplaintCase, Match, Player
from ranking.moderation.merges import merge_players
from ranking.moderation.splits import split_players
from ranking.players.anonymising import anonymise_player
from tests.support.factories import NOW, make_mode, record
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def match(db) -> Match:
    make_mode()
    return record(["a", "b"], ["c", "d"]).record.match


def player(key: str) -> Player:
    return Player.objects.get(key=key)


def report(match: Match, reporter: str, reported: str, reason: str = "words", **given) -> Complaint:
    return report_player(match, player(reporter), player(reported), **{"reason": reason, "now": NOW, **given})


def cases() -> list[tuple[str, int, str]]:
    rows = ComplaintCase.objects.order_by("player__key", "pk")
    return list(rows.values_list("player__key", "complaints_count", "verdict"))


def complaints() -> list[tuple[str, str, str]]:
    rows = Complaint.objects.order_by("pk")
    return list(rows.values_list("reporter__key", "reported__key", "case__player__key"))


def test_complaints_about_a_player_are_one_case(match):
    report(match, "a", "c", text=" Swore at b. ")
    report(match, "b", "c", "cheating", now=NOW + DAY)
    report(match, "c", "a")
    assert cases() == [("a", 1, "open"), ("c", 2, "open")]
    assert ComplaintCase.objects.get(player__key="c").newest_at == NOW + DAY
    assert Complaint.objects.earliest("pk").text == "Swore at b."
    assert [row.key for row in find_reportable(match, player("a"))] == ["b", "d"]
    assert find_reportable(match, Player(pk=0)) == []


def test_who_may_not(match, subtests):
    record(["e"], ["f"])
    report(match, "a", "c")
    rows = {key: player(key) for key in "abcdef"}
    anonymise_player(player("d"), now=NOW)
    for reporter, reported, given, code in [
        ("a", "a", {}, "yourself"),
        ("e", "a", {}, "match"),
        ("a", "e", {}, "player"),
        ("a", "c", {}, "twice"),
        ("a", "d", {}, "gone"),
        ("a", "b", {"reason": "looks"}, "reason"),
        ("a", "b", {"text": "x" * 501}, "text"),
        ("a", "b", {"now": NOW + 7 * DAY + dt.timedelta(seconds=1)}, "late"),
    ]:
        with subtests.test(code=code), rolled_back():
            with pytest.raises(MayNotReport) as refused:
                report_player(match, rows[reporter], rows[reported], **{"reason": "words", "now": NOW, **given})
            assert (refused.value.code, str(refused.value)[-1], len(complaints())) == (code, ".", 1)


def test_a_week_is_not_too_late_and_ten_a_day_are_the_most(match):
    matches = [record(["a"], ["b"]).record.match for _ in range(11)]
    for one in matches[:10]:
        report(one, "a", "b")
    with pytest.raises(MayNotReport, match="You can report 10 players a day"):
        report(matches[10], "a", "b", now=NOW + DAY - dt.timedelta(seconds=1))
    report(matches[10], "b", "a")  # others may
    report(matches[10], "a", "b", now=NOW + DAY)
    report(match, "a", "b", now=NOW + 7 * DAY)
    assert cases() == [("a", 1, "open"), ("b", 12, "open")]


def test_a_complaint_isnt_lost_in_a_case_that_a_review_closes_meanwhile(match):
    case = report(match, "a", "c").case

    def review_first(execute, sql, *rest):
        counts = sql.startswith(f'UPDATE "{ComplaintCase._meta.db_table}"') and '"complaints_count" + ' in sql
        if counts and ComplaintCase.objects.filter(verdict="open").values_list("pk").first() == (case.pk,):
            review_cases({case.pk: 1}, uphold=False, by=None, reason="Seen.", now=NOW)
        return execute(sql, *rest)

    with connection.execute_wrapper(review_first):
        report(match, "b", "c")
    assert cases() == [("c", 1, "dismissed"), ("c", 1, "open")]
    assert list(Complaint.objects.order_by("pk").values_list("case__verdict", flat=True)) == ["dismissed", "open"]


def test_a_case_is_reviewed_once_and_the_next_complaint_opens_another(match):
    case = report(match, "a", "c").case
    acts = {"by": None, "reason": "Seen the chat.", "now": NOW + DAY}
    assert [row.pk for row in review_cases({case.pk: 1}, uphold=True, **acts)] == [case.pk]
    assert review_cases({case.pk: 1}, uphold=False, **acts) == []
    report(match, "b", "c")
    assert cases() == [("c", 1, "upheld"), ("c", 1, "open")]
    assert [row.pk for row in reopen_cases([case.pk], by=None, reason="Another look.", now=NOW + DAY)] == [case.pk]
    assert cases() == [("c", 2, "open")]
    assert reopen_cases([case.pk], by=None, reason="Another look.", now=NOW + DAY) == []
    assert review_cases({case.pk: 1}, uphold=False, **acts) == []  # one more was reported than the moderator has seen
    review_cases({case.pk: 2}, uphold=False, **acts)
    assert cases() == [("c", 2, "dismissed")]
    lines = AuditEntry.objects.order_by("pk").values_list("act", "player__key", "reason")
    assert list(lines) == [
        ("uphold reports", "c", "Seen the chat."),
        ("reopen reports", "c", "Another look."),
        ("dismiss reports", "c", "Seen the chat."),
    ]


@pytest.mark.parametrize("own", [True, False], ids=["both have a case", "one has a case"])
def test_they_go_over_with_a_merge_and_back_with_a_split(match, own):
    other = record(["a"], ["x"]).record.match
    report(other, "a", "x")
    report(other, "x", "a")
    if own:
        report(match, "a", "c")
    before = cases(), complaints()
    merge = merge_players(player("c"), player("x"), by=None, reason="One person.", now=NOW)
    assert cases() == [("a", 1, "open"), ("c", 1 + own, "open")]
    assert {name for row in complaints() for name in row} == {"a", "c"}
    split_players(merge, by=None, reason="Two persons.", now=NOW)
    assert (cases(), complaints()) == before


def test_a_case_that_was_opened_again_meanwhile_takes_what_its_place_holds(match):
    other, later = record(["a"], ["x"]).record.match, record(["b"], ["x"]).record.match
    acts = {"by": None, "reason": "Seen.", "now": NOW}
    old = report(other, "a", "x").case
    review_cases({old.pk: 1}, uphold=True, **acts)
    report(later, "b", "x")
    joined = report(match, "a", "c").case
    merge = merge_players(player("c"), player("x"), by=None, reason="One person.", now=NOW)
    assert cases() == [("c", 1, "upheld"), ("c", 2, "open")]
    review_cases({joined.pk: 2}, uphold=False, **acts)
    reopen_cases([old.pk], **acts)
    split_players(merge, by=None, reason="Two persons.", now=NOW)
    connection.check_constraints()
    assert cases() == [("c", 1, "dismissed"), ("x", 2, "open")]
    assert complaints() == [("a", "x", "x"), ("b", "x", "x"), ("a", "c", "c")]


def test_what_is_reported_between_a_merge_and_a_split_stays_with_the_player_who_is_kept(match):
    other = record(["a"], ["x"]).record.match
    report(other, "a", "x")
    merge = merge_players(player("c"), player("x"), by=None, reason="One person.", now=NOW)
    report(match, "a", "c", now=NOW + DAY)
    assert cases() == [("c", 2, "open")]
    split_players(merge, by=None, reason="Two persons.", now=NOW + DAY)
    assert cases() == [("c", 1, "open"), ("x", 1, "open")]
    assert complaints() == [("a", "x", "x"), ("a", "c", "c")]
    newest = ComplaintCase.objects.order_by("player__key").values_list("newest_at", flat=True)
    assert list(newest) == [NOW + DAY, NOW]
    anonymise_player(player("x"), now=NOW + DAY)
    assert complaints() == [("a", "c", "c")]


def test_what_is_about_a_player_who_leaves_goes_and_the_words_of_theirs(match):
    Player.objects.filter(key="c").update(name="Carla")
    report(match, "a", "c", text="Swore.")
    report(match, "c", "a", text="Swore, too.")
    report(match, "b", "a", text="Carla and I heard it.")
    gone = player("c")
    anonymise_player(gone, now=NOW)
    gone.refresh_from_db()
    assert [row[1] for row in complaints()] == ["a", "a"]
    assert list(Complaint.objects.order_by("pk").values_list("text", flat=True)) == ["", f"{gone.name} and I heard it."]
    assert cases() == [("a", 2, "open")]


def test_old_ones_are_deleted_a_year_after_their_review(match, settings):
    settings.COMPLAINTS_KEPT = 30
    case = report(match, "a", "c").case
    report(match, "a", "b")
    review_cases({case.pk: 1}, uphold=True, by=None, reason="x", now=NOW)
    assert drop_old_complaints(NOW + 30 * DAY) == 0
    assert drop_old_complaints(NOW + 31 * DAY) == 1
    assert cases() == [("b", 1, "open")]
