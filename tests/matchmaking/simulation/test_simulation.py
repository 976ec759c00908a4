"""Simulated evenings: the same for the same seed, nobody twice anywhere, everybody accounted for."""

import datetime as dt
import random
from collections import Counter
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchmaking.matcher.find import find_matches
from matchmaking.matcher.pool import make_pool
from matchmaking.matcher.tickets import MatchRules
from matchmaking.planning.planner import Nonsense
from matchmaking.planning.ticket_files import read_tickets
from matchmaking.simulation import evening as evenings
from matchmaking.simulation._waiting_room import RoomEntry, RoomSeat, WaitingRoom, may_match
from matchmaking.simulation._waits import GONE, PLAYED
from matchmaking.simulation.arrivals import Visit, make_visits
from matchmaking.simulation.evening import Evening
from matchmaking.simulation.ladder import RatingLadder
from matchmaking.simulation.people import Community, SimulatedPerson, group_of, make_community
from matchmaking.simulation.play import true_chance
from matchmaking.simulation.run import prepare
from matchmaking.simulation.scenarios import Scenario
from ranking.rules.conduct import find_lockout
from ranking.systems.registry import get_system
from tests.support.evenings import simulate
from tests.support.examples import examples
from tests.support.tickets import document

SMALL = {
    "online": 40, "hours": 0.4, "match_minutes": 3.0, "team_size": 2, "placement": 2, "pause_seconds": 10.0,
    "visit_minutes": 15.0,
}  # fmt: skip
SCENARIOS = st.builds(
    Scenario,
    strategy=st.sampled_from(["fifo", "skill"]),
    system=st.sampled_from(["team-ratio", "two-layer", "elo", "trueskill", "weng-lin"]),
    online=st.integers(12, 60),
    population=st.sampled_from([0, 60, 200]),
    hours=st.sampled_from([0.1, 0.3]),
    team_size=st.integers(1, 4),
    match_minutes=st.floats(1, 5),
    visit_minutes=st.floats(2, 60),
    width=st.sampled_from([2.0, 10.0, 50.0]),
    strict=st.sampled_from([0.0, 0.5]),
    in_parties=st.sampled_from([0.0, 0.5, 1.0]),
    regions=st.integers(1, 3),
    leaves=st.sampled_from([0.0, 0.2]),
    misses=st.sampled_from([0.0, 0.1]),
    accept_seconds=st.sampled_from([0.0, 20.0]),
    placement=st.integers(0, 3),
    seed=st.integers(0, 1_000),
)


def played(scenario):
    simulation = prepare(scenario)
    while simulation.go_on():
        pass
    return simulation


def small(**fields):
    return played(Scenario(**SMALL | fields)).evening


@examples(12, deadline=None)
@given(SCENARIOS)
def test_everything_that_must_hold(scenario):
    evening = played(scenario).evening
    people, groups = evening.community.people, evening.community.groups
    # Everybody is in one group, and each group somewhere.
    assert sorted(number for group in groups for number in group.members) == list(range(scenario.population))
    assert len(evening.where) == len(groups)
    waiting = {wait.player for wait in evening.waiting()}
    somewhere = Counter(where for where, group in zip(evening.where, groups, strict=True) for _ in group.members)
    assert (sum(somewhere.values()), somewhere["waiting"]) == (scenario.population, len(waiting))
    # Nobody is in two matches at once, and nobody plays while they wait; every wait is over or goes on.
    busy = {}
    for match in sorted(evening.matches, key=lambda match: match.began_at):
        assert [len(team) for team in match.teams] == [scenario.team_size] * scenario.team_count
        assert len(set(match.players)) == scenario.players
        for number in match.players:
            assert match.began_at >= busy.get(number, 0.0)
            busy[number] = match.ended_at
    assert all(wait.seconds >= 0 for wait in [*evening.waits, *evening.waiting()])
    ended = Counter(wait.end for wait in evening.waits)
    assert set(ended) <= {PLAYED, GONE}
    playing = sum(len(group.members) for where, group in zip(evening.where, groups, strict=True) if where == "playing")
    assert ended[PLAYED] == sum(len(match.players) for match in evening.matches) + playing
    # Ratings have seen each match once; whoever left was locked out, and queued again only afterwards.
    assert sum(map(len, evening.ladder.shown_after)) == sum(len(match.players) for match in evening.matches)
    left = sum(len(match.left) for match in evening.matches)
    assert sum(evening.ladder.completed) == sum(map(len, evening.ladder.shown_after)) - left
    assert all(person.leaves <= 0.5 for person in people)
    # Parties play together.
    sides = [{n: side for side, team in enumerate(match.teams) for n in team} for match in evening.matches]
    for group in groups:
        assert all(len({side.get(number) for number in group.members}) == 1 for side in sides)


@pytest.mark.parametrize("strategy", ["fifo", "skill"])
def test_a_seed_is_an_evening(strategy):
    scenario = Scenario(**SMALL, strategy=strategy)
    assert simulate(scenario) == simulate(scenario)
    assert simulate(scenario) != simulate(Scenario(**SMALL, strategy=strategy, seed=8))


def test_strategies_meet_the_same_people():
    one, other = (prepare(Scenario(**SMALL, strategy=strategy)).evening for strategy in ("fifo", "skill"))
    assert one.community == other.community
    assert one._events == other._events


def test_an_evening_can_be_stopped_anywhere():
    simulation = prepare(Scenario(**SMALL))
    for _ in range(100):
        assert simulation.go_on()
    report = simulation.report
    assert (report.hours * 3600, simulation.share) == (200, pytest.approx(200 / 1440))
    assert report.waits[0].waits == len(simulation.evening.waits) + len(simulation.evening.waiting())


def test_those_still_waiting_are_counted():
    simulation = played(Scenario(**SMALL | {"hours": 0.1, "team_size": 4, "width": 0.5, "strict": 1.0, "placement": 0}))
    evening, everybody = simulation.evening, simulation.report.waits[0]
    assert everybody.still == len(evening.waiting()) > 0
    assert everybody.longest == max(wait.seconds for wait in [*evening.waits, *evening.waiting()])


def test_leavers_are_locked_out_as_conduct_says():
    evening = small(leaves=0.3, misses=0.0)
    leaves = [(number, match.began_at + after) for match in evening.matches for number, after in match.left.items()]
    assert len(leaves) > 10
    begins = {}
    for match in evening.matches:
        for number in match.players:
            begins.setdefault(number, []).append(match.began_at)
    for number, at in leaves:
        moment = evenings.BEGIN + dt.timedelta(seconds=at)
        lockout = find_lockout(evening._lapses[number], moment)
        until = (lockout.until - evenings.BEGIN).total_seconds()
        assert [began for began in begins[number] if at < began < until] == []


def test_who_misses_an_accept_goes_and_the_others_wait_on():
    evening = small(misses=0.1, leaves=0.0)
    assert sum(wait.end == GONE for wait in evening.waits) > 10
    assert {lapse.kind for lapses in evening._lapses.values() for lapse in lapses} == {"missed"}


def test_a_lobby_that_falls_through_costs_the_others_nothing():
    evening = prepare(Scenario(**SMALL | {"in_parties": 0.0})).evening
    one, other = (
        RoomEntry(
            group,
            (RoomSeat(evening.community.groups[group].members[0], 25.0, 50, False),),
            {"eu": 20.0},
            3.0,
            50.0,
            47.0,
        )
        for group in (0, 1)
    )
    evening._fall(([one, other], {one.seats[0].number}), 70.0)
    assert evening.waits == [evenings.Wait(one.seats[0].number, 50, 1, 47.0, 50.0, GONE)]
    (back,) = evening._room.entries.values()
    assert (back.group, back.queued_at, back.waited(70.0), back.waited(72.0)) == (1, 3.0, 47.0, 49.0)
    assert evening.where[:2] == ["resting", "waiting"]  # the first missed accept of a day costs no time


def test_opponents_are_not_met_again_within_ten_minutes_unless_they_played():
    evening = small(team_size=1, online=12, population=12, in_parties=0.0)
    last = {}
    for match in sorted(evening.matches, key=lambda match: match.began_at):
        one, other = match.players
        if last.get(one) is not None and last.get(one) is last.get(other):
            assert match.began_at - last[one].ended_at >= 600 - 20
        last[one] = last[other] = match


def test_people_go_when_their_visit_is_over():
    community = make_community(Scenario(**SMALL), random.Random(1))
    scenario, visits = Scenario(**SMALL), [Visit(0.0, 200.0, group) for group in range(len(community.groups))]
    evening = Evening(scenario, community, visits, RatingLadder(get_system("elo"), 80, 0), random.Random(2))
    for _ in evening.run():
        pass
    assert len(evening.matches) > 10
    assert max(match.began_at for match in evening.matches) < 400
    assert set(evening.where) <= {"away", "waiting"}


def test_visits_keep_as_many_online_as_asked():
    scenario = Scenario(online=200, hours=2, visit_minutes=20.0)
    community = make_community(scenario, random.Random(1))
    visits = make_visits(scenario, community.groups, random.Random(2))
    assert visits == sorted(visits, key=lambda visit: visit.at)
    for at in (1000, 3000, 6000):
        there = [visit.group for visit in visits if visit.at <= at < visit.until]
        assert len(there) == len(set(there))
        assert 200 <= sum(len(community.groups[group].members) for group in there) < 204


def test_the_community_is_as_asked():
    community = make_community(Scenario(population=10_000, online=100, in_parties=0.4), random.Random(3))
    sizes = Counter(len(group.members) for group in community.groups for _ in group.members)
    assert sum(sizes.values()) == 10_000
    assert sum(count for size, count in sizes.items() if size > 1) / 10_000 == pytest.approx(0.4, abs=0.03)
    mean = sum(person.skill for person in community.people) / 10_000
    spread = (sum(person.skill**2 for person in community.people) / 10_000) ** 0.5
    assert (mean, spread) == (pytest.approx(0, abs=0.03), pytest.approx(1, abs=0.03))
    assert sum(person.leaves for person in community.people) / 10_000 == pytest.approx(0.02, rel=0.06)
    assert all(group.pings for group in community.groups)


def test_true_chances(subtests):
    for skills, ahead in [
        (((0.0,), (0.0,)), 0.0), (((1.0,), (0.0,)), 1.0), (((0.0,), (1.0,)), 1.0), (((1.0, 1.0), (0.0, 0.0)), 2**0.5),
        (((1.0, -1.0, 0.5, 0.5), (0.0, 0.0, 0.0, 0.0)), 0.5),
    ]:  # fmt: skip
        with subtests.test(skills=skills, ahead=ahead):
            people = [SimulatedPerson("p", skill, 0.0, False, {}) for team in skills for skill in team]
            size = len(skills[0])
            found = true_chance(people, (tuple(range(size)), tuple(range(size, 2 * size))), 0.9)
            assert found == pytest.approx(NormalDist(0, 0.9 * 2**0.5).cdf(ahead), abs=1e-12)
            assert true_chance(people, ((0,), (0,), (0,)), 0.9) is None


def test_the_matcher_is_spared_only_where_it_finds_nothing():
    missed = {}
    for seed in range(40):
        rng = random.Random(seed)
        tickets, now = read_tickets(document(seed, rng.choice((10, 20, 40, 60)), widths=(2, 5)))
        pool, rules = make_pool(tickets), MatchRules(rng.choice((1, 2, 4)))
        if not may_match(pool, rules, now):
            missed[seed] = find_matches(pool, rules, now)
    assert {seed: matches for seed, matches in missed.items() if matches} == {}


def test_the_matcher_is_spared_often_enough():
    pools = [read_tickets(document(seed, 30, widths=(2, 5))) for seed in range(20)]
    assert sum(not may_match(make_pool(tickets), MatchRules(4), now) for tickets, now in pools) > 5


def test_the_room_asks_again_when_windows_widen():
    room = WaitingRoom(Scenario(team_size=1, online=2, width=2.0))
    for number, percentile in enumerate((40, 45)):
        room.enter(RoomEntry(number, (RoomSeat(number, 25.0, percentile, False),), {"eu": 20.0}, 0.0, 0.0))
    found = {now: len(room.find(now)) for now in (2.0, 10.0, 18.0, 20.0)}
    assert found == {2.0: 0, 10.0: 0, 18.0: 0, 20.0: 1}


REFUSED = [
    ({"online": 5}, "5 players online never fill a match of 8."),
    ({"online": 100, "population": 50}, "Of 50 people 100 can't be online."),
    ({"strategy": "best"}, "There is no strategy 'best'; choose one of fifo, skill."),
    ({"system": "chess"}, "There is no rating system 'chess'; choose one of team-ratio, two-layer, elo, trueskill,"
                          " battle-points, glicko-2, weng-lin, margin."),
    ({"system": "glicko-2"}, "glicko-2 can't rate 2 teams of 4."),
    ({"hours": 0.0}, "Hours: 0 isn't between 0.05 and 1,000."),
    ({"hours": 2.0, "from_hour": 2.0}, "After 2 h nothing counts from hour 2 on."),
    ({"online": 100_000, "hours": 100.0},
     "100,000 online for 100 h take too long; together at most 200,000 hours of play."),
    ({"leaves": 0.9}, "The chance to leave a match: 0.9 isn't between 0 and 0.5."),
    ({"width": float("nan")}, "The width of a rank filter: nan isn't a number."),
]  # fmt: skip


def refusal(fields):
    try:
        Scenario(**fields)
    except Nonsense as nonsense:
        return str(nonsense)
    return ""


def test_nonsense_is_refused_in_a_sentence():
    assert [refusal(fields) for fields, _ in REFUSED] == [sentence for _, sentence in REFUSED]


def test_a_party_plays_where_all_of_it_can():
    members = [
        SimulatedPerson("a", 0, 0, False, {"eu": 20.0, "us": 150.0}),
        SimulatedPerson("b", 0, 0, False, {"eu": 60.0, "us": 90.0}),
    ]
    group = group_of(members, range(5, 7))
    assert (group.members, group.pings) == ((5, 6), {"eu": 60.0})
    assert Community(members, [group]).groups[0].id == "g5"
