"""Matches as they are really played: substitutes, late joiners, emptied matches; live, and rated anew."""

import json
from collections import defaultdict
from decimal import Decimal

import pytest

from ranking.matches import invariants
from ranking.matches.recording import REFUSED, VOID, record_results
from ranking.models import Change, Incident, Match, Participation, Rating
from ranking.modes import invariants as mode_invariants
from ranking.modes.changes import change_parameters
from ranking.modes.parameters import create_mode, current_parameters
from ranking.rules.report import BadReport, PlayerReport, Report, TeamReport
from ranking.seeds.planning import Plan, PlannedSeed
from ranking.seeds.seeding import seed_players
from ranking.standings.place_counters import missing_places, place_counters
from ranking.systems.calculation import read_line
from ranking.systems.registry import SYSTEMS
from ranking.validation.match_report import read_report
from tests.support.factories import NOW, make_mode, make_source, record
from tests.support.paths import SHARED
from tests.support.replay import alike, replayed_states
from tests.support.reratings import rate_anew, states
from tests.support.seasons import season_of

pytestmark = pytest.mark.django_db

VECTORS = [SHARED / "vectors" / name for name in ("ratings-played.jsonl", "margin-played.jsonl")]
LEFT_OUT = ("ts-last-of-five",)  # see tests/ranking/systems/test_ties.py


def doctor():
    checks = (invariants.violations, mode_invariants.violations, place_counters, missing_places)
    found = [violation for check in checks for violation in check(NOW)]
    return [violation for violation in found if violation.code != "board.missing"]  # nothing is published here


def part(**wanted):
    return Participation.objects.get(**{f"player__{name}": value for name, value in wanted.items()})


def outcomes():
    return dict(Change.objects.live().filter(kind=Change.MATCH).values_list("player__key", "outcome"))


def moves():
    changes = Change.objects.live().filter(kind=Change.MATCH)
    return {change.player.key: change.display_after - change.display_before for change in changes}


def five(name):
    return [f"{name}{number}" for number in range(5)]


# The worked cases


def cases():
    """Those whose players can be made by ratings that they bring along: system, result, what is expected."""
    for file in VECTORS:
        for line in file.read_text().splitlines():
            case = json.loads(line)
            if case["system"] not in SYSTEMS or case["id"] in LEFT_OUT or "error" in case["expected"]:
                continue
            system, result = read_line({name: case[name] for name in case.keys() - {"id", "expected", "tolerance"}})
            players = [player for team in result.teams for player in team.players]
            if case.get("mode_state") is None and all(p.weight is None and not p.idle_days for p in players):
                yield case, system, result


def report_of(slug, case, result):
    teams = tuple(
        TeamReport(
            tuple(
                PlayerReport(
                    f"{case['id']}/{player.id}", seconds=player.seconds, left_early=player.left_early,
                    rounds_played=player.rounds_played, party=player.party or "", stats=player.stats,
                    joined_at=player.joined_at,
                )
                for player in team.players
            ),
            score=team.score,
            place=team.place and 1 + sum(other.place < team.place for other in result.teams),
        )
        for team in result.teams
    )  # fmt: skip
    return Report(case["id"], slug, NOW, teams, duration=result.duration, rounds=result.rounds, variant=result.variant)


def play(number, group):
    """Record these cases in a mode of their own, to which their players bring their skills."""
    case, system, result = group[0]
    mode = create_mode(
        slug=f"mode-{number}", name=f"{number}", system=system.key, params=case.get("params") or {}, now=NOW,
        team_count=len(result.teams), team_size_max=max(len(t.players) for _, _, r in group for t in r.teams),
    )  # fmt: skip
    seeds = [
        PlannedSeed(0, f"{case['id']}/{player.id}", "", system.to_state(player.skill), player.matches)
        for case, _, result in group
        for team in result.teams
        for player in team.players
        if player.skill != system.newcomer() or player.matches
    ]
    plan = Plan(mode, season_of(mode), current_parameters(mode).pk, placed=False, seeds=seeds, faults=())
    assert sum(len(outcome.faults) for outcome in seed_players(plan, by=None, reason="test", now=NOW)) == 0
    reports = [report_of(mode.slug, case, result) for case, _, result in group]
    for recorded in record_results(reports, source=make_source(f"source-{number}"), now=NOW):
        assert recorded.state == "rated", recorded.error
    return mode


def check(mode, group, what):
    ratings = {rating.player.key: rating.state for rating in Rating.objects.filter(mode=mode).select_related("player")}
    changes = Change.objects.live().filter(mode=mode, kind=Change.MATCH).select_related("player")
    chances = {change.player.key: change.win_probability for change in changes}
    for case, system, result in group:
        for team, expected in zip(result.teams, case["expected"]["teams"], strict=True):
            for player, wanted in zip(team.players, expected["players"], strict=True):
                key = f"{case['id']}/{player.id}"
                skill = system.write_skill(system.from_state(ratings[key]))
                display = Decimal(ratings[key].display_hundredths).scaleb(-2)
                assert display == Decimal(wanted["display"]), (what, key)
                for name, value in wanted["skill"].items():
                    close = value if case["tolerance"] == 0 else pytest.approx(value, rel=case["tolerance"], abs=0)
                    assert skill[name] == close, (what, key, name)
                if expected.get("win_probability") is not None:
                    assert chances[key] == pytest.approx(expected["win_probability"], abs=1e-8), (what, key)


@pytest.mark.skipif(not all(file.exists() for file in VECTORS), reason="the worked cases aren't here")
def test_worked_cases_live_and_rated_anew():
    groups = defaultdict(list)
    for case, system, result in cases():
        alone = case["id"] if system.learns else ""
        groups[system.key, json.dumps(case.get("params")), len(result.teams), alone].append((case, system, result))
    assert sum(map(len, groups.values())) >= 150
    for number, group in enumerate(groups.values()):
        mode = play(number, group)
        check(mode, group, "live")
        rate_anew(mode)
        check(mode, group, "rated anew")


# Substitutes and late joiners


@pytest.mark.parametrize("system", ["team-ratio", "elo", "trueskill", "weng-lin", "two-layer", "margin"])
def test_a_substitute_of_a_second_changes_nobody(system):
    """Six names of which no more than five were there at a time are a team of five."""
    mode = make_mode(system=system, team_size_max=5)
    lost = [
        PlayerReport("b0", seconds=899.0),
        *five("b")[1:],
        PlayerReport("late", joined_at=899.0),
    ]
    record(five("a"), lost, duration=900.0)
    changed = moves()
    other = make_mode(slug="other", system=system, team_size_max=5)
    record(five("a"), five("b"), mode="other", duration=900.0)
    whole = {change.player.key: change.display_after - change.display_before
             for change in Change.objects.filter(mode=other)}  # fmt: skip
    largest = max(map(abs, whole.values()))
    assert all(abs(changed[key] - move) <= max(largest / 100, 100) for key, move in whole.items())
    assert abs(changed["late"]) <= max(largest / 100, 200)
    assert alike(replayed_states(mode), states(mode))
    rate_anew(mode)
    assert moves() == {**changed}
    assert doctor() == []


def test_a_larger_team_needs_times_that_fit():
    make_mode(team_size_max=5)
    cases = [
        ([*five("b"), "b5"], {}),
        ([*five("b"), PlayerReport("b5", seconds=100.0)], {}),
        ([PlayerReport("b0", seconds=500.0), *five("b")[1:], PlayerReport("b5", joined_at=400.0)], {}),
        ([*five("b"), PlayerReport("b5", joined_at=0.0, seconds=9.0)], {"duration": None}),
    ]
    for number, (roster, more) in enumerate(cases):
        report = Report(
            f"{number}", "duel", NOW,
            (TeamReport(tuple(map(PlayerReport, five("a"))), place=1),
             TeamReport(tuple(p if isinstance(p, PlayerReport) else PlayerReport(p) for p in roster), place=2)),
            duration=900.0,
        )  # fmt: skip
        report = Report(**{**{name: getattr(report, name) for name in report.__dataclass_fields__}, **more})
        (recorded,) = record_results([report], source=make_source(), now=NOW)
        assert recorded.state == REFUSED, number
        assert recorded.error.path == "teams[1].players"
        assert "so that no more than 5 were there at the same time" in str(recorded.error)
    assert not Match.objects.exists()


def test_who_is_there_for_less_than_a_quarter_plays_no_placement_match():
    mode = make_mode(team_size_max=5, placement_matches=1)
    brief = [PlayerReport("b0", seconds=700.0), PlayerReport("b1", joined_at=700.0)]
    record(["a0", "a1"], brief, duration=900.0)
    late, whole = (Rating.objects.get(player__key=key) for key in ("b1", "b0"))
    assert (late.completed, late.placement_done, whole.placement_done) == (1, 0, 1)
    rate_anew(mode)
    late.refresh_from_db()
    assert (late.completed, late.placement_done) == (1, 0)
    assert doctor() == []


# Leaving


def test_who_leaves_an_emptied_match_has_stayed():
    mode = make_mode(system="trueskill", team_size_max=5)
    gone = [PlayerReport(key, seconds=300.0, left_early=True) for key in ("b0", "b1")]
    last = [PlayerReport("a0", seconds=310.0, left_early=True), PlayerReport("a1", seconds=300.0, left_early=True)]
    recorded = record(last, gone, duration=900.0)
    assert [part(key=key).left_early for key in ("a0", "a1", "b0", "b1")] == [False, True, True, True]
    assert outcomes() == {"a0": "win", "a1": "left", "b0": "left", "b1": "left"}
    assert set(Incident.objects.values_list("player__key", flat=True)) == {"a1", "b0", "b1"}
    before = states(mode)
    rate_anew(mode)
    assert alike(states(mode), before)
    assert outcomes()["a0"] == "win"
    assert alike(replayed_states(mode), before)
    assert recorded.record.match.measured


def test_a_match_that_everybody_left_at_once_has_no_winner():
    """The duration isn't known, so the last second is no proof that anybody stayed."""
    mode = make_mode(team_size_max=5)
    teams = [[PlayerReport(f"{name}{number}", seconds=300.0, left_early=True) for number in range(2)] for name in "ab"]
    record(*teams, timed=False, duration=400.0)
    assert set(outcomes().values()) == {"left"}
    assert set(Participation.objects.values_list("place", "places")) == {(2, 2)}
    assert Match.objects.get().duration == 300
    before = states(mode)
    rate_anew(mode)
    assert alike(states(mode), before)


def test_the_last_one_of_a_free_for_all_wins():
    make_mode(system="trueskill", team_count=4, team_size_max=1)
    left = [[PlayerReport(key, seconds=100.0 * (number + 1), left_early=True)] for number, key in enumerate("abcd")]
    record(*left, places=[1, 1, 1, 1], duration=900.0)
    assert outcomes() == {"a": "left", "b": "left", "c": "left", "d": "win"}
    assert [part(key=key).place for key in "abcd"] == [2, 2, 2, 1]
    assert set(Incident.objects.values_list("player__key", flat=True)) == {"a", "b", "c"}


def test_who_left_at_the_end_stayed():
    make_mode()
    record(["a"], [PlayerReport("b", seconds=900.0, left_early=True)], duration=900.0)
    assert outcomes() == {"a": "win", "b": "loss"}
    assert part(key="b").excused
    assert not Incident.objects.exists()


def test_team_mates_of_who_abandoned_a_match_may_leave_if_the_mode_says_so():
    def lost():
        return [
            PlayerReport("b0", seconds=100.0, left_early=True),
            PlayerReport("b1", seconds=200.0, left_early=True),
            PlayerReport("b2", seconds=100.0, left_early=True),
            PlayerReport("b3", left_early=True),
        ]

    mode = make_mode(leave_after_abandon=True)
    record(["a0", "a1", "a2", "a3"], lost(), duration=900.0)
    assert outcomes() == dict.fromkeys(("a0", "a1", "a2", "a3"), "win") | {
        "b0": "left", "b1": "loss", "b2": "left", "b3": "loss",
    }  # fmt: skip
    before = states(mode)
    rate_anew(mode)
    assert alike(states(mode), before)
    make_mode(slug="strict")
    record(["a0", "a1", "a2", "a3"], lost(), duration=900.0, mode="strict")
    assert Incident.objects.filter(mode__slug="strict").count() == 4


def test_a_team_of_which_only_a_late_joiner_is_left_comes_last():
    make_mode(team_size_max=5)
    left = [
        PlayerReport("a0", seconds=600.0, left_early=True),
        PlayerReport("a1", joined_at=800.0),
    ]
    record(left, ["b0"], duration=900.0)
    assert outcomes() == {"a0": "left", "a1": "loss", "b0": "win"}


# Rules of a mode, and what a report may say


def test_matches_that_are_too_short_count_for_nothing():
    make_mode(least_seconds=120, least_rounds=5)
    for given, reason in (
        ({"duration": 90.0}, "Too short: 90 of at least 120 seconds."),
        ({"duration": 600.0, "rounds": 4}, "Too short: 4 of at least 5 rounds."),
    ):
        recorded = record(["a"], ["b"], **given)
        assert (recorded.state, recorded.record.match.void_reason) == (VOID, reason)
    assert not Change.objects.exists()
    assert record(["a"], ["b"], duration=120.0, rounds=5).state == "rated"
    assert record(["a"], ["b"]).state == "rated"  # of unknown length
    assert doctor() == []


def sent(**more):
    teams = [{"place": place, "players": [{"id": f"{place}", "seconds": 480}]} for place in (1, 2)]
    return read_report({"id": "1", "mode": "duel", "teams": teams, **more})


TIMES = {"started_at": "2026-05-20T11:50:00Z", "ended_at": "2026-05-20T12:00:00Z"}


def test_the_duration_is_that_of_play():
    by_players, as_sent, by_times = sent(**TIMES), sent(**TIMES, duration=500), sent(**TIMES, teams=[
        {"place": place, "players": [{"id": f"{place}"}]} for place in (1, 2)
    ])  # fmt: skip
    assert [report.lasted for report in (by_players, as_sent, by_times)] == [480, 500, 600]
    assert [report.measured for report in (by_players, as_sent, by_times)] == [False, True, True]


def test_a_leaver_whose_seconds_alone_are_sent_doesnt_end_the_match():
    """Whoever has no seconds stayed until its end."""
    teams = [{"place": 1, "players": [{"id": "a"}]}, {"place": 2, "players": [{"id": "b", "seconds": 80}]}]
    bots = [{"place": 1, "players": [{"id": "a", "bot": True}]}, *teams[1:]]
    for given, lasted, measured in (
        ({"teams": teams, **TIMES}, 600, True),
        ({"teams": teams, "started_at": TIMES["started_at"]}, 80, False),  # nobody knows when it ended
        ({"teams": bots, **TIMES}, 80, False),
    ):
        report = sent(**given)
        assert (report.lasted, report.measured) == (lasted, measured)


def test_old_versions_of_parameters_count_everybody_in_full():
    mode = make_mode(team_size_max=5)
    change_parameters(mode, params={"counts_shares": False}, now=NOW)
    record(["a0", "a1"], [PlayerReport("b0", seconds=700.0), PlayerReport("b1", joined_at=700.0)], duration=900.0)
    assert len(set(moves().values())) == 2
    assert not Participation.objects.filter(brief=True).exists()


# Sizes, and races


def test_a_free_for_all_takes_as_many_as_its_mode_has():
    make_mode(system="trueskill", team_size_max=1, team_count=12, team_count_min=3)
    for count, state in ((2, REFUSED), (3, "rated"), (12, "rated"), (13, REFUSED)):
        report = Report(
            f"{count}", "duel", NOW,
            tuple(TeamReport((PlayerReport(f"p{number}"),), place=number + 1) for number in range(count)),
        )  # fmt: skip
        (recorded,) = record_results([report], source=make_source(), now=NOW)
        assert recorded.state == state, count
        if state == REFUSED:
            assert str(recorded.error).startswith(f"teams: duel has 3 to 12 teams; this result has {count}. Send it to")


def test_the_shortest_time_wins_a_race_and_who_does_not_finish_is_no_leaver():
    mode = make_mode(system="margin", team_size_max=1, team_count=8, team_count_min=3, least_is_best=True)
    times = {"a": 83.5, "b": 81.25, "c": 90.0}
    teams = tuple(TeamReport((PlayerReport(key),), score=time) for key, time in times.items())
    (recorded,) = record_results([Report("race", "duel", NOW, teams)], source=make_source(), now=NOW)
    assert recorded.state == "rated"
    assert outcomes() == {"a": "loss", "b": "win", "c": "loss"}
    assert [part(key=key).place for key in "abc"] == [2, 1, 3]
    assert [team["time"] for team in Match.objects.get().teams] == [83.5, 81.25, 90.0]
    before, places = states(mode), {key: part(key=key).place for key in "abc"}
    record(*[[key] for key in times], places=[2, 1, 3], id="by place", mode=make_mode(
        slug="places", system="margin", team_size_max=1, team_count=3).slug)  # fmt: skip
    by_place = {r.player.key: r.state for r in Rating.objects.filter(mode__slug="places").select_related("player")}
    assert {Rating.objects.get(mode=mode, player__key=key).state == by_place[key] for key in places} == {True}
    rate_anew(mode)
    assert alike(states(mode), before)
    record(["a"], ["b"], ["c"], ["d"], places=[1, 2, 3, 3], id="not finished")
    assert not Incident.objects.exists()
    assert doctor() == []


def test_only_equal_teams_count_if_the_mode_says_so():
    make_mode(team_size_max=5, equal_teams=True)
    recorded = record(["a", "b"], ["c"])
    assert (recorded.state, recorded.record.match.void_reason) == (VOID, "Uneven: teams of 1 and of 2.")
    replaced = [PlayerReport("c", seconds=400.0), PlayerReport("d", joined_at=401.0), "e"]
    assert record(["a", "b"], replaced, duration=900.0).state == "rated"
    late = ["c", PlayerReport("d", joined_at=600.0)]
    assert record(["a", "b"], late, duration=900.0).state == "rated"


def test_somebody_must_come_first():
    make_mode()
    with pytest.raises(BadReport, match="Some team must have place 1; only equal first places"):
        record(["a"], ["b"], places=[2, 2])
    assert record(["a"], ["b"], places=[1, 1]).state == "rated"


def test_a_large_result_with_many_who_share_a_place():
    mode = make_mode(system="trueskill", team_size_max=1, team_count=128, team_count_min=2)
    rosters = [[PlayerReport(f"p{number}", seconds=300.0 if number % 13 == 5 else None, left_early=number % 13 == 5)]
               for number in range(128)]  # fmt: skip
    places = [1 + number if number < 28 else 29 for number in range(128)]
    assert record(*rosters, places=places, duration=900.0).state == "rated"
    assert alike(replayed_states(mode), states(mode))
