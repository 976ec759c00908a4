"""The picture of a link preview and the badge: what they show, to whom, and what pages may do with them."""

import io
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.html import escape
from PIL import Image
from pytest_django import DjangoAssertNumQueries

from leaderboards.display.badge import make_badge
from leaderboards.display.player_card import Card, draw_card
from leaderboards.profiles.cards import load_card
from leaderboards.views import pictures
from ranking.models import Mode, Player
from ranking.players.anonymising import anonymise_player
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.factories import LATER, NOW, hide_player, make_mode, record
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
BOTH = ("/players/me/card.png", "/players/me/badge.svg")
HOSTILE = ["<script>alert(1)</script>", "\"'&<>", "]]><!--", "x" * 64, "ä€😀 東京", "%00 &#0;", "{{ x }}{% y %}"]


def duel(name: str = "Kestrel", key: str = "me", **settings: Any) -> Mode:
    mode = make_mode("duel", **settings)
    for number in range(3):
        record([PlayerReport(id=key, name=name)], [f"x{number}"])
    publish(mode, now=NOW)
    return mode


def card_of(key: str = "me", slug: str = "") -> Card:
    card = load_card(key, slug, LATER)
    assert card is not None
    return card


def words_of(drawn: str) -> list[str]:
    """Every text of an SVG, which must be XML."""
    return [element.text or "" for element in ET.fromstring(drawn).iter() if element.text and element.text.strip()]


def test_what_a_card_says() -> None:
    duel()
    card = card_of()
    assert (card.name, card.mode, card.rank, card.listed, card.rating) == ("Kestrel", "Duel", "#1", "4", "25.75")
    assert (card.top, card.tier, card.tier_colour, card.absence) == ("Top 25 %", "Master", "master", "")
    assert card.curve == (2526, 2551, 2575)


@pytest.mark.parametrize(
    ("settings", "gone"),
    [
        ({"shows_rating": False}, {"rating": "", "curve": ()}),
        ({"shows_percentile": False}, {"top": ""}),
        ({"shows_tier": False}, {"tier": "", "tier_colour": ""}),
    ],
)
def test_what_the_mode_does_not_show_is_not_on_it(settings: dict[str, bool], gone: dict[str, Any]) -> None:
    duel(**settings)
    card = card_of()
    assert {name: getattr(card, name) for name in gone} == gone
    assert card.rank == "#1"


def test_who_hides_their_matches_has_no_curve() -> None:
    duel()
    Player.objects.update(hides_matches=True)
    assert (card_of().curve, card_of().rank) == ((), "#1")


def test_unplaced() -> None:
    duel(placement_matches=10)
    assert card_of() == Card("Kestrel", "Duel", absence="3 of 10 placement matches")


def test_without_a_mode_the_ranked_one_played_last() -> None:
    make_mode("fun", ranked=False)
    duel()
    record(["me"], ["x"], mode="fun", ended_at=LATER, now=LATER)
    assert card_of().mode == "Duel"


def test_nothing_to_show(client: Client) -> None:
    make_mode("fun", ranked=False)
    duel()
    record(["me"], ["x0"], mode="fun")
    nothing = [f"{url}?mode={mode}" for url in BOTH for mode in ("nope", "fun", "%00")]
    assert {url: client.get(url).status_code for url in BOTH} == dict.fromkeys(BOTH, 200)
    assert {url: client.get(url).status_code for url in nothing} == dict.fromkeys(nothing, 404)


@pytest.mark.parametrize("url", BOTH)
def test_nobody_hidden_gone_or_unknown(client: Client, url: str) -> None:
    duel()
    player = Player.objects.get(key="me")
    assert client.get(url.replace("me", "nobody", 1)).status_code == 404
    hide_player(player, now=NOW)
    assert client.get(url).status_code == 404
    anonymise_player(player, now=NOW)
    assert client.get(url.replace("me", player.key, 1)).status_code == 404


@pytest.mark.parametrize("url", BOTH)
def test_queries(client: Client, django_assert_num_queries: DjangoAssertNumQueries, url: str) -> None:
    duel()
    client.force_login(User.objects.create_user("fox"))
    client.get(url)
    with django_assert_num_queries(3):  # player, ratings, curve: no session, no account
        client.get(url)


@pytest.mark.parametrize(("url", "kind"), [(BOTH[0], "image/png"), (BOTH[1], "image/svg+xml")])
def test_headers_let_any_page_show_it(client: Client, url: str, kind: str) -> None:
    duel()
    response = client.get(url)
    wanted = {
        "Content-Type": kind,
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
        "Cache-Control": "public, max-age=300",
        "Vary": None if settings.SCALED else "Accept-Encoding",
        "Set-Cookie": None,
    }
    assert {name: response.headers.get(name) for name in wanted} == wanted


@pytest.mark.parametrize("url", BOTH)
def test_sent_again_only_when_it_says_something_new(client: Client, url: str) -> None:
    mode = duel()
    etag = client.get(url).headers["ETag"]
    again = client.get(url, headers={"If-None-Match": etag})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
    record(["x0"], ["me"])
    publish(mode, now=LATER)
    fresh = client.get(url, headers={"If-None-Match": etag})
    assert (fresh.status_code, fresh.headers["ETag"] != etag) == (200, True)


def test_the_picture_is_of_the_size_that_previews_want(client: Client) -> None:
    duel()
    drawn = Image.open(io.BytesIO(client.get(BOTH[0]).content))
    assert (drawn.format, drawn.size) == ("PNG", (1200, 630))


def test_any_name_can_be_drawn() -> None:
    sizes = {name: Image.open(io.BytesIO(drawn_with(name))).size for name in HOSTILE}
    assert sizes == dict.fromkeys(HOSTILE, (1200, 630))


def drawn_with(name: str) -> bytes:
    card = Card(
        name, name, rank="#1,234,567", listed="10,000,000", rating="−9,999,999.99", tier=name[:30], curve=(1, 1)
    )
    return draw_card(card, pictures._font())


def test_a_name_that_the_font_cannot_write_is_left_out() -> None:
    tokyo, seoul, latin = (draw_card(Card(name, "Duel"), pictures._font()) for name in ("東京", "서울", "Ærøskøbing"))
    assert tokyo == seoul
    assert latin != tokyo


def test_hostile_names_stay_words(client: Client) -> None:
    mode = duel()
    shown = {}
    for name in HOSTILE:
        with rolled_back():
            Mode.objects.update(name=name)
            badge = words_of(client.get(BOTH[1]).content.decode())
            Player.objects.filter(key="me").update(name=name)
            page = client.get(f"/players/me/?mode={mode.slug}").content.decode()
            shown[name] = badge, f'<meta property="og:title" content="{escape(name)} · {escape(name)}">' in page
    figures = "Master · #1 · 25.75"
    assert shown == {name: ([f"{name}: {figures}", name, figures], True) for name in HOSTILE}


def test_the_page_leads_to_both(client: Client) -> None:
    keys = ["a/b", "a b", "ä€😀", "a%2Fb", "a?b=c", "a#b", "'\"<b>", "..a", "x/card.png"]
    statuses = {}
    for key in keys:
        with rolled_back():
            duel(key=key)
            preview = client.get(reverse("leaderboards:player", args=[key])).context["preview"]
            led = (preview.page, preview.picture, preview.badge)
            statuses[key] = tuple(client.get(url).status_code for url in led)
    assert statuses == dict.fromkeys(keys, (200, 200, 200))


@pytest.mark.parametrize(
    ("settings", "sentence", "has_picture"),
    [
        ({}, "Rank 1 of 4, Master, rating 25.75.", True),
        ({"shows_rating": False, "shows_tier": False}, "Rank 1 of 4.", True),
        ({"placement_matches": 5}, "3 of 5 placement matches.", True),
        ({"ranked": False}, "Played for fun: no ratings and no board.", False),
    ],
)
def test_what_a_link_shows(client: Client, settings: dict[str, Any], sentence: str, has_picture: bool) -> None:
    duel(**settings)
    page = client.get("/players/me/").content.decode()
    assert f'<meta property="og:description" content="{sentence}">' in page
    assert f'<meta name="description" content="{sentence}">' in page
    address = '<meta property="og:image" content="http://testserver/players/me/card.png?mode=duel">'
    assert (address in page) is has_picture


def test_a_badge_is_as_wide_as_its_words() -> None:
    badge = make_badge(Card("Kestrel", "Duel", rank="#17", rating="1,021", tier="Gold II", tier_colour="gold"))
    assert badge.words == "Duel: Gold II · #17 · 1,021"
    assert badge.width == badge.label.width + badge.value.width
    assert badge.value.left == badge.label.width
    assert make_badge(Card("K", "Duel", absence="3 of 10 placement matches")).words == "Duel: 3 of 10 placement matches"
    assert make_badge(Card("K", "Duel")).words == "Duel: unranked"
