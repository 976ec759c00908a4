"""Regions: a rank table each in every publication, and a player's own choice every thirty days."""

import datetime as dt

import pytest

from ranking.matches import invariants
from ranking.matches.recording import record_results
from ranking.models import Mode, Rating, Snapshot
from ranking.standings import snapshots
from ranking.standings.publishing import publish
from ranking.standings.regions import HELD, SAME, UNKNOWN, NoSuchChoice, choose_region, may_choose_region
from tests.support.factories import NOW, make_mode, make_report, make_source, record

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


def make_regions(**winners: str) -> Mode:
    """A published mode in which each region's winner has beaten a loser of their own."""
    mode = make_mode()
    for region, winner in winners.items():
        record([winner], [f"{winner}-loser"], region=region.replace("_", "-"))
    record(["nowhere"], ["nowhere-loser"])
    publish(mode, now=NOW)
    return mode


def published() -> dict[str, int]:
    """How many are listed by region in the newest publication."""
    newest = Snapshot.objects.filter(region="").latest("id")
    return {"": newest.listed, **{name: found.listed for name, found in snapshots.regions_of(newest).items()}}


def rating_of(key: str) -> Rating:
    return Rating.objects.get(player__key=key)


def test_a_publication_has_a_table_for_everyone_and_each_region():
    mode = make_regions(eu_west="a", us_east="b")
    assert published() == {"": 6, "eu-west": 2, "us-east": 2}
    table = snapshots.newest_table(mode.pk, mode.seasons.get().pk, "eu-west")
    assert table is not None
    assert table.rank_of(rating_of("a-loser").published_hundredths) == 2
    assert list(invariants.violations(NOW)) == []


def test_the_region_is_that_of_the_first_match_also_where_several_come_at_once():
    make_mode()
    reports = [make_report(["a"], [f"b{number}"], region=region) for number, region in enumerate(("eu", "us", "us"))]
    record_results(reports, source=make_source(), now=NOW)
    assert rating_of("a").region == "eu"


def test_a_region_that_nobody_is_listed_in_is_gone():
    mode = make_regions(eu_west="a", us_east="b")
    Rating.objects.filter(region="us-east").update(active_until=NOW)
    publish(mode, now=NOW + DAY)
    assert published() == {"": 4, "eu-west": 2}
    assert list(invariants.violations(NOW)) == []


def test_doctor_sees_a_region_miscounted():
    make_regions(eu_west="a", us_east="b")
    Rating.objects.filter(player__key="a").update(region="us-east")
    assert [violation.code for violation in invariants.violations(NOW)] == ["board.table"]


@pytest.mark.parametrize("regions", [1, 3])
def test_old_publications_go_whole(regions):
    mode = make_regions(**{f"r{number}": f"p{number}" for number in range(regions)})
    moments = [NOW + DAY, NOW + DAY + dt.timedelta(hours=1), NOW + 2 * DAY]
    for moment in moments:
        publish(mode, now=moment)
    kept = Snapshot.objects.order_by("taken_at").values_list("taken_at", flat=True)
    assert list(kept) == [moments[1]] * (regions + 1) + [moments[2]] * (regions + 1)


@pytest.mark.parametrize("regions", [1, 3])
def test_publishing_takes_as_many_queries_however_many_regions(django_assert_max_num_queries, regions):
    mode = make_regions(**{f"r{number}": f"p{number}" for number in range(regions)})
    with django_assert_max_num_queries(21):
        publish(mode, now=NOW + DAY)


def test_a_choice_moves_with_the_next_publication():
    mode = make_regions(eu_west="a", us_east="b")
    choose_region(rating_of("a"), "us-east", now=NOW)
    assert (rating_of("a").region, published()) == ("eu-west", {"": 6, "eu-west": 2, "us-east": 2})
    publish(mode, now=NOW + DAY)
    assert (rating_of("a").region, published()) == ("us-east", {"": 6, "eu-west": 1, "us-east": 3})
    record(["a"], ["a-loser"], region="eu-west")
    publish(mode, now=NOW + DAY)
    assert rating_of("a").region == "us-east"


@pytest.mark.parametrize(("days", "may"), [(0, False), (29, False), (30, True)])
def test_a_choice_holds_for_thirty_days(days, may):
    mode = make_regions(eu_west="a", us_east="b")
    choose_region(rating_of("a"), "us-east", now=NOW)
    publish(mode, now=NOW)
    later = NOW + days * DAY
    assert may_choose_region(rating_of("a"), later) is may
    if may:
        choose_region(rating_of("a"), "eu-west", now=later)
    else:
        with pytest.raises(NoSuchChoice, match=HELD):
            choose_region(rating_of("a"), "eu-west", now=later)


@pytest.mark.parametrize(
    ("region", "code"),
    [("", UNKNOWN), ("mars", UNKNOWN), ("eu-west", SAME)],
)
def test_no_choice(region, code):
    make_regions(eu_west="a", us_east="b")
    with pytest.raises(NoSuchChoice, match=code):
        choose_region(rating_of("a"), region, now=NOW)
    assert rating_of("a").region_chosen_at is None


def test_who_has_no_region_may_choose_one():
    mode = make_regions(eu_west="a")
    choose_region(rating_of("nowhere"), "eu-west", now=NOW)
    publish(mode, now=NOW)
    assert published() == {"": 4, "eu-west": 3}
