"""What is at stake before a match is what the match then does."""

import datetime as dt

import pytest

from matchmaking.lobbies.stakes import Outlook, outlook_of
from ranking.models import Player, Rating
from ranking.modes.parameters import current_parameters, system_of
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


def ids(*keys: str) -> list[int]:
    return [Player.objects.get(key=key).pk for key in keys]


def outlook(mode, teams, parties, watched, now=NOW):
    ratings = {row.player_id: row for row in Rating.objects.filter(mode=mode)}
    system = system_of(current_parameters(mode))
    return outlook_of(mode, system, ratings, teams, parties=parties, watched=watched, now=now)


def seasoned(system: str = "elo", **settings):
    """A mode in which a has won against b, c and d, who have lost."""
    mode = make_mode(system=system, **settings)
    record(["a"], ["b"])
    record(["a"], ["c"])
    record(["a"], ["d"])
    return mode


@pytest.mark.parametrize(("system", "teams"), [
    ("elo", [["a"], ["b"]]), ("elo", [["a", "b"], ["c", "d"]]), ("trueskill", [["a", "b"], ["c", "d"]]),
    ("two-layer", [["a", "b"], ["c", "d"]]), ("team-ratio", [["a"], ["b"]]), ("weng-lin", [["b"], ["c"]]),
    ("margin", [["a", "b"], ["c", "d"]]),
])  # fmt: skip
@pytest.mark.parametrize("places", [(1, 2), (1, 1), (2, 1)])
def test_the_match_does_what_was_at_stake(system, teams, places):
    mode = seasoned(system)
    watched = Player.objects.get(key=teams[0][0])
    told = outlook(mode, [ids(*team) for team in teams], {}, watched.pk)
    recorded = record(*teams, places=places).record
    [change] = [change for change in recorded.changes if change.player_id == watched.pk]
    stakes = {(1, 2): told.stakes.won, (1, 1): told.stakes.drew, (2, 1): told.stakes.lost}[places]
    before, after = change.display_before, change.display_after
    assert (stakes.direction, stakes.size.replace(",", "")) == (
        "up" if after > before else "down" if after < before else "same",
        f"{abs(after - before) / 100:.{len(stakes.size.partition('.')[2])}f}",
    )
    assert told.chances[0] == change.win_probability


def test_parties_count_where_the_system_counts_them():
    mode = seasoned("two-layer", params={"party_bonus": 200})
    a, b, c, d = ids("a", "b", "c", "d")
    alone, together = (outlook(mode, [[a, b], [c, d]], parties, a) for parties in ({}, {a: "x", b: "x"}))
    assert alone.chances[0] < together.chances[0]


def test_strangers_are_newcomers_and_nobody_watches():
    mode = make_mode()
    make_mode("other")
    record(["a"], ["b"], mode="other")
    assert outlook(mode, [ids("a"), ids("b")], {}, None) == Outlook((0.5, 0.5))


def test_days_without_a_match_count_where_the_system_counts_them():
    mode = seasoned("glicko-2", team_size_max=1)
    soon, late = (
        outlook(mode, [ids("a"), ids("b")], {}, ids("a")[0], NOW + dt.timedelta(days=days)) for days in (0, 300)
    )
    assert soon.stakes.won.size != late.stakes.won.size


@pytest.mark.parametrize("settings", [{"ranked": False}, {"shows_rating": False}])
def test_nothing_is_told_of_ratings_that_are_hidden(settings):
    mode = seasoned(**settings)
    assert outlook(mode, [ids("a"), ids("b")], {}, ids("a")[0]) == Outlook((None, None))
