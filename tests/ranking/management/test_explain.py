"""`manage.py explain`, and what it shares with page and API: why a rating moved so."""

import datetime as dt
import io

import pytest
from django.core.management import CommandError, call_command

from ranking.matches.explanations import explain, find_match
from ranking.matches.records import load_records
from ranking.models import Change, Match
from ranking.rules.report import PlayerReport
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


def told(match, player) -> list[str]:
    out = io.StringIO()
    call_command("explain", match, player, stdout=out)
    return out.getvalue().splitlines()


def refusal(match, player) -> str:
    with pytest.raises(CommandError) as refused:
        call_command("explain", match, player, stdout=io.StringIO())
    return str(refused.value)


def duel(*, days: float = 0, winner: str = "a", loser: str = "b", **more) -> Match:
    return record(
        [winner], [loser], ended_at=NOW + dt.timedelta(days=days), now=NOW + dt.timedelta(days=400), **more
    ).record.match


def test_with_more_than_two_teams_it_tells_the_place():
    make_mode("duel", team_count=4)
    leaver = PlayerReport(id="c", left_early=True)
    match = record(["a"], ["b"], [leaver], ["d"], places=(1, 2, 2, 4), id="eu1-8").record.match
    heads = [told(f"test:{match.external_id}", key)[0].partition(":")[0] for key in "abcd"]
    assert heads == ["a came in place 1 of 4", "b came in place 2 of 4", "c left early", "d came in place 3 of 4"]


def test_the_formula_with_the_numbers_of_the_match():
    make_mode("duel", system="team-ratio", name="Duel")
    record(["a", "b"], ["c", "d"])
    leaver = PlayerReport(id="d", seconds=300, left_early=True)
    match = record(["c", leaver], ["a", "b"], duration=600.0, id="eu1-7").record.match
    assert told(f"test:{match.external_id}", "c") == [
        "c won: 1.00 → 1.07",
        f"Match {match.pk} (eu1-7 of test), Duel, 2026-05-20 12:00 UTC, Team ratio",
        "",
        "  +0.05  Base wager    A twentieth of your rating before the match.",
        "  ×1.05  Opposition    The other team was rated higher on average: 1.05 to your 1.00.",
        "  ×1.33  Time in game  A team-mate left early; your team was in game for less time in all.",
        "",
        "  0.05 × 1.05 × 1.3333 = +0.0700",
    ]
    assert told(str(match.pk), "c") == told("test:eu1-7", "c")


def test_a_leaver_learns_what_staying_would_have_brought():
    make_mode("duel", system="team-ratio", name="Duel")
    for number in range(10):
        record(["a"], ["b"], id=f"m{number}")
    leaver = PlayerReport(id="a", seconds=300, left_early=True)
    match = record([leaver], ["b"], duration=600.0).record.match
    assert told(str(match.pk), "a")[3:] == [
        "  −0.07  Base wager  A twentieth of your rating before the match.",
        "  ×1.50  Opposition  The other team was rated lower on average: 1.00 to your 1.50.",
        "",
        "  −0.075 × 1.5 = −0.1125",
        "",
        "  Rated as if you had stayed and come last, which is less. Staying would have brought 0.16 more.",
    ]


@pytest.mark.parametrize("name", ["", "x", "test", "test:", "9" * 30, "test:nobody", "nobody:known", "-1", "٣"])
def test_no_such_match(name):
    make_mode()
    duel(id="known")
    assert find_match(name) is None
    assert refusal(name, "a") == f"There is no match {name!r}; give its number, or SOURCE:ID."


def test_who_did_not_play_and_what_is_not_rated():
    make_mode()
    match = duel()
    assert refusal(str(match.pk), "z") == f"'z' didn't play in match {match.pk}; there were a, b."
    Change.objects.all().delete()
    Match.objects.update(event=None, season=None)
    assert refusal(str(match.pk), "a") == f"Match {match.pk} isn't rated yet."


@pytest.mark.parametrize(
    "system", ["team-ratio", "two-layer", "elo", "trueskill", "battle-points", "glicko-2", "weng-lin"]
)
def test_the_factors_come_to_the_change_after_any_pause(system):
    """Among them matches that came late, after which the last one played isn't the last one rated."""
    make_mode("duel", system=system, team_size_max=1)
    for days, winner, loser in [
        (0, "a", "b"),
        (40, "b", "a"),
        (10, "a", "c"),
        (41, "c", "a"),
        (300, "a", "b"),
        (301, "b", "c"),
    ]:
        duel(days=days, winner=winner, loser=loser)
    for play in load_records(Match.objects.select_related("mode")).values():
        for change in play.changes:
            why = explain(play)[change.player_id]
            if not any(reason.kind == "floor" for reason in why.reasons):
                moved = (change.display_after - change.display_before) / 100
                assert moved == pytest.approx(why.moved, abs=1.01 if moved == round(moved) else 0.0101)


def test_glicko_counts_the_days_before_that_match_to_the_last_digit():
    make_mode("duel", system="glicko-2", team_size_max=1)
    for days in (0, 40, 10, 300):
        match = duel(days=days)
    play = load_records([match])[match.pk]
    for change in play.changes:
        assert change.mu_after - change.mu_before == pytest.approx(explain(play)[change.player_id].moved, rel=1e-9)


@pytest.mark.parametrize(("system", "queries"), [("glicko-2", 1), ("elo", 0)])
def test_queries(django_assert_num_queries, system, queries):
    make_mode("duel", system=system, team_size_max=1)
    match = [duel(days=days) for days in range(3)][-1]
    play = load_records([match])[match.pk]
    with django_assert_num_queries(queries):
        explain(play)
