"""Players who brought a rating along have pages from the first day on, before their first match."""

import pytest
from django.test import Client

from ranking.standings.publishing import publish
from tests.support.api import get
from tests.support.factories import NOW, make_mode, record
from tests.support.seasons import bring_along

pytestmark = pytest.mark.django_db


def test_every_row_of_the_board_leads_to_a_page(client: Client) -> None:
    mode = make_mode("duel", placement_matches=3)
    bring_along(mode, "new-1,,31.25,,340\nnew-2,,12,,25\n", placed=True)
    publish(mode, now=NOW)
    assert [row["player"]["id"] for row in get("boards/duel/").body["items"]] == ["new-1", "new-2"]
    assert [client.get(f"/players/{key}/?mode=duel").status_code for key in ("new-1", "new-2")] == [200, 200]
    page = client.get("/players/new-1/").text
    for words in ("#1", "Matches brought along", "340", "from elsewhere"):
        assert words in page, words
    [own] = get("players/new-1/").body["modes"]
    assert (own["mode"], own["rank"], own["wins"], own["last_match_at"]) == ("duel", 1, 0, None)


def test_a_mode_that_was_played_comes_first(client: Client) -> None:
    duel, other = make_mode("duel"), make_mode("other")
    bring_along(duel, "a,,31.25,,340\n", placed=True)
    record(["a"], ["b"], mode="other")
    for mode in (duel, other):
        publish(mode, now=NOW)
    assert [own["mode"] for own in get("players/a/").body["modes"]] == ["other", "duel"]
    assert "from elsewhere" not in client.get("/players/a/").text
