"""The page that explains tiers, and the way to the next one."""

from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.boards.tiers import Tiers
from ranking.models import Mode, Player

pytestmark = pytest.mark.django_db
URL = "/boards/crowd/tiers/"


def tiers_of(client: Client) -> Tiers:
    response = client.get(URL)
    assert response.status_code == 200
    tiers: Tiers = response.context["tiers"]
    return tiers


def test_tiers_with_shares_bounds_and_how_many_hold_each(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    tiers = tiers_of(client)
    assert [(line.name, line.share, line.emblem) for line in tiers.lines] == [
        ("Master", 4, "master-0"),
        ("Diamond", 9, "diamond-0"),
        ("Platinum", 18, "platinum-0"),
        ("Gold", 25, "gold-0"),
        ("Silver", 25, "silver-0"),
        ("Bronze", 19, "bronze-0"),
    ]
    assert sum(line.places.players for line in tiers.lines) == 60
    assert all(line.places.players == sum(step.places.players for step in line.steps) for line in tiers.lines)
    assert [tuple(line.places) for line in tiers.lines][:3] == [(1, 3), (4, 8), (9, 19)]
    assert "the first 3 of 60" in client.get(URL).text
    assert "places 4 to 8 of 60" in client.get(URL).text
    assert [step.tier.label for step in tiers.lines[1].steps] == ["Diamond I", "Diamond II", "Diamond III"]
    ratings = [float(step.rating) for line in tiers.lines for step in line.steps if step.rating]
    assert ratings == sorted(ratings, reverse=True)


def test_the_steps_agree_with_the_board(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd()
    page = client.get("/boards/crowd/?rank=1").context["page"]
    rows = [row for rank in (1, 51) for row in client.get(f"/boards/crowd/?rank={rank}").context["page"].shown]
    labels = [row.standing.tier.label for row in rows]
    assert (page.published.gives_tiers, len(labels)) == (True, 60)
    held = {
        label: (
            float(rows[labels.index(label) + labels.count(label) - 1].rating),
            labels.index(label) + 1,
            labels.count(label),
        )
        for label in labels
    }
    steps = [step for line in tiers_of(client).lines for step in line.steps if step.rating]
    assert {step.tier.label: (float(step.rating), step.places.first, step.places.players) for step in steps} == held


@pytest.mark.parametrize("matches", [1, 2])
def test_a_players_page_names_the_places_of_their_tier(
    client: Client, crowd: Callable[..., Mode], matches: int
) -> None:
    """Those that the board gives to the tier, also where two share each place."""
    crowd(matches=matches)
    rows = [row for rank in (1, 51, 101) for row in client.get(f"/boards/crowd/?rank={rank}").context["page"].shown]
    names = [row.standing.tier.name for row in {row.player.key: row for row in rows}.values()]
    for key in ("p0-00", "p0-20", "p0-59"):
        profile = client.get(f"/players/{key}/").context["profile"]
        name = profile.standing.tier.name
        first = names.index(name) + 1
        assert tuple(profile.tier_places) == (first, first + names.count(name) - 1)


def test_the_way_to_the_next_tier(client: Client, crowd: Callable[..., Mode], log_in: Callable[[str], Player]) -> None:
    crowd()
    for key in ("p0-00", "p0-01"):
        log_in(key)
        tiers = tiers_of(client)
        assert ([step.tier.label for line in tiers.lines for step in line.steps if step.own], tiers.own) == (
            ["Master"], None,
        )  # fmt: skip
    for key in ("p0-20", "p0-59"):
        log_in(key)
        check_way(client, key)


def check_way(client: Client, key: str) -> None:
    """What is told of the next tier is true of its row."""
    tiers = tiers_of(client)
    (own,) = [step for line in tiers.lines for step in line.steps if step.own]
    assert tiers.own is not None
    assert tiers.own.tier.index > own.tier.index
    assert 0 <= tiers.own.percent < 100
    (there,) = [step for line in tiers.lines for step in line.steps if step.tier == tiers.own.tier]
    row = next(row for row in client.get(f"/boards/crowd/?around={key}").context["page"].shown if row.own)
    assert float(row.rating) + float(tiers.own.points) == pytest.approx(float(there.rating))


def test_a_small_board_explains_tiers_before_it_gives_them(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd(tier_least_listed=61)
    tiers = tiers_of(client)
    assert (tiers.gives_tiers, [line.places.players for line in tiers.lines]) == (False, [0] * 6)
    assert "61 ranked players" in client.get(URL).text


def test_a_mode_without_tiers_has_no_such_page(client: Client, crowd: Callable[..., Mode]) -> None:
    crowd(shows_tier=False)
    assert client.get(URL).status_code == 404
    assert "/tiers/" not in client.get("/boards/crowd/").content.decode()


@pytest.mark.parametrize(("key", "queries"), [("", 3), ("p0-30", 7)])
def test_queries(
    client: Client,
    crowd: Callable[..., Mode],
    log_in: Callable[[str], Player],
    django_assert_num_queries: DjangoAssertNumQueries,
    key: str,
    queries: int,
) -> None:
    crowd()
    if key:
        log_in(key)
    client.get(URL)
    with django_assert_num_queries(queries):
        client.get(URL)
