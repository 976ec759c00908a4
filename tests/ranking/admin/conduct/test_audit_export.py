"""The audit log as a file: filtered as its list is, without formulas, in pieces, and for those who may have it."""

import csv
import datetime as dt
import io

import pytest
from django.db import connection
from django.test import Client

from ranking.admin.conduct.audit_export import export_entries
from ranking.models import AuditEntry, Player
from ranking.operations.audit import record_act
from ranking.players.search import MOST_FOUND
from tests.support.factories import NOW, make_mode, make_staff, record
from tests.support.plans import SORTS, plan_of

pytestmark = pytest.mark.django_db
FILE = "/admin/ranking/auditentry/export.csv"


@pytest.fixture
def moderator(db) -> Client:
    make_mode()
    record(["a"], ["b"])
    user = make_staff("moderator", "mod")
    a = Player.objects.get(key="a")
    record_act("ban", "ban 1", by=user, reason="=HYPERLINK(1)", note="-2, ü", now=NOW, player=a)
    record_act("lift", "ban 1", by=None, reason="Over.", now=NOW + dt.timedelta(minutes=1))
    client = Client()
    client.force_login(user)
    return client


def lines(client: Client, query: str = "") -> list[list[str]]:
    response = client.get(FILE + query)
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert response.headers["Content-Disposition"].startswith('attachment; filename="audit-log-')
    return list(csv.reader(io.StringIO(response.getvalue().decode())))


def test_the_newest_come_first_and_no_cell_is_a_formula(moderator):
    assert lines(moderator) == [
        ["at", "by", "key", "act", "subject", "player", "name", "reason", "note"],
        ["2026-05-20T12:01:00Z", "", "", "lift", "ban 1", "", "", "Over.", ""],
        ["2026-05-20T12:00:00Z", "mod", "", "ban", "ban 1", "a", "a", "'=HYPERLINK(1)", "'-2, ü"],
    ]


def test_it_is_filtered_as_the_list_is(moderator):
    page = moderator.get("/admin/ranking/auditentry/?act=lift")
    assert f'href="{FILE}?act=lift"' in page.text
    assert [line[3] for line in lines(moderator, "?act=lift")[1:]] == ["lift"]
    player = Player.objects.get(key="a").pk
    assert [line[3] for line in lines(moderator, f"?player={player}")[1:]] == ["ban"]


def test_the_link_has_the_filters_without_page_and_order(moderator):
    assert f'href="{FILE}?act=lift"' in moderator.get("/admin/ranking/auditentry/?act=lift&o=0&p=1&e=1").text
    assert f'href="{FILE}"' in moderator.get("/admin/ranking/auditentry/?o=0").text


def test_a_wrong_address_is_answered_by_the_sentence_of_the_list(moderator):
    for query in ("act=zzz", "since=x", "foo=1", "o=zz", "p=2"):
        answer = moderator.get(f"{FILE}?{query}&who=mod")
        listed = moderator.get(f"/admin/ranking/auditentry/?{query}&who=mod")
        assert (query, answer.status_code, answer.context["sentence"]) == (query, 400, listed.context["sentence"])
        assert '<a href="/admin/ranking/auditentry/?who=mod">' in answer.text, query


def test_a_search_that_finds_more_players_than_it_takes_has_no_file(moderator):
    names = [f"pack {number}" for number in range(MOST_FOUND)]
    Player.objects.bulk_create(Player(key=name, name=name, search_name=name, created_at=NOW) for name in names)
    answer = moderator.get(f"{FILE}?q=pack&who=mod")
    assert answer.status_code == 400
    assert "500 players at most" in answer.context["sentence"]
    assert len(lines(moderator, "?q=a")) == 2


def test_a_viewer_reads_the_log_and_has_no_file(moderator):
    viewer = make_staff("viewer")
    client = Client()
    client.force_login(viewer)
    assert "export.csv" not in client.get("/admin/ranking/auditentry/").text
    assert client.get(FILE).status_code == 403


@pytest.mark.parametrize(("most", "shown", "more"), [(1, 1, True), (2, 2, False), (3, 2, False)])
def test_what_is_left_out_is_said(moderator, most, shown, more):
    rows = list(csv.reader(io.StringIO("".join(export_entries(AuditEntry.objects.all(), most=most)))))
    assert (len(rows), len(rows[-1]) == 1) == (1 + shown + more, more)


def test_a_query_a_thousand_lines(moderator, django_assert_num_queries):
    entry = {"at": NOW, "act": "x", "reason": "x"}
    AuditEntry.objects.bulk_create(AuditEntry(**entry, subject=str(number)) for number in range(2_498))
    with django_assert_num_queries(4):
        pieces = list(export_entries(AuditEntry.objects.all()))
    subjects = [row[4] for row in csv.reader(io.StringIO("".join(pieces)))][1:]
    assert (len(pieces), len(set(subjects))) == (4, 2_499)


def test_each_piece_begins_where_the_last_one_ended(moderator):
    """The index answers bound and order: a piece doesn't read again what came before it."""
    sent = []

    def note(execute, sql, params, many, context):
        sent.append((sql, params))
        return execute(sql, params, many, context)

    AuditEntry.objects.bulk_create(AuditEntry(at=NOW, act="x", reason="x", subject="x") for _ in range(1_000))
    with connection.execute_wrapper(note):
        list(export_entries(AuditEntry.objects.all()))
    sql, params = sent[-1]
    plan = plan_of([sql], params)
    bound = "Index Cond: (at <=" if connection.vendor == "postgresql" else "(at<?)"
    assert bound in plan, plan
    assert SORTS not in plan, plan
