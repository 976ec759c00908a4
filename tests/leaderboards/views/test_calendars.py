"""The calendar feed of seasons' ends, by the rules of RFC 5545."""

import datetime as dt

import pytest

from leaderboards.display.calendar_feed import CalendarEvent, write_calendar
from ranking.models import Mode, Season
from tests.support.factories import LATER, NOW, make_mode
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
FEED, LIST = "/boards/duel/seasons/calendar.ics", "/boards/duel/seasons/"


def lines_of(body: bytes) -> list[str]:
    """The content lines, unfolded; every line ends with CRLF and has 75 octets at most."""
    assert body.endswith(b"\r\n")
    folded = body.removesuffix(b"\r\n").split(b"\r\n")
    assert not any(b"\n" in line or b"\r" in line for line in folded)
    assert max(map(len, folded)) <= 75
    assert all(line.decode() for line in folded)  # no character is cut
    return body.removesuffix(b"\r\n").replace(b"\r\n ", b"").decode().split("\r\n")


def event_of(body: bytes) -> dict[str, str]:
    lines = lines_of(body)
    begin, end = lines.index("BEGIN:VEVENT"), lines.index("END:VEVENT")
    assert lines.count("BEGIN:VEVENT") == 1
    return dict(line.split(":", 1) for line in lines[begin + 1 : end])


@pytest.fixture
def mode() -> Mode:
    return make_mode(schedule="monthly on 31 at 18:00", time_zone="Europe/Berlin")


def test_the_end_that_is_planned_stands_in_it(client, mode):
    answer = client.get(FEED)
    season = Season.objects.get()
    assert event_of(answer.content) == {
        "UID": f"season-{season.pk}@testserver",
        "DTSTAMP": "20260520T120100Z",
        "DTSTART": "20260531T160000Z",
        "SUMMARY": "Season 1 of Duel ends",
        "URL": "http://testserver/boards/duel/",
        "TRANSP": "TRANSPARENT",
    }
    lines = lines_of(answer.content)
    assert (lines[0], lines[-1], "VERSION:2.0" in lines) == ("BEGIN:VCALENDAR", "END:VCALENDAR", True)
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    assert answer.headers["Cache-Control"] == "public, max-age=3600"
    assert "Set-Cookie" not in answer.headers


def test_it_is_in_the_language_of_its_address(client, mode):
    lines = lines_of(client.get(FEED, {"lang": "de"}).content)
    assert {"SUMMARY:Saison 1 von Duel endet", "X-WR-CALNAME:Saisons von Duel"} <= set(lines)
    assert client.get(FEED, headers={"Accept-Language": "de"}).content == client.get(FEED).content


def test_an_unchanged_feed_isnt_sent_again(client, mode):
    etag = client.get(FEED).headers["ETag"]
    assert client.get(FEED, headers={"If-None-Match": etag}).status_code == 304
    Season.objects.update(ends_at=NOW + dt.timedelta(days=1))
    changed = client.get(FEED, headers={"If-None-Match": etag})
    assert (changed.status_code, event_of(changed.content)["DTSTART"]) == (200, "20260521T120000Z")


def test_after_an_end_the_next_one_stands_there(client, mode):
    first = event_of(client.get(FEED).content)
    Season.objects.update(ends_at=None)
    end(mode, at=LATER)
    following = event_of(client.get(FEED).content)
    assert (following["SUMMARY"], following["DTSTART"]) == ("Season 2 of Duel ends", "20260531T160000Z")
    assert following["UID"] != first["UID"]


def test_without_an_end_there_is_no_event_but_a_calendar(client):
    make_mode()
    lines = lines_of(client.get(FEED).content)
    assert "BEGIN:VEVENT" not in lines
    assert lines.count("BEGIN:VTIMEZONE") == 1  # a calendar needs one component at least


def test_texts_are_escaped_and_folded(subtests):
    for summary, expected in [
        ("A, B; C\\D", r"A\, B\; C\\D"),
        ("Line\r\nATTACH:x", "Line ATTACH:x"),
        ("é" * 100, "é" * 100),
        ("🏆" * 60, "🏆" * 60),
        ("x" * 67, "x" * 67),  # with its name one line of 75
        ("x" * 68, "x" * 68),
    ]:
        with subtests.test(summary=summary, expected=expected):
            event = CalendarEvent("1@x", NOW, summary, "https://example.org/")
            assert event_of(write_calendar("N", [event], NOW))["SUMMARY"] == expected


@pytest.mark.parametrize("path", ["/boards/nope/seasons/calendar.ics", "/boards/fun/seasons/calendar.ics"])
def test_there_is_none_of_other_modes(client, path):
    make_mode("fun", ranked=False)
    assert client.get(path).status_code == 404


def test_the_list_of_seasons_links_to_it(client, mode, django_assert_num_queries):
    assert f'href="{FEED}?lang=de" type="text/calendar"' in client.get(LIST, headers={"Accept-Language": "de"}).text
    with django_assert_num_queries(1):
        client.get(FEED)
