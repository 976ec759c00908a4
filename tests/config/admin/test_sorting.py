"""Headings that sort a list: which there are, that an index answers their order, and that rows come in it."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leaderboards.webhooks.queueing import queue_test
from matchmaking.models import Party, UnreportedLoss
from ranking.models import Event, OutboxEntry, Player
from tests.support.factories import NOW, make_doubled, make_source, record
from tests.support.matchmaking import later, make_lobby, make_queue, make_server
from tests.support.plans import SORTS, plan_of
from tests.support.savepoints import rolled_back
from tests.support.webhooks import make_hook

pytestmark = pytest.mark.django_db

# List → its headings, each with the field that it sorts by and the index that answers its order; "": the primary key.
SORTED = {
    "leaderboards/delivery": {"id": ("id", "")},
    "leaderboards/webhook": {"name": ("name", "leaderboards_webhook")},
    "matchmaking/formed": {"formed_at": ("formed_at", "matchmaking_formed_formed_at")},
    "matchmaking/lobby": {"formed_at": ("formed_at", "lobby_latest")},
    "matchmaking/party": {"id": ("id", "")},
    "matchmaking/server": {"there": ("heard_at", "matchmaking_server_heard_at")},
    "matchmaking/ticket": {"id": ("id", "")},
    "matchmaking/unreportedloss": {"closed_at": ("closed_at", "unreported_latest")},
    "ranking/auditentry": {"at": ("at", "ranking_auditentry_at")},
    "ranking/cannedanswer": {"title": ("title", "ranking_cannedanswer")},
    "ranking/doubledmatch": {"ended_at": ("ended_at", "doubled_latest")},
    "ranking/finding": {"strength": ("score", "finding_strongest")},
    "ranking/playerwarning": {"warned_at": ("warned_at", "warning_recent")},
    "ranking/ban": {"starts_at": ("starts_at", "ban_since")},
    "ranking/incident": {"happened_at": ("happened_at", "incident_recent")},
    "ranking/match": {"ended_at": ("ended_at", "match_latest")},
    "ranking/outboxentry": {"id": ("id", "")},
    "ranking/outboxentry?state=overdue": {"id": ("id", ""), "due_at": ("due_at", "outbox_due")},
    "ranking/player": {"key": ("key", "ranking_player")},
    "ranking/source": {"slug": ("slug", "ranking_source")},
}
COMPUTED = {"ranking/leaver"}  # what is counted of those who left within 60 days
CASES = [
    (name, heading, *row, sign)
    for name, headings in SORTED.items()
    for heading, row in headings.items()
    for sign in ("", "-")
]


@pytest.fixture
def boss(db) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("boss"))
    return client


@pytest.fixture
def rows(db) -> None:
    """Some rows of each list, not in the order of their times."""
    queue = make_queue("duel")
    for number, at in enumerate((30, 10, 20)):
        make_lobby(queue, at=at)
        make_server(queue.mode, name=f"s{number}", at=at)
        make_source(f"source-{at}")
        Party.objects.create(created_at=NOW)
        queue_test(make_hook(name=f"hook-{at}"), NOW)
        match = record([f"a{number}"], [f"b{number}"], id=f"m-{number}", ended_at=later(-at)).record.match
        make_doubled(match)
        OutboxEntry.objects.create(consumer=f"news-{number}", event=Event.objects.latest("pk"), due_at=later(at))
        UnreportedLoss.objects.create(
            lobby_key=str(number), mode=queue.mode, player=Player.objects.latest("pk"), server="eu", score=1, best=2,
            silent_at=NOW, closed_at=later(at),
        )  # fmt: skip


def page_of(model: str) -> Any:
    """The page of a model's list, by the name that SORTED gives it."""
    return site._registry[apps.get_model(model.replace("/", "."))]


def address_of(name: str, heading: str, sign: str) -> str:
    model, _, query = name.partition("?")
    page = page_of(model)
    columns = ["action_checkbox", *page.list_display] if page.actions else page.list_display
    address = reverse(f"admin:{model.replace('/', '_')}_changelist")
    return f"{address}?{query}&o={sign}{columns.index(heading)}"


def faults_of(client: Client, name: str, heading: str, field: str, index: str, sign: str) -> Iterator[Any]:
    """What is wrong with a list that is sorted by a heading: its status, the order of its rows, the database's plan."""
    with CaptureQueriesContext(connection) as queries:
        response = client.get(address_of(name, heading, sign))
    if response.status_code != 200:
        yield response.status_code
        return
    values = [getattr(row, field) for row in response.context["cl"].result_list]
    if values != sorted(values, reverse=bool(sign)):
        yield values
    table = name.partition("?")[0].replace("/", "_")
    asked = [each["sql"] for each in queries.captured_queries if f'FROM "{table}"' in each["sql"]]
    plan = plan_of(sql for sql in asked if "ORDER BY" in sql)
    own = f"{table}_pkey" if connection.vendor == "postgresql" else f"SCAN {table}"
    if (index or own) not in plan or SORTS in plan:
        yield plan


def test_a_heading_sorts_in_both_directions_by_an_index(boss, rows):
    faults = {}
    for case in CASES:
        with rolled_back():
            faults[case] = [*faults_of(boss, *case)]
    assert {case: found for case, found in faults.items() if found} == {}


def test_every_list_that_is_sorted_has_a_row():
    request: Any = type("Request", (), {"GET": {}})()
    sorted_lists = {
        model._meta.label_lower.replace(".", "/"): set(page.get_sortable_by(request))
        for model, page in site._registry.items()
        if page.get_sortable_by(request) and model._meta.app_label in ("ranking", "leaderboards", "matchmaking")
    }
    rows = {name: set(headings) for name, headings in SORTED.items() if "?" not in name}
    assert {name: headings for name, headings in sorted_lists.items() if name not in COMPUTED} == rows
    assert set(sorted_lists) - set(rows) == COMPUTED


def test_the_outbox_is_sorted_by_when_work_is_due_only_if_an_index_answers_it(boss, rows):
    assert boss.get(address_of("ranking/outboxentry", "due_at", "")).status_code == 400
