"""What is at stake before a match is what the match then does."""

import datetime as dt
from dataclasses import replace

import pytest
from django.db.models import Value

from matchmaking.lobbies.stakes import Outlook, outlook_of
from matchmaking.lobbies.standings import Field
from ranking.models import Player, Rating
from ranking.modes.mode_states import system_now
from ranking.modes.parameters import current_parameters, system_of
from ranking.systems.base import Entrant
from tests.support.factories import NOW, make_mode, make_report, make_source, record, record_result
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


def ids(*keys: str) -> list[int]:
    return [Player.objects.get(key=key).pk for key in keys]


def field_of(mode):
    people = Player.objects.annotate(banned=Value(False)).in_bulk()
    return Field(people, {row.player_id: row for row in Rating.objects.filter(mode=mode)}, None)


def outlook(mode, teams, parties, watched, now=NOW):
    system = system_of(current_parameters(mode))
    return outlook_of(mode, system, field_of(mode), teams, parties=parties, watched=watched, now=now)


def seasoned(system: str = "elo", **settings):
    """A mode in which a has won against b, c and d, who have lost."""
    mode = make_mode(system=system, **settings)
    record(["a"], ["b"])
    record(["a"], ["c"])
    record(["a"], ["d"])
    return mode


TEAMS = [
    ("elo", [["a"], ["b"]]), ("elo", [["a", "b"], ["c", "d"]]), ("trueskill", [["a", "b"], ["c", "d"]]),
    ("two-layer", [["a", "b"], ["c", "d"]]), ("team-ratio", [["a"], ["b"]]), ("weng-lin", [["b"], ["c"]]),
    ("margin", [["a", "b"], ["c", "d"]]),
]  # fmt: skip


def test_the_match_does_what_was_at_stake():
    told, done = {}, {}
    for system, teams in TEAMS:
        with rolled_back():
            mode = seasoned(system)
            watched = Player.objects.get(key=teams[0][0])
            expected = outlook(mode, [ids(*team) for team in teams], {}, watched.pk)
            at_stake = {(1, 2): expected.stakes.won, (1, 1): expected.stakes.drew, (2, 1): expected.stakes.lost}
            for places, stakes in at_stake.items():
                row = system, str(teams), places
                stakes = stakes.change
                told[row] = stakes.direction, stakes.size.replace(",", ""), expected.chances[0]
                with rolled_back():
                    recorded = record(*teams, places=places).record
                    [change] = [change for change in recorded.changes if change.player_id == watched.pk]
                    before, after = change.display_before, change.display_after
                    done[row] = (
                        "up" if after > before else "down" if after < before else "same",
                        f"{abs(after - before) / 100:.{len(stakes.size.partition('.')[2])}f}",
                        change.win_probability,
                    )
    assert told == done
    assert len(told) == 21


def record_scored(*scores, winner="strong", loser="weak", **more):
    plain = make_report([winner], [loser], **more)
    teams = zip(plain.teams, scores, strict=True)
    report = replace(plain, teams=tuple(replace(team, place=None, score=score) for team, score in teams))
    return record_result(report, source=make_source(), now=NOW).record


def learnt_mode(**params):
    """A margin mode that has learnt from fifty matches, most of which one player has won high."""
    mode = make_mode(system="margin", params=params)
    for number in range(50):
        record_scored(15.0, 5.0 + number % 11)
    return mode


def told_margins(mode, *players):
    """The stakes by margin of the first of two players, as (won, times, signed change)."""
    teams = [ids(player) for player in players]
    stakes = outlook_of(mode, system_now(mode), field_of(mode), teams, parties={}, watched=teams[0][0], now=NOW).stakes
    sign = {"up": 1, "same": 0, "down": -1}
    return [
        (each.won, each.times, sign[each.stake.change.direction] * int(each.stake.change.size))
        for each in stakes.margins
    ]


@pytest.mark.parametrize("players", [("strong", "weak"), ("weak", "strong")])
def test_a_higher_win_is_worth_no_less_and_a_higher_loss_costs_no_less(players):
    margins = told_margins(learnt_mode(), *players)
    assert [(won, times) for won, times, _ in margins] == [
        (True, 0.1), (True, 1.0), (True, 2.0), (False, 0.1), (False, 1.0), (False, 2.0),
    ]  # fmt: skip
    changes = [change for _, _, change in margins]
    assert changes == sorted(changes[:3]) + sorted(changes[3:], reverse=True)
    assert changes[1] < changes[2]
    assert changes[0] >= 0 >= changes[3]


@pytest.mark.parametrize(("times", "at"), [(1, 1), (2, 2)])
def test_the_match_does_what_its_margin_had_at_stake(times, at):
    mode = learnt_mode()
    told = told_margins(mode, "weak", "strong")[at][2]
    system, ratings = system_now(mode), {row.player.key: row for row in Rating.objects.select_related("player")}
    teams = [[Entrant(key, system.from_state(ratings[key].state))] for key in ("weak", "strong")]
    lead = times * system.expected_wins(teams)[0]
    played = record_scored(lead**2, 0.0, winner="weak", loser="strong")
    [change] = [change for change in played.changes if change.player.key == "weak"]
    assert change.display_after - change.display_before == 100 * told


@pytest.mark.parametrize("system", ["margin", "trueskill"])
def test_no_margins_are_at_stake_before_the_mode_has_learnt_them(system):
    mode = make_mode(system=system)
    record_scored(3.0, 1.0)
    assert told_margins(mode, "strong", "weak") == []


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
    assert soon.stakes.won.change.size != late.stakes.won.change.size


@pytest.mark.parametrize("settings", [{"ranked": False}, {"shows_rating": False}])
def test_nothing_is_told_of_ratings_that_are_hidden(settings):
    mode = seasoned(**settings)
    assert outlook(mode, [ids("a"), ids("b")], {}, ids("a")[0]) == Outlook((None, None))
