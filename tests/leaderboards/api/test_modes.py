"""GET /api/v1/modes/: what is played, and by which rules."""

import pytest

from tests.support.api import get, make_key, walk
from tests.support.factories import NOW, make_mode

pytestmark = pytest.mark.django_db


def test_a_mode_is_told_with_its_rules_and_season():
    make_mode("duel", description="One on one.", tier_scheme="1-50", shows_percentile=False)
    [mode] = get("modes/").body["items"]
    tiers = mode.pop("tiers")
    assert (len(tiers), tiers[:2]) == (50, [{"name": "1", "first": 1}, {"name": "2", "first": 3}])
    assert mode == {
        "slug": "duel", "name": "Duel", "description": "One on one.", "ranked": True, "team_count": 2,
        "fewest_teams": 2,
        "team_size_min": 1, "team_size_max": 6, "placement_matches": 1, "activity_matches": 1, "activity_days": 30,
        "tier_scheme": "1-50", "tier_least_listed": 0, "time_zone": "UTC", "withdraw_seconds": 0, "system": "elo",
        "shows": {"rating": True, "rank": True, "percentile": False, "tier": True},
        "season": {"number": 1, "name": "Season 1", "starts_at": f"{NOW:%Y-%m-%dT%H:%M:%SZ}", "ends_at": None},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("scopes", "shows", "tiers"), [((), False, 0), (("read",), False, 0), (("ratings:hidden",), True, 6)]
)
def test_an_unranked_mode_shows_nothing(scopes, shows, tiers):
    make_mode(ranked=False)
    [mode] = get("modes/", key=make_key(*scopes) if scopes else "").body["items"]
    assert (mode["ranked"], set(mode["shows"].values()), len(mode["tiers"])) == (False, {shows}, tiers)


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_pages_by_name(limit):
    for slug in ("b", "d", "a", "c"):
        make_mode(slug)
    assert [mode["slug"] for mode in walk(f"modes/?limit={limit}")] == ["a", "b", "c", "d"]


@pytest.mark.parametrize("number", [1, 3])
def test_a_list_takes_one_query(django_assert_num_queries, number):
    for index in range(number):
        make_mode(f"m{index}")
    with django_assert_num_queries(1):
        assert len(get("modes/").body["items"]) == number


@pytest.mark.parametrize(("query", "field"), [("?ranked=1", "ranked"), ("?after=x", "after"), ("?limit=0", "limit")])
def test_bad_parameters_are_named(query, field):
    answer = get(f"modes/{query}")
    assert (answer.status, answer.fields) == (400, [field])
