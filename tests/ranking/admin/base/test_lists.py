"""Lists: as many queries for one row as for thirty, none that counts, each found by an index."""

import json

import pytest
from django.core.paginator import InvalidPage
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from ranking.admin.base.lists import LAST_PAGE, LookAheadPaginator
from ranking.admin.players.players import PlayerAdmin
from ranking.models import Event, Match, Mode, OutboxEntry, Player
from ranking.operations.keys import create_key
from ranking.players.players import ensure_players
from tests.support.factories import NOW, make_mode, make_report, make_source, record
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


@pytest.mark.parametrize(
    ("rows", "page", "shown", "pages", "more"),
    [
        (0, 1, [], 1, False),
        (2, 1, [0, 1], 1, False),
        (3, 1, [0, 1], 2, False),
        (3, 2, [2], 2, False),
        (100, 3, [4, 5], 4, False),
        (100, LAST_PAGE, [38, 39], LAST_PAGE, True),
        (40, LAST_PAGE, [38, 39], LAST_PAGE, False),
    ],
)
def test_the_paginator_sees_one_row_further(rows, page, shown, pages, more):
    paginator = LookAheadPaginator(Listed(range(rows)), 2)
    found = paginator.page(page)
    assert ([*found.object_list], paginator.num_pages, paginator.more) == (shown, pages, more)
    assert found.has_next() == (page < pages)


@pytest.mark.parametrize(("rows", "page"), [(2, 2), (100, LAST_PAGE + 1), (100, 0)])
def test_there_is_no_such_page(rows, page):
    with pytest.raises(InvalidPage):
        LookAheadPaginator(Listed(range(rows)), 2).page(page)


def test_a_list_says_where_it_ends(boss, monkeypatch):
    monkeypatch.setattr(PlayerAdmin, "list_per_page", 2)
    ensure_players([make_report([f"p{number}" for number in range(LAST_PAGE * 2 + 1)], ["z"])], NOW)
    assert "Rows 1–2, more follow" in get(boss, "player").text
    last = get(boss, "player", {"p": LAST_PAGE}).text
    assert f"This list ends after {LAST_PAGE} pages; search or filter to see what lies behind." in last
    assert boss.get(reverse("admin:ranking_player_changelist"), {"p": LAST_PAGE + 1}).status_code == 400
    assert "Nothing here by this search" in get(boss, "player", {"q": "nobody"}).text


def found(client, model, term):
    return [row.pk for row in get(client, model, {"q": term}).context["cl"].result_list]


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("an", ["anna", "Anne", "an%"]),
        ("ANN", ["anna", "Anne"]),
        ("an%", ["an%"]),
        ("nna", ["anna"]),
        ("key-5", ["other"]),
        ("key", []),
        ("_", []),
    ],
)
def test_players_are_found_by_a_part_of_their_name_or_their_whole_key(boss, term, expected):
    names = {"key-1": "anna", "key-2": "Anne", "key-3": "an%", "key-4": "Bert", "key-5": "other"}
    players, _ = ensure_players([make_report(list(names), ["z"])], NOW)
    for key, name in names.items():
        players[key].name, players[key].search_name = name, name.casefold()
        players[key].save()
    names_found = Player.objects.in_bulk(found(boss, "player", term))
    assert sorted(player.name for player in names_found.values()) == sorted(expected)


def test_matches_are_found_by_their_whole_id(boss, world):
    first, second = Match.objects.order_by("pk")
    record(["a"], ["b"], id=str(second.pk))
    other = Match.objects.latest("pk")
    assert found(boss, "match", "first") == [first.pk]
    assert found(boss, "match", "fir") == []
    assert found(boss, "match", str(second.pk)) == [other.pk, second.pk]


def test_matches_are_filtered_by_when_they_ended(boss, world):
    assert list(get(boss, "match", {"mode": world.pk, "since": "1d"}).context["cl"].result_list) == []
    ends = sorted(Match.objects.values_list("ended_at", flat=True))
    found_then = get(boss, "match", {"until": ends[0].isoformat(), "since": "2020-01-01"}).context["cl"].result_list
    assert [row.ended_at for row in found_then] == [end for end in ends if end <= ends[0]][::-1]


def test_a_board_is_listed_in_its_order_and_a_player_by_what_they_did(boss, world):
    board = get(boss, "rating", {"board": world.pk}).context["cl"].result_list
    assert [row.player.key for row in board] == ["a", "c"]
    a = Player.objects.get(key="a")
    assert {row.player_id for row in get(boss, "rating", {"player": a.pk}).context["cl"].result_list} == {a.pk}
    changes = get(boss, "change", {"player": a.pk, "mode": world.pk}).context["cl"].result_list
    assert [row.match.external_id for row in changes] == ["second", "first"]
    assert [row.player.key for row in get(boss, "change", {"q": "c"}).context["cl"].result_list] == ["c"]


def test_autocomplete_finds_sources(boss, world):
    make_source("testing")
    answer = boss.get(
        reverse("admin:autocomplete"),
        {"app_label": "ranking", "model_name": "key", "field_name": "source", "term": "tes"},
    )
    assert [row["text"] for row in json.loads(answer.content)["results"]] == ["test", "testing"]


PLANS = [
    ("player", {}, ("ranking_player_pkey", "SCAN ranking_player")),
    ("player", {"q": "p1"}, ("search_name",)),
    ("player", {"hidden": "yes"}, ("player_hidden",)),
    ("match", {}, ("match_latest",)),
    ("match", {"mode": "MODE"}, ("match_recent",)),
    ("match", {"since": "7d"}, ("match_latest",)),
    ("match", {"q": "m-1"}, ("match_once_a_source", "sqlite_autoindex_ranking_match")),
]


@pytest.mark.parametrize(("model", "query", "indexes"), PLANS)
def test_lists_and_searches_use_an_index(boss, model, query, indexes):
    populate(1)
    if "mode" in query:
        query = {"mode": Mode.objects.get().pk}
    with CaptureQueriesContext(connection) as queries:
        boss.get(reverse(f"admin:ranking_{model}_changelist"), query)
    asked = [sql["sql"] for sql in queries.captured_queries if f'FROM "ranking_{model}"' in sql["sql"]]
    plan = plan_of(asked)
    assert any(index in plan for index in indexes), plan
    assert SORTS not in plan or "q" in query, plan
