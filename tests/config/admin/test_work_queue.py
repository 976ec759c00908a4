"""The head of the admin's home: what waits, for each only what they may view, in few queries."""

import datetime as dt
import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.people import work_queue as module
from config.people.work_queue import Waiting, work_queue
from ranking.models import Ban, ComplaintCase, Event, OutboxEntry, Player
from ranking.moderation.appeals import appeal_against
from tests.support.factories import NOW, ban_player, make_finding, make_mode, make_role, record

pytestmark = pytest.mark.django_db
HOURS = dt.timedelta(hours=1)


@pytest.fixture
def _a_day_of_work() -> None:
    """Two appeals, two kinds of reports, three bans of which one ends soon, an outbox entry that was given up."""
    make_mode()
    record(["a"], ["b"], now=NOW)
    for key, hours in (("a", 5), ("b", 50)):
        player = Player.objects.get(key=key)
        ban = ban_player(player, scope=Ban.QUEUE, by=None, reason="Insults.", now=NOW, ends_at=NOW + hours * HOURS)
        appeal_against(player, words="No.", now=NOW, ban=ban.pk)
    ban_player(player, scope=Ban.BOARDS, by=None, reason="For good.", now=NOW)
    make_finding(player)
    ComplaintCase.objects.create(player=player, newest_at=NOW)
    OutboxEntry.objects.create(consumer="news", event=Event.objects.first(), due_at=NOW, parked_at=NOW)


def list_of(line: Waiting) -> str:
    """The model of the list that a line leads to."""
    return line.address.split("/")[3]


def numbers(user: User) -> dict[str, str]:
    return {list_of(line): line.number for line in work_queue(user, NOW + HOURS)}


@pytest.mark.usefixtures("_a_day_of_work")
def test_what_waits_is_counted_and_a_fault_marked() -> None:
    boss = User.objects.create_superuser("boss")
    assert numbers(boss) == {
        "appeal": "2", "banproposal": "0", "finding": "1", "complaintcase": "1", "ban": "1", "match": "0",
        "outboxentry": "1", "delivery": "0", "ticket": "0",
    }  # fmt: skip
    lines = {list_of(line): line for line in work_queue(boss, NOW + HOURS)}
    assert [model for model, line in lines.items() if line.fault] == ["outboxentry"]
    assert "1 hour" in lines["appeal"].hint.replace("\xa0", " ")


@pytest.mark.usefixtures("_a_day_of_work")
def test_a_moderator_sees_their_own_lists_alone() -> None:
    user = User.objects.create_user("mod", is_staff=True)
    assert numbers(user) == {}
    user.groups.add(make_role("moderator"))
    assert numbers(User.objects.get(pk=user.pk)) == {
        "appeal": "2", "banproposal": "0", "finding": "1", "complaintcase": "1", "ban": "1", "match": "0",
        "ticket": "0",
    }  # fmt: skip


def test_of_very_many_so_many_and_a_plus(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 1)
    make_mode()
    record(["a"], ["b"])
    for key in "ab":
        make_finding(Player.objects.get(key=key))
    assert numbers(User.objects.get(username="admin"))["finding"] == "1+"


@pytest.mark.usefixtures("_a_day_of_work")
def test_each_number_leads_to_so_many_rows(admin_client: Client) -> None:
    now = timezone.now()
    Ban.objects.filter(ends_at=NOW + 5 * HOURS).update(starts_at=now - HOURS, ends_at=now + HOURS)
    page = admin_client.get("/admin/").text
    links = re.findall(r'<a href="([^"]+)"><b[^>]*>(\d+)</b>', page)
    assert len(links) == 9
    for address, number in links:
        assert len(admin_client.get(address.replace("&amp;", "&")).context["cl"].result_list) == int(number), address


@pytest.mark.usefixtures("_a_day_of_work")
def test_one_query_a_line_and_two_for_appeals() -> None:
    boss = User.objects.create_superuser("boss")
    with CaptureQueriesContext(connection) as captured:
        work_queue(boss, NOW)
    assert len(captured) == 11
