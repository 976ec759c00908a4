"""A region's board as a page, and the player's choice of a region."""

import gzip
import re
from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.boards.pages import BoardPage
from ranking.models import Mode, Player, Rating
from ranking.standings.publishing import publish
from tests.support.factories import LATER, NOW
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
URL = "/boards/crowd/?region=eu-west"


@pytest.fixture
def regions(crowd: Callable[..., Mode]) -> Callable[..., Mode]:
    """A board of 60 of whom every third plays in eu-west, the others in us-east."""

    def make() -> Mode:
        mode = crowd()
        Rating.objects.update(region="us-east", to_publish=True)
        third = [rating.pk for rating in Rating.objects.select_related("player") if int(rating.player.key[3:]) % 3 == 0]
        Rating.objects.filter(pk__in=third).update(region="eu-west")
        publish(mode, now=NOW, count_all=True)
        return mode

    return make


def page_of(client: Client, url: str = URL) -> BoardPage:
    page: BoardPage = client.get(url).context["page"]
    return page


def test_rank_is_the_regions_and_standing_everyones(client: Client, regions: Callable[..., Mode]) -> None:
    regions()
    page = page_of(client)
    assert [(row.player.key, row.rank, row.standing.rank) for row in page.shown][:4] == [
        ("p0-00", 1, 1), ("p0-03", 2, 4), ("p0-06", 3, 7), ("p0-09", 4, 10),
    ]  # fmt: skip
    assert (page.listed, page.regions) == (20, ["eu-west", "us-east"])


def test_the_switcher_names_every_region(client: Client, regions: Callable[..., Mode]) -> None:
    regions()
    for url in ("/boards/crowd/", URL):
        body = client.get(url).content.decode()
        assert [f"?region={name}" in body for name in ("eu-west", "us-east")] == [True, True]


def test_the_viewers_region_stands_first(
    client: Client, regions: Callable[..., Mode], log_in: Callable[[str], Player]
) -> None:
    regions()
    addresses = ("/boards/crowd/", URL, "/boards/crowd/distribution/", "/boards/crowd/tiers/")

    def marks() -> set[tuple[str, ...]]:
        """Of each page, its regions in their order, `*` behind one that is marked as the viewer's own."""
        bodies = [client.get(url).text for url in addresses]
        links = r'<bdi translate="no">([^<]+)</bdi>( <span class="you">)?[^<]*(?:</span>)?</a>'
        return {tuple(name + "*" * bool(own) for name, own in re.findall(links, body)) for body in bodies}

    assert marks() == {("Europe West", "US East")}
    homes = {}
    for key in ("p0-00", "p0-01"):
        region = Rating.objects.get(player__key=key).region
        log_in(key)
        homes[region] = marks()
    assert homes == {
        "eu-west": {("Europe West*", "US East")}, "us-east": {("US East*", "Europe West")},
    }  # fmt: skip


def test_tabs_and_the_switcher_stay_on_the_distribution(
    client: Client, regions: Callable[..., Mode], log_in: Callable[[str], Player]
) -> None:
    regions()
    log_in("p0-04")
    board, distribution, tiers = (
        re.findall(r'<a href="([^"]+)" hx-get="[^"]+"(?: id="((?:tab|region)[^"]+)")', client.get(url).text)
        for url in ("/boards/crowd/", "/boards/crowd/distribution/", "/boards/crowd/tiers/")
    )
    assert distribution == tiers == board
    assert [name for _, name in board] == [
        "tab-global", "tab-friends", "tab-around", "tab-distribution", "tab-tiers", "region-all",
    ]  # fmt: skip


def test_no_switcher_where_there_are_no_regions(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    assert 'aria-label="Regions"' not in client.get("/boards/crowd/").content.decode()


def test_pages_and_jumps_stay_in_the_region(client: Client, regions: Callable[..., Mode]) -> None:
    regions()
    second = page_of(client, "/boards/crowd/?region=us-east&rank=35")
    assert [row.rank for row in second.shown] == list(range(35, 41))
    text = client.get("/boards/crowd/?region=us-east&rank=35").text
    assert re.findall(r'<a id="previous" rel="prev" href="([^"]+)"', text) == ["/boards/crowd/?region=us-east"]


def test_an_unknown_region_has_no_board(client: Client, regions: Callable[..., Mode]) -> None:
    mode = regions()
    for address in ("/boards/crowd/?region=mars", "/boards/crowd/?region=mars%00", "/boards/crowd/?region=mars&q=p0"):
        assert client.get(address).status_code == 404
    Rating.objects.filter(region="eu-west").update(region="mars", to_publish=True)
    publish(mode, now=NOW, count_all=True)
    assert page_of(client, "/boards/crowd/?region=mars").listed == 20


def test_a_known_region_without_players_is_an_empty_board(client: Client, regions: Callable[..., Mode]) -> None:
    regions()
    page = page_of(client, "/boards/crowd/?region=sa-east")
    assert (page.shown, page.listed) == ([], 0)


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_the_heading_names_the_region(client: Client, regions: Callable[..., Mode], headers: dict[str, str]) -> None:
    """Also where only a part of the page is replaced."""
    regions()
    for url, name in (("/boards/crowd/", "Crowd"), (URL, "Crowd · <bdi>Europe West</bdi>")):
        text = client.get(url, headers=headers).text
        assert re.findall(r"<h1[^>]*>(.*?)</h1>", text) == [name]


@pytest.mark.parametrize(("key", "on_page", "words"), [("p0-03", True, None), ("p0-04", False, "You play in US East")])
def test_the_viewer_there_or_elsewhere(
    client: Client,
    regions: Callable[..., Mode],
    log_in: Callable[[str], Player],
    key: str,
    on_page: bool,
    words: str | None,
) -> None:
    regions()
    log_in(key)
    own = page_of(client).own
    assert own is not None
    assert (own.on_page, own.absence and own.absence.words) == (on_page, words)


def test_an_archived_board_has_no_row_of_a_viewer_who_played_elsewhere(
    client: Client, regions: Callable[..., Mode], log_in: Callable[[str], Player]
) -> None:
    end(regions(), at=LATER)
    log_in("p0-04")
    own = page_of(client, f"{URL}&season=1").own
    assert own is not None
    assert own.absence is not None
    assert (own.row, own.absence.reason, "US East" in own.absence.words) == (None, "elsewhere", True)


def test_choosing_a_region(client: Client, regions: Callable[..., Mode], log_in: Callable[[str], Player]) -> None:
    mode = regions()
    log_in("p0-04")
    before = client.get(URL).text
    assert ("Play in Europe" in before, "<b>Europe West</b>" in before) == (True, False)
    answer = client.post("/boards/crowd/region/", {"region": "eu-west"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/boards/crowd/?region=eu-west")
    assert "<b>Europe West</b>" in client.get(URL).text
    publish(mode, now=NOW)
    own = page_of(client).own
    assert own is not None
    assert own.on_page
    assert "again on 19 Jun" in client.get("/boards/crowd/?region=us-east").text
    refused = client.post("/boards/crowd/region/", {"region": "us-east"})
    assert (refused.status_code, "19 Jun 2026" in refused.context["page"].problem) == (409, True)
    refused = client.post("/boards/crowd/region/?lang=de", {"region": "eu-west"})
    assert "Europa West" in refused.context["page"].problem
    assert client.post("/boards/crowd/region/", {"region": "mars"}).status_code == 409


@pytest.mark.parametrize("key", ["", "stranger"])
def test_only_who_plays_the_mode_has_a_region(
    client: Client, regions: Callable[..., Mode], log_in: Callable[[str], Player], key: str
) -> None:
    regions()
    if key:
        Player.objects.create(key=key, name=key, search_name=key, created_at=NOW)
        log_in(key)
    assert client.post("/boards/crowd/region/", {"region": "eu-west"}).status_code == 404


@pytest.mark.parametrize(("key", "queries"), [("", 3), ("p0-03", 7)])
def test_queries(
    client: Client,
    regions: Callable[..., Mode],
    log_in: Callable[[str], Player],
    django_assert_num_queries: DjangoAssertNumQueries,
    key: str,
    queries: int,
) -> None:
    regions()
    if key:
        log_in(key)
    client.get(URL)
    with django_assert_num_queries(queries):
        client.get(URL)


def test_who_chose_a_region_today_is_new_on_its_board(
    client: Client, regions: Callable[..., Mode], log_in: Callable[[str], Player]
) -> None:
    mode = regions()
    mode.snapshots.update(taken_at=NOW.replace(day=NOW.day - 1))
    Rating.objects.update(published_on=NOW.date().replace(day=NOW.day - 1))
    Rating.objects.filter(player__key="p0-04").update(chosen_region="eu-west", region_chosen_at=NOW, to_publish=True)
    publish(mode, now=NOW)
    moves = {row.player.key: "new" if row.new else row.movement and row.movement.text for row in page_of(client).shown}
    assert (moves["p0-00"], moves["p0-04"], moves["p0-06"]) == ("±0", "new", "−1")


@pytest.mark.parametrize("url", [URL, "/boards/crowd/", "/boards/crowd/?q=p0", "/boards/crowd/distribution/"])
def test_a_board_is_small_on_the_wire(
    client: Client, regions: Callable[..., Mode], log_in: Callable[[str], Player], url: str
) -> None:
    regions()
    log_in("p0-04")
    assert len(gzip.compress(client.get(url).content)) <= 60_000
