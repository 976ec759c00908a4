"""`manage.py explain`, and what it shares with page and API: why a rating moved so."""

import datetime as dt
import io

import pytest
from django.core.management import CommandError, call_command

from ranking.matches.explanations import explain, explain_forfeit, find_change, find_match
from ranking.matches.forfeits import record_forfeit
from ranking.matches.records import load_records
from ranking.models import Change, Forfeit, Match, Player
from ranking.moderation.merges import merge_players
from ranking.rerating.reratings import rerate
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from ranking.systems.registry import SYSTEMS
from tests.support.factories import NOW, make_mode, record
from tests.support.systems import largest_team

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
        "  +0.05  Base wager    A twentieth of the rating before the match.",
        "  ×1.05  Opposition    The other side was rated higher on average: 1.05 to 1.00.",
        "  ×1.33  Time in game  A player of this side left early, so it had less time in game.",
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
        "  −0.07  Base wager  A twentieth of the rating before the match.",
        "  ×1.50  Opposition  The opponent was rated lower: 1.00 to 1.50.",
        "",
        "  −0.075 × 1.5 = −0.1125",
        "",
        "  This is rated like staying and coming last, because leaving would have cost less."
        " With this result, staying would have brought 0.16 more.",
    ]


def test_no_such_match(subtests):
    make_mode()
    duel(id="known")
    for name in ["", "x", "test", "test:", "9" * 30, "test:nobody", "nobody:known", "-1", "٣"]:
        with subtests.test(name=name):
            assert find_match(name) is None
            assert refusal(name, "a") == (
                f"There is no match {name!r}; give its number, SOURCE:ID, or the id of a lobby that 'a' dropped out of."
            )


def test_who_did_not_play_and_what_is_not_rated():
    make_mode()
    match = duel()
    assert refusal(str(match.pk), "z") == f"'z' didn't play in match {match.pk}; there were a, b."
    Change.objects.all().delete()
    Match.objects.update(event=None, season=None)
    assert refusal(str(match.pk), "a") == f"Match {match.pk} isn't rated yet."


@pytest.mark.parametrize("system", SYSTEMS)
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


def test_at_the_floor_the_sum_says_what_was_taken():
    make_mode("duel", system="team-ratio")
    match = duel()
    assert told(str(match.pk), "b")[3:] == [
        "  −0.05  Base wager  A twentieth of the rating before the match. Both sides were even.",
        "   1.00  Floor       No rating falls below 1.00.",
        "",
        "  −0.05 by the formula, stopped at 1.00",
    ]


def drop_out(mode, *teams, player="a", lobby="L") -> Forfeit:
    rosters = [[Player.objects.get(key=key) for key in team] for team in teams]
    dropper = Player.objects.get(key=player)
    return record_forfeit(mode, lobby=lobby, teams=rosters, player=dropper, reason="Left the lobby.", now=NOW)


def test_a_forfeit_by_its_lobby_with_ranks_before_and_after():
    mode = make_mode("duel", name="Duel")
    for _ in range(3):
        duel()
    publish(mode, now=NOW)
    drop_out(mode, ["a"], ["b"])
    assert told("L", "a") == [
        "a dropped out: 25.72 → 25.41",
        "Lobby L, Duel, 2026-05-20 12:00 UTC, Gaussian Elo",
        "Rank 1 of 2 → 1 of 2",
        "",
        "  0.52  Stake (K)        The most that one match can move a rating.",
        "   0 %  Result           Leaving early counts as a loss, whatever the result.",
        "  60 %  Win expectation  The chance to win by the ratings before the match.",
        "",
        "  0.517 × (0 − 0.5969) = −0.3086",
        "",
        "  Dropping out before the match begins is rated like leaving it at once. Nobody else’s rating changes.",
    ]


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_factors_of_a_forfeit_come_to_its_change(system):
    """Also with newcomers among the players, after other forfeits, and once everything was rated anew."""
    single = largest_team(system, 2) == 1
    params = {"alpha_matches": 9} if system == "elo" else {}
    mode = make_mode("duel", system=system, team_size_max=1 if single else 2, params=params)
    for number in range(6):
        duel(days=number, winner="abc"[number % 3], loser="bca"[number % 3])
    Player.objects.create(key="new", name="new", search_name="new", created_at=NOW)
    teams = [["a"], ["b"]] if single else [["a", "new"], ["b", "c"]]
    for number, player in enumerate(("a", "b", "a")):
        drop_out(mode, *teams, player=player, lobby=f"L{number}")
    for _ in range(2):
        for forfeit in Forfeit.objects.all():
            change = find_change(forfeit)
            why = explain_forfeit(forfeit, change)
            if not any(reason.kind == "floor" for reason in why.reasons):
                moved = (change.display_after - change.display_before) / 100
                assert moved == pytest.approx(why.moved, abs=1.01 if moved == round(moved) else 0.0101)
        rerate(mode)


def test_a_forfeit_of_the_lobby_nobody_else_dropped_out_of():
    mode = make_mode()
    duel()
    drop_out(mode, ["a"], ["b"])
    assert refusal("L", "b").endswith("or the id of a lobby that 'b' dropped out of.")
    Forfeit.objects.update(event=None, season=None)
    assert refusal("L", "a") == "That 'a' dropped out of lobby L isn't rated."


def test_a_forfeit_is_explained_once_a_merge_was_rated():
    mode = make_mode()
    for _ in range(5):
        duel()
    duel(winner="c", loser="x")
    forfeit = drop_out(mode, ["a"], ["c"])
    merge_players(Player.objects.get(key="b"), Player.objects.get(key="c"), by=None, reason="The same.", now=NOW)
    rerate(mode)
    assert told("L", "a")[0].startswith("a dropped out: ")
    change = find_change(Forfeit.objects.get(pk=forfeit.pk))
    Change.objects.filter(player__key="b").update(display_after=99_999, mu_after=999.0)
    assert explain_forfeit(forfeit, change) is None
    assert refusal("L", "a") == "Duel is being rated anew; ask again when that is done."


@pytest.mark.parametrize(("system", "queries"), [("elo", 2), ("trueskill", 2)])
def test_queries_of_a_forfeit(django_assert_num_queries, system, queries):
    mode = make_mode("duel", system=system)
    duel()
    forfeit = drop_out(mode, ["a"], ["b"])
    change = find_change(forfeit)
    with django_assert_num_queries(queries):
        explain_forfeit(forfeit, change)
