"""/api/v1/matches/{number}/links/: whoever reported a match links its replay and videos."""

import pytest
from django.test import Client

from ranking.models import Match, Mode
from tests.support.api import call, get, make_key
from tests.support.factories import make_mode, record

pytestmark = pytest.mark.django_db
REPLAY = {"kind": "replay", "url": "https://replays.example.org/1"}


@pytest.fixture
def match() -> Match:
    make_mode(link_hosts="replays.example.org")
    record(["me"], ["you"])
    return Match.objects.get()


def put(match: Match, body, key: str | None = None):
    return call("PUT", f"matches/{match.pk}/links/", body, key=key or make_key("results", source=match.source.slug))


def test_links_are_shown_and_replaced(client: Client, match: Match):
    key = make_key("results", source=match.source.slug)
    assert get(f"matches/{match.pk}/").body["links"] == []
    answer = put(match, {"links": [REPLAY]}, key)
    assert (answer.status, answer.body) == (200, {"links": [REPLAY]})
    assert get(f"matches/{match.pk}/").body["links"] == [REPLAY]
    assert f'href="{REPLAY["url"]}"' in client.get(f"/matches/{match.pk}/").text
    assert put(match, {"links": []}, key).body == {"links": []}
    assert Match.objects.get().links == []


def test_what_is_refused_changes_nothing(match: Match):
    key = make_key("results", source=match.source.slug)
    put(match, {"links": [REPLAY]}, key)
    cases = {
        "links[1].url: The mode doesn't take links to example.com; it takes replays.example.org.": {
            "links": [REPLAY, {"kind": "video", "url": "https://example.com/"}]
        },
        "links[0].kind": {"links": [{"kind": "song", "url": REPLAY["url"]}]},
        "links: ": {"links": [REPLAY] * 11},
        "links": {},
    }
    for words, body in cases.items():
        answer = put(match, body, key)
        assert answer.status == 400, body
        assert words in answer.body["detail"], (words, answer.body)
    Mode.objects.update(link_hosts="")
    assert "The mode takes no links to matches." in put(match, {"links": [REPLAY]}, key).body["detail"]
    assert Match.objects.get().links == [REPLAY]


def test_only_who_reported_it_links_something(match: Match):
    answer = put(match, {"links": [REPLAY]}, make_key("results", source="another"))
    assert (answer.status, answer.body["detail"]) == (
        403, "Another source reported this match; only its keys may link something."
    )  # fmt: skip
    other = make_key("results", source=match.source.slug, modes=[make_mode("other")])
    assert put(match, {"links": [REPLAY]}, other).body["code"] == "other-mode"
    assert Match.objects.get().links == []
    assert call("PUT", "matches/0/links/", {"links": []}, key=make_key("results")).status == 404
