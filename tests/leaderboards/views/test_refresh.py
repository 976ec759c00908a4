"""Open pages ask for what is newer than the snapshot that they show."""

import datetime as dt
import re
from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from ranking.models import Match, Player
from ranking.standings.publishing import publish
from tests.support.caches import forget_newest
from tests.support.factories import LATER, NOW, make_mode, record

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def refresh_of(text: str) -> str:
    (address,) = re.findall(r'class="refresh" hidden hx-get="([^"]+)"', text)
    return address.replace("&amp;", "&")


def duel() -> None:
    mode = make_mode("duel")
    record(["a"], ["b"])
    publish(mode, now=NOW)


def publish_more() -> None:
    record(["b"], ["a"], ended_at=LATER, now=LATER)
    publish(Match.objects.latest("pk").mode, now=LATER)
    forget_newest()


@pytest.mark.parametrize("address", ["/", "/boards/duel/", "/boards/duel/?rank=1", "/boards/duel/friends/", "{match}"])
def test_a_page_gets_a_part_only_when_something_newer_is_published(
    client: Client, log_in: Callable[[str], Player], django_assert_num_queries: DjangoAssertNumQueries, address: str
) -> None:
    duel()
    log_in("a")
    whole = client.get(address.format(match=f"/matches/{Match.objects.get().pk}/")).text
    asked = refresh_of(whole)
    client.get(asked, headers=HTMX)
    with django_assert_num_queries(0):
        answer = client.get(asked, headers=HTMX)
    assert (answer.status_code, answer.content) == (204, b"")
    publish_more()
    answer = client.get(asked, headers=HTMX)
    assert (answer.status_code, "<html" in answer.text, 'id="status"' in answer.text) == (200, False, False)
    assert client.get(refresh_of(answer.text), headers=HTMX).status_code == 204


def test_where_nothing_can_change_nobody_asks(client: Client) -> None:
    duel()
    Match.objects.update(ended_at=NOW - dt.timedelta(hours=2))
    for address in (f"/matches/{Match.objects.get().pk}/", "/boards/duel/tiers/", "/boards/duel/?q=a"):
        assert 'class="refresh"' not in client.get(address).text


def test_an_unknown_snapshot_gets_the_part(client: Client) -> None:
    duel()
    unknown = ("", "x", "-1", "99999999999999999999", "0")
    statuses = {since: client.get(f"/boards/duel/?since={since}", headers=HTMX).status_code for since in unknown}
    assert statuses == dict.fromkeys(unknown, 200)


def test_a_mode_that_is_not_there_is_not_found(client: Client) -> None:
    assert client.get("/boards/nothing/?since=1", headers=HTMX).status_code == 404


def test_without_htmx_the_page_is_whole(client: Client) -> None:
    duel()
    address = refresh_of(client.get("/boards/duel/").text)
    assert "<html" in client.get(address).text
