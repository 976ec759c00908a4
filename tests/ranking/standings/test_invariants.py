"""Doctor finds stored standings that can't all be true at once, and nothing else."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import F

from ranking.matches.forfeits import record_forfeit
from ranking.models import Forfeit, Match, Mode, Participation, Player
from ranking.standings import invariants
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


@pytest.fixture
def stored() -> Match:
    """A match of six of twelve players: a and b are equal before and after it, so are c and d, and e and f."""
    mode = make_mode(team_count=6, team_size_max=1)
    for _ in range(2):
        record(["y"], ["z"], ["u"], ["v"], ["w"], ["x"], places=[1, 1, 6, 6, 6, 6])
    record(["a"], ["b"], ["c"], ["d"], ["e"], ["f"], places=[1, 1, 3, 3, 5, 5])
    publish(mode, now=NOW)
    return record(["a"], ["b"], ["c"], ["d"], ["e"], ["f"], places=[1, 1, 3, 3, 5, 5]).record.match


def codes() -> list[str]:
    return [violation.code for violation in invariants.standings(NOW)]


def part(key: str, **changed: Any) -> Callable[[Match], Any]:
    return lambda match: match.participations.filter(player__key=key).update(**changed)


def test_each_contradiction_is_found(stored, subtests):
    for row, (breakage, expected) in enumerate([
        (lambda match: None, []),
        (part("a", rank_before=None, percentile_before=None, listed_before=None), ["standing.rating"]),
        (part("b", listed_after=F("listed_after") + 1), ["standing.listed"]),
        (part("d", rank_after=F("rank_after") + 1), ["standing.ties"]),
        (part("d", percentile_before=F("percentile_before") + 1), ["standing.ties"]),
        (lambda match: match.participations.filter(player__key__in="cd").update(rank_before=11),
         ["standing.order"]),
        (lambda match: match.participations.filter(player__key__in="ef").update(rank_before=12), ["standing.rank"]),
        (lambda match: match.participations.filter(player__key__in="ef").update(rank_after=12), ["standing.rank"]),
        (part("e", rank_after=0), ["standing.ties", "standing.rank"]),
        (lambda match: match.participations.filter(player__key__in="ab").update(percentile_after=1),
         ["standing.percentile"]),
        (lambda match: match.participations.update(percentile_after=100), ["standing.percentile"]),
        (lambda match: match.participations.update(display_after=None, rank_after=1), []),  # as older rows are
        (lambda match: Mode.objects.update(ranked=False) and match.participations.update(rank_after=99), []),
    ]):  # fmt: skip
        with subtests.test(row=row, expected=expected), rolled_back():
            breakage(stored)
            assert codes() == expected


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        ({"rank_before": 0}, ["standing.rank"]),
        ({"rank_after": 3}, ["standing.rank"]),
        ({"percentile_before": 7}, ["standing.percentile"]),
        ({"percentile_after": 50}, ["standing.percentile"]),
    ],
)
def test_a_forfeits_standing_is_possible(changed, expected):
    mode = make_mode()
    record(["a"], ["b"])
    publish(mode, now=NOW)
    a, b = (Player.objects.get(key=key) for key in "ab")
    record_forfeit(mode, lobby="L", teams=[[a], [b]], player=a, reason="x", now=NOW)
    assert Forfeit.objects.values_list("rank_before", "rank_after", "listed_after").get() == (1, 1, 2)
    Forfeit.objects.update(**changed)
    assert codes() == expected


def test_among_very_many_players():
    """A hundred times their number doesn't fit into 32 bits, in which ranks are stored."""
    mode = make_mode()
    record(["a"], ["b"])
    publish(mode, now=NOW)
    a, b = (Player.objects.get(key=key) for key in "ab")
    record_forfeit(mode, lobby="L", teams=[[a], [b]], player=a, reason="x", now=NOW)
    match = record(["a"], ["b"]).record.match
    many = 50_000_000
    standing = {"rank_before": many // 4, "percentile_before": 75, "listed_before": many}
    Forfeit.objects.update(**standing)
    match.participations.filter(player=a).update(**standing)
    match.participations.filter(player=b).update(**standing | {"rank_before": many // 2, "percentile_before": 51})
    assert codes() == []
    Forfeit.objects.update(percentile_before=77)
    assert codes() == ["standing.percentile"]


def test_a_sound_ledger_takes_four_queries(stored, django_assert_num_queries):
    assert Participation.objects.filter(display_after__isnull=False).exists()
    with django_assert_num_queries(4):
        assert codes() == []
