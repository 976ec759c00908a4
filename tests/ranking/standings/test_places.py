"""Places as facts, and the counters that are sums over them, whatever happens to the history."""

import random

import pytest

from ranking.matches import invariants
from ranking.models import Match, Participation, Player, Rating
from ranking.moderation.merges import merge_players
from ranking.moderation.splits import split_players
from ranking.moderation.voids import restore, void
from ranking.rerating.reratings import rerate
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record
from tests.support.reratings import rate_anew

pytestmark = pytest.mark.django_db

COUNTERS = ("podiums", "top_halves", "place_sum")


@pytest.fixture
def free_for_all():
    return make_mode("ffa", "weng-lin", team_count=6, team_size_max=1)


def drawn(rng, names):
    """Random places, of which the best is 1."""
    places = [rng.randint(1, 6) for _ in names]
    return [1 + place - min(places) for place in places]


def play(names: str, places=None, left: str = "", **more):
    rosters = [[PlayerReport(id=name, left_early=name in left)] for name in names]
    return record(*rosters, places=places, mode="ffa", **more)


def counters(mode: str = "ffa") -> dict[str, tuple[int, ...]]:
    rows = Rating.objects.filter(mode__slug=mode).values_list("player__key", *COUNTERS)
    return {key: tuple(row) for key, *row in rows}


def sums() -> dict[str, tuple[int, ...]]:
    """What the counters should be, by the facts."""
    expected = dict.fromkeys(Rating.objects.values_list("player__key", flat=True), (0, 0, 0))
    played = Participation.objects.filter(left_early=False, match__event__isnull=False)
    played = played.exclude(match__in=Match.objects.filter(voids__isnull=False, voids__lifted_at=None))
    for key, place, places in played.values_list("player__key", "place", "places"):
        podiums, halves, total = expected[key]
        expected[key] = (podiums + (place <= 3 and places >= 6), halves + (2 * place <= places), total + place)
    return expected


def test_places_are_facts_of_participations(free_for_all):
    play("abcdef", places=(1, 1, 3, 4, 4, 4), left="c")
    rows = Participation.objects.order_by("team").values_list("player__key", "place", "places")
    assert list(rows) == [("a", 1, 6), ("b", 1, 6), ("c", 6, 6), ("d", 3, 6), ("e", 3, 6), ("f", 3, 6)]
    third = (1, 1, 3)
    assert counters() == {"a": (1, 1, 1), "b": (1, 1, 1), "c": (0, 0, 0), "d": third, "e": third, "f": third}


@pytest.mark.parametrize("seed", range(3))
def test_counters_are_sums_over_facts_on_random_histories(free_for_all, seed):
    rng = random.Random(seed)
    for _ in range(14):
        names = rng.sample("abcdefgh", 6)
        play("".join(names), places=drawn(rng, names), left=rng.choice(["", "a", "bc"]))
        if rng.random() < 0.4:
            match = rng.choice(list(Match.objects.all()))
            change = restore if match.voids.filter(lifted_at=None).exists() else void
            change([match], by=None, reason="test", now=NOW)
        if rng.random() < 0.5:
            rerate(free_for_all)
    rerate(free_for_all)
    assert counters() == sums()
    rate_anew(free_for_all)
    assert counters() == sums()
    publish(free_for_all, now=NOW)
    assert [violation.code for violation in invariants.violations(NOW)] == []


def test_a_merge_adds_the_counters_up(free_for_all):
    play("abcdef")
    play("ghcdef")
    kept, merged = (Player.objects.get(key=key) for key in "ag")
    merge_players(kept, merged, by=None, reason="one person", now=NOW)
    assert "rating.places" not in [violation.code for violation in invariants.violations(NOW)]
    rerate(free_for_all)
    assert counters() == sums()
    assert counters()["a"] == (2, 2, 2)


def test_a_split_gives_the_counters_back(free_for_all):
    play("abcdef")
    play("ghcdef", places=(2, 1, 3, 4, 5, 6))
    before = counters()
    kept, merged = (Player.objects.get(key=key) for key in "ag")
    merge = merge_players(kept, merged, by=None, reason="one person", now=NOW)
    rerate(free_for_all)
    split_players(merge, by=None, reason="two persons", now=NOW)
    rerate(free_for_all)
    assert (counters(), counters()) == (before, sums())


@pytest.mark.parametrize("column", COUNTERS)
def test_doctor_finds_a_planted_contradiction(free_for_all, column):
    play("abcdef")
    publish(free_for_all, now=NOW)
    assert [violation.code for violation in invariants.violations(NOW)] == []
    Rating.objects.filter(player__key="b").update(**{column: 5})
    assert [violation.code for violation in invariants.violations(NOW)] == ["rating.places"]


def test_what_an_earlier_version_recorded_gets_its_places_by_a_rerating(free_for_all, client):
    """After `migrate`, its processes go on for a while: they write no places and count none."""
    match = play("abcdef", places=(1, 1, 3, 4, 4, 4), left="c").record.match
    publish(free_for_all, now=NOW)
    expected = counters(), list(Participation.objects.order_by("pk").values_list("place", "places"))
    Participation.objects.update(place=None, places=None)
    Rating.objects.update(podiums=0, top_halves=0, place_sum=0)
    assert [violation.code for violation in invariants.violations(NOW)] == ["match.places"]
    addresses = (f"/matches/{match.pk}/", "/", "/players/a/?mode=ffa", "/compare/a/b/?mode=ffa", "/players/c/?mode=ffa")
    assert [client.get(address).status_code for address in addresses] == [200] * len(addresses)
    assert "2 share first place" in client.get(addresses[0]).text
    rate_anew(free_for_all)
    publish(free_for_all, now=NOW)
    assert (counters(), list(Participation.objects.order_by("pk").values_list("place", "places"))) == expected
    assert [violation.code for violation in invariants.violations(NOW)] == []
