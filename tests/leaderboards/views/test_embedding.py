"""Boards in other sites: a page to frame, and a table for other sites' servers."""

import re

import pytest
from django.utils import timezone

from ranking.models import Player, Rating
from ranking.standings.publishing import publish

pytestmark = pytest.mark.django_db
FRAME, TABLE = "/embed/boards/crowd/", "/embed/boards/crowd/table/"
OURS = "https://clan.example"


@pytest.fixture
def mode(crowd):
    return crowd()


def ancestors_of(response) -> tuple[str, str | None]:
    policy = response.headers["Content-Security-Policy"]
    [ancestors] = re.findall(r"frame-ancestors ([^;]+)", policy)
    return ancestors, response.headers.get("X-Frame-Options")


def test_only_the_sites_of_the_setting_may_frame_it(client, mode, settings):
    assert ancestors_of(client.get(FRAME)) == ("'none'", "DENY")
    settings.EMBED_ORIGINS = [OURS, "http://localhost:8080"]
    framed = [client.get(FRAME), client.get(f"{FRAME}?limit=0"), client.get("/embed/boards/nope/")]
    assert [response.status_code for response in framed] == [200, 400, 404]
    assert {ancestors_of(response) for response in framed} == {(f"{OURS} http://localhost:8080", None)}
    for path in ("/boards/crowd/", TABLE, "/account/", "/"):
        assert ancestors_of(client.get(path)) == ("'none'", "DENY"), path


def test_rows_are_those_of_the_board_with_absolute_links(client, mode):
    for address, new_tab in ((f"{FRAME}?limit=3", True), (f"{TABLE}?limit=3", False)):
        html = client.get(address).content.decode()
        names = re.findall(r'mode=crowd"[^>]*>([^<]+)</a>', html)
        assert names == [row.player.name for row in client.get("/boards/crowd/").context["page"].shown[:3]]
        links = re.findall(r"<a ([^>]+)>", html)
        assert len(links) == 4
        assert all(re.search(r'href="http://testserver/(boards|players)/', link) for link in links)
        assert {'target="_blank" rel="noopener"' in link for link in links} == {new_tab}


def test_the_table_has_no_script_and_no_style(client, mode):
    html = client.get(TABLE).content.decode()
    assert html.startswith('<section class="rungs-board"')
    assert html.count("<tr>") == 11
    assert not re.search(r"<script|<style|<link| style=| on\w+=| hx-|javascript:", html)


@pytest.mark.parametrize("address", [FRAME, TABLE])
def test_the_same_for_everybody_without_cookies(admin_client, client, mode, address):
    stranger, admin = client.get(address, headers={"Accept-Language": "de"}), admin_client.get(f"{address}?lang=en")
    assert stranger.headers["Cache-Control"] == "public, max-age=60"
    assert not stranger.cookies
    assert not admin.cookies
    assert "cookie" not in stranger.headers.get("Vary", "").lower()
    if address == TABLE:
        assert stranger.content == admin.content
    german = client.get(f"{address}?lang=de")
    assert (">Spieler<" in german.content.decode(), german.cookies) == (True, {})
    assert client.get(address, headers={"If-None-Match": stranger["ETag"]}).status_code == 304
    refused = client.get(address, headers={"If-Match": '"another"'})
    assert (refused.status_code, "Cache-Control" in refused.headers) == (412, False)


@pytest.mark.parametrize("address", [FRAME, TABLE])
def test_queries(client, mode, address, django_assert_num_queries):
    client.get(address)
    for limit in (1, 50):
        with django_assert_num_queries(2):
            assert client.get(f"{address}?limit={limit}").content.count(b"<tr>") == limit + 1


def test_an_open_page_asks_for_what_is_newer(client, mode):
    [address] = re.findall(r'hx-get="([^"]+)"', client.get(f"{FRAME}?limit=2&theme=dark").content.decode())
    address = address.replace("&amp;", "&")
    htmx = {"HX-Request": "true"}
    assert client.get(address, headers=htmx).status_code == 204
    newer = client.get(re.sub(r"since=\d+", "since=1000000", address), headers=htmx)
    assert (newer.status_code, 'data-theme="dark"' in newer.content.decode()) == (200, True)
    assert client.get(address).status_code == 200  # somebody opens the address by hand
    assert client.get("/embed/boards/nope/?since=None", headers=htmx).status_code == 404


def test_what_is_refused_is_said(client, mode):
    cases = {
        f"{TABLE}?limit=101": (400, "limit must be a whole number from 1 to 100."),
        f"{TABLE}?limit=many": (400, "limit must be a whole number from 1 to 100."),
        f"{TABLE}?theme=dark": (400, "There is no parameter theme; there are region, limit, lang."),
        f"{TABLE}?since=1": (400, "There is no parameter since; there are region, limit, lang."),
        f"{TABLE}?region=nowhere": (404, "There is no such region."),
        "/embed/boards/nope/table/": (404, "There is no board of that name."),
    }
    answers = {address: client.get(address) for address in cases}
    assert {at: (answer.status_code, answer.content.decode()) for at, answer in answers.items()} == cases
    assert "theme must be one of light, dark, auto." in client.get(f"{FRAME}?theme=pink").content.decode()


def test_hidden_players_and_hidden_ratings_are_left_out(client, mode):
    first = client.get("/boards/crowd/").context["page"].shown[0].player
    Player.objects.filter(pk=first.pk).update(hidden_at=timezone.now())
    mode.shows_rating = False
    mode.save()
    Rating.objects.update(to_publish=True)
    publish(mode, now=timezone.now())
    html = client.get(f"{TABLE}?limit=100").content.decode()
    assert f">{first.name}<" not in html
    assert "rungs-rating" not in html
