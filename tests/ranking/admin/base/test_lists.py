"""Lists: as many queries for one row as for thirty, none that counts, each found by an index."""

import datetime as dt

import pytest
from django.core.paginator import InvalidPage
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from ranking.admin.base.lists import LAST_PAGE, LookAheadPaginator
from ranking.admin.players.players import PlayerAdmin
from ranking.models import Ban, Event, Match, Mode, OutboxEntry, Player
from ranking.operations.keys import create_key
from ranking.players.players import ensure_players
from tests.support.factories import NOW, make_mode, make_report, record
from tests.support.plans import SORTS, plan_of

pytestmark = pytest.mark.django_db

QUERIES = [  # three are the session, who is logged in, and their saved filters
    ("player", "", 4),
    ("player", "q=p", 7),
    ("player", "hidden=yes", 4),
    ("match", "", 6),
    ("match", "q=m-0", 9),
    ("match", "mode=MODE", 6),
    ("rating", "", 5),
    ("rating", "q=p", 8),
    ("change", "", 4),
    ("event", "", 5),
    ("key", "", 6),
    ("mode", "", 4),
    ("parameterversion", "", 5),
    ("season", "", 5),
    ("snapshot", "", 5),
    ("source", "", 4),
    ("outboxentry", "", 4),
]


def populate(rows):
    for number in range(rows):
        mode = make_mode(f"mode-{number}")
        record([f"p{number}"], [f"q{number}"], mode=mode.slug, id=f"m-{number}")
        create_key(f"source-{number}", scopes=["read"], now=NOW, modes=[mode])
        event = Event.objects.filter(mode=mode).latest("pk")
        OutboxEntry.objects.create(consumer="news", event=event, due_at=NOW)


def get(client, model, query=""):
    response = client.get(reverse(f"admin:ranking_{model}_changelist"), query)
    assert response.status_code == 200, (model, query, response.headers)
    return response


@pytest.mark.parametrize("rows", [1, 30])
def test_queries_do_not_grow_with_rows(boss, rows):
    populate(rows)
    mode, taken = str(Mode.objects.latest("pk").pk), []
    for model, query, _ in QUERIES:
        with CaptureQueriesContext(connection) as queries:
            boss.get(reverse(f"admin:ranking_{model}_changelist") + "?" + query.replace("MODE", mode))
        taken.append((model, query, len(queries)))
        assert not [sql for sql in queries.captured_queries if "COUNT(" in sql["sql"].upper()], (model, query)
    assert taken == QUERIES, taken


class Listed(list):
    """A list that can't be counted, as a table too large to count."""

    def __len__(self):
        raise AssertionError("Nobody counts.")


PAGES = {  # (rows, page) -> shown, pages, whether more pages follow than are counted
    (0, 1): ([], 1, False),
    (2, 1): ([0, 1], 1, False),
    (3, 1): ([0, 1], 2, False),
    (3, 2): ([2], 2, False),
    (100, 3): ([4, 5], 4, False),
    (100, LAST_PAGE): ([38, 39], LAST_PAGE, True),
    (40, LAST_PAGE): ([38, 39], LAST_PAGE, False),
}


def test_the_paginator_sees_one_row_further():
    given = {}
    for rows, number in PAGES:
        paginator = LookAheadPaginator(Listed(range(rows)), 2)
        page = paginator.page(number)
        assert page.has_next() == (number < paginator.num_pages), (rows, number)
        given[rows, number] = ([*page.object_list], paginator.num_pages, paginator.more)
    assert given == PAGES


@pytest.mark.parametrize(("rows", "page"), [(2, 2), (100, LAST_PAGE + 1), (100, 0)])
def test_there_is_no_such_page(rows, page):
    with pytest.raises(InvalidPage):
        LookAheadPaginator(Listed(range(rows)), 2).page(page)


def test_a_list_says_where_it_ends(boss, monkeypatch):
    monkeypatch.setattr(PlayerAdmin, "list_per_page", 2)
    ensure_players([make_report([f"p{number}" for number in range(LAST_PAGE * 2 + 1)], ["z"])], NOW)
    assert "Rows 1–2, more" in get(boss, "player").text
    assert f"after {LAST_PAGE} pages" in get(boss, "player", {"p": LAST_PAGE}).text
    assert boss.get(reverse("admin:ranking_player_changelist"), {"p": LAST_PAGE + 1}).status_code == 400
    assert "Nothing here" in get(boss, "player", {"q": "nobody"}).text


PLANS = [
    ("player", {}, ("ranking_player_pkey", "SCAN ranking_player")),
    ("player", {"q": "p1"}, ("search_name",)),
    ("player", {"hidden": "yes"}, ("player_hidden",)),
    ("match", {}, ("match_latest",)),
    ("match", {"mode": "MODE"}, ("match_recent",)),
    ("match", {"since": "7d"}, ("match_latest",)),
    ("match", {"q": "m-1"}, ("match_once_a_source", "sqlite_autoindex_ranking_match")),
]


def copy_matches(modes, each):
    """Give these modes so many matches that PostgreSQL knows one from another."""
    fields = Match.objects.values().get() | {"id": None, "event_id": None, "season_id": None}
    moved = [
        (number, {"mode_id": mode.pk, "external_id": f"m-{number}-{mode.pk}"}) for mode in modes for number in each
    ]
    Match.objects.bulk_create(
        Match(**fields | own | {"ended_at": NOW - dt.timedelta(minutes=number)}) for number, own in moved
    )
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE ranking_match")


def test_lists_and_searches_use_an_index(boss):
    populate(1)
    mode = Mode.objects.get()
    copy_matches([mode, *(make_mode(f"other-{number}") for number in range(10))], range(20))
    plans = {}
    for model, query, indexes in PLANS:
        filled = {**query, "mode": mode.pk} if "mode" in query else query
        with CaptureQueriesContext(connection) as queries:
            boss.get(reverse(f"admin:ranking_{model}_changelist"), filled)
        asked = [sql["sql"] for sql in queries.captured_queries if f'FROM "ranking_{model}"' in sql["sql"]]
        plan = plan_of(asked)
        if not any(index in plan for index in indexes) or (SORTS in plan and "q" not in query):
            plans[model, *query] = plan
    assert plans == {}


@pytest.mark.parametrize("number", [2, 60])
def test_an_act_on_many_takes_as_many_queries_as_one_on_few(boss, number):
    now = timezone.now()
    players = Player.objects.bulk_create(
        Player(key=name, name=name, search_name=name, created_at=now)
        for name in ("other", *(f"p{index}" for index in range(number)))
    )
    make_mode("duel")
    ban = {"action": "ban", "index": 0, "reason": "x", "scope": "both"}
    for term, count in (("other", 1), ("p", number)):  # what each process asks for once is kept after the first
        address = reverse("admin:ranking_leaver_changelist", query={"q": term})
        asked = boss.post(address, {"action": "ban", "index": 0, "all_that_match": 1})
        assert (asked.context["total"], len(asked.context["rows"])) == (count, min(count, 50))
        with CaptureQueriesContext(connection) as queries:
            boss.post(asked.context["back"], {**asked.context["hidden"], **ban})
    assert Ban.objects.count() == len(players)
    assert len(queries) == (23 if connection.vendor == "postgresql" else 21)
