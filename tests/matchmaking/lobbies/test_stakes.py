"""What is at stake before a match is what the match then does."""

import datetime as dt
import random
from dataclasses import replace

import pytest

from matchmaking.lobbies._standings import Field
from matchmaking.lobbies.stakes import Outlook, outlook_of
from ranking.models import Player, Rating
from ranking.modes.mode_states import system_now
from ranking.modes.parameters import current_parameters, system_of
from ranking.systems.registry import SYSTEMS
from tests.support.factories import NOW, make_mode, make_report, make_source, record, record_result
from tests.support.matchmaking import later
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


def ids(*keys: str) -> list[int]:
    return [Player.objects.get(key=key).pk for key in keys]


def field_of(mode):
    return Field(Player.objects.in_bulk(), {row.player_id: row for row in Rating.objects.filter(mode=mode)}, None)


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
        record_scored(15.0, 5.0 + number % 10)
    return mode


def told_margins(mode, *players):
    """The stakes by scores of the first of two players, as (won, scores, change)."""
    stakes = told_stakes(mode, *players)
    return [(each.won, each.scores, each.stake.by // 100) for each in stakes.margins]


def told_stakes(mode, *players):
    teams = [ids(player) for player in players]
    return outlook_of(mode, system_now(mode), field_of(mode), teams, parties={}, watched=teams[0][0], now=NOW).stakes


@pytest.mark.parametrize("players", [("strong", "weak"), ("weak", "strong")])
def test_a_higher_win_is_worth_no_less_and_a_higher_loss_costs_no_less(players):
    margins = told_margins(learnt_mode(), *players)
    usual = [(15.0, 13.0), (15.0, 9.0), (15.0, 5.0)]
    told = [*((True, scores) for scores in usual), (True, None), *((False, scores[::-1]) for scores in usual)]
    assert [(won, scores) for won, scores, _ in margins] == [*told, (False, None)]
    changes = [change for _, _, change in margins]
    assert changes == sorted(changes[:4]) + sorted(changes[4:], reverse=True)
    assert changes[1] < changes[3]
    assert changes[0] >= 0 >= changes[4]


def test_the_match_does_what_its_scores_had_at_stake():
    mode = learnt_mode()
    margins = [margin for margin in told_margins(mode, "weak", "strong") if margin[1] is not None]
    told, done = {scores: change for _, scores, change in margins}, {}
    for scores in told:
        with rolled_back():
            played = record_scored(*scores, winner="weak", loser="strong")
            [change] = [change for change in played.changes if change.player.key == "weak"]
            done[scores] = (change.display_after - change.display_before) // 100
    assert (told, len(told)) == (done, 6)


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_result_moves_a_rating_further_than_what_was_at_stake(system):
    mode = make_mode(system=system, team_size_max=1)
    chance = random.Random(5)
    for number in range(60):
        record_scored(15.0, float(chance.randint(0, 14)), **chance.choice(SIDES), ended_at=later(number))
    beyond = []
    for players in (("strong", "weak"), ("weak", "strong")):
        stakes = told_stakes(mode, *players)
        at_stake = [stakes.won, stakes.drew, stakes.lost, *(each.stake for each in stakes.margins)]
        low, high = (end(stake.by for stake in at_stake) for end in (min, max))
        for scores in [(chance.choice((0, 3, 15, 400, 9e6)), chance.choice((0, 1, 14, 15, 80))) for _ in range(12)]:
            with rolled_back():
                played = record_scored(*scores, winner=players[0], loser=players[1], ended_at=later(99))
                [change] = [change for change in played.changes if change.player.key == players[0]]
                if not low <= change.display_after - change.display_before <= high:
                    beyond.append((players, scores, low, change.display_after - change.display_before, high))
    assert beyond == []


SIDES = [{"winner": "strong", "loser": "weak"}] * 4 + [{"winner": "weak", "loser": "strong"}]


@pytest.mark.parametrize("system", ["elo", "trueskill"])
def test_scores_are_not_at_stake_where_they_do_not_count(system):
    mode = make_mode(system=system)
    record_scored(3.0, 1.0)
    assert told_margins(mode, "strong", "weak") == []


def test_no_scores_are_at_stake_where_matches_have_none():
    mode = make_mode(system="margin")
    record(["strong"], ["weak"])
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
