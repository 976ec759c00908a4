"""Random histories in the domain's words, and the same lived match by match."""

import math
import random
from dataclasses import replace
from typing import NamedTuple

from hypothesis import strategies as st

from ranking.systems.base import Entrant, Result, State, Team
from ranking.systems.batch.history import history_of
from ranking.systems.batch.states import states_of
from ranking.systems.registry import get_system
from ranking.systems.replay.replaying import replay

STATS = ("kills", "assists", "deaths", "gadget_destroys")


class Lived(NamedTuple):
    before: list[State]
    after: list[State]
    chances: list[float | None]
    final: dict[str, State]


def by_shares(key, params=None):
    """The system by whose newest rule part-time players count by their share of the match."""
    return get_system(key, params or {})


def live(segments, results, start):
    """The scalar face, one match after the other; `start`: state by id, of those who aren't newcomers."""
    now, lived = dict(start), Lived([], [], [], {})
    for number, result in enumerate(results):
        system = next(system for first, system in reversed(segments) if first <= number)
        newcomer = system.to_state(system.newcomer())
        teams = tuple(
            replace(
                team,
                players=tuple(replace(p, skill=system.from_state(now.get(p.id, newcomer))) for p in team.players),
            )
            for team in result.teams
        )
        known = replace(result, teams=teams)
        rated = system.rate(known)
        lived.chances.extend(system.win_probability([team.players for team in system.attended(known).teams]))
        for team, skills in zip(teams, rated, strict=True):
            for player, skill in zip(team.players, skills, strict=True):
                lived.before.append(now.get(player.id, newcomer))
                lived.after.append(system.to_state(skill))
                now[player.id] = system.to_state(skill)
    lived.final.update(now)
    return lived


def close(a, b, *, to=1e-9):
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=to, abs_tol=to)


def same(got, lived):
    return got.display_hundredths == lived.display_hundredths and all(
        close(getattr(got, name), getattr(lived, name)) for name in ("mu", "sigma", "volatility", "skill_matches")
    )


def check_replay(segments, results, start=None, *, scalar_below=0):
    """Replayed at once and lived match by match, a history has the same states, chances and end."""
    start = start or {}
    ids = sorted({player.id for result in results for team in result.teams for player in team.players})
    numbers = {name: number for number, name in enumerate(ids)}
    lived = live(segments, results, start)
    columns = states_of([start.get(name) for name in ids])
    got = replay(segments, history_of(results, numbers), columns, scalar_below=scalar_below)
    for index, (before, after) in enumerate(zip(lived.before, lived.after, strict=True)):
        assert same(got.before[index], before), (index, got.before[index], before)
        assert same(got.after[index], after), (index, got.after[index], after)
    for index, chance in enumerate(lived.chances):
        value = got.chance[index].item()
        assert close(None if math.isnan(value) else value, chance, to=1e-9), (index, value, chance)
    for name, number in numbers.items():
        assert same(got.final[number], lived.final[name])
    return got


def history(
    seed,
    *,
    matches=20,
    players=14,
    teams=(2, 2),
    sizes=(1, 4),
    leaving=0.1,
    draws=0.1,
    even=False,
    by_score=False,
    weighted=False,
    scored=0.0,
    joining=False,
):
    """Matches of a few players who meet again and again, by chance, but always the same.

    `scored`: the share of matches with points for every team, in a few variants, whatever the places. `joining`: some
    players joined later.
    """
    chance, counts = random.Random(f"rungs {seed}"), random.Random(f"matches {seed}")
    points, joined = random.Random(f"points {seed}"), random.Random(f"joined {seed}")
    names = [f"{number:05}" for number in range(players)]
    seconds = [None, chance.uniform(0, 900), chance.randint(0, 900), 1000, 0]

    def result():
        count = chance.randint(*teams)
        most = min(sizes[1], players // count)
        size, order = chance.randint(sizes[0], most), iter(chance.sample(names, count * most))
        place = [1] * count if chance.random() < draws else [chance.randint(1, count) for _ in range(count)]
        sides = tuple(map(team, place, [size] * count, [most] * count, [order] * count))
        if points.random() < scored:
            sides = tuple(
                replace(side, score=points.choice([points.randint(0, 20), points.uniform(-3, 5)])) for side in sides
            )
        return Result(sides, *length(), variant=points.choice(["", "", "ruins"]) if scored else "")

    def length():
        return chance.choice([None, 0, 900, chance.uniform(0, 900)]), chance.choice([None, 13])

    def team(place, size, most, order):
        size = size if even else chance.randint(sizes[0], most)
        entrants = tuple(entrant(next(order)) for _ in range(size))
        return Team(entrants, *((None, -place) if by_score else (place, chance.choice([None, -1, 0, 2]))))

    def entrant(name):
        return Entrant(
            name,
            skill=None,
            seconds=chance.choice(seconds),
            joined_at=joined.choice([None, joined.randint(0, 950)]) if joining else None,
            left_early=chance.random() < leaving,
            rounds_played=chance.choice([None, chance.randint(0, 13)]),
            weight=chance.choice([None, chance.uniform(0, 2)]) if weighted else None,
            idle_days=chance.choice([0.0, chance.uniform(0, 40)]),
            stats={name: chance.randint(0, 20) for name in STATS} if chance.random() < 0.7 else {},
            party=chance.choice([None, "a", "b"]),
            matches=counts.choice([0, counts.randint(0, 40)]),
        )

    return [result() for _ in range(matches)]


def histories(**knobs):
    """Hypothesis turns the knobs; what is behind them is seeded, which takes a tenth of the time."""
    rates = st.sampled_from([0, 0.05, 0.3, 0.7])
    return st.builds(
        history,
        st.integers(0, 2**32),
        matches=st.integers(1, knobs.pop("matches", 25)),
        leaving=rates,
        draws=rates,
        even=st.booleans(),
        by_score=st.booleans(),
        weighted=st.booleans(),
        scored=st.sampled_from([0, 0.5, 1]),
        joining=st.booleans(),
        **{name: st.just(value) for name, value in knobs.items()},
    )
