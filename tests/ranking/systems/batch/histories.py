"""Random histories in the domain's words, and the same lived match by match."""

import math
import random
from dataclasses import replace
from typing import NamedTuple

from hypothesis import strategies as st

from ranking.systems.base import Entrant, Result, State, Team
from ranking.systems.batch import history_of, replay, states_of

STATS = ("kills", "assists", "deaths", "gadget_destroys")


class Lived(NamedTuple):
    before: list[State]
    after: list[State]
    chances: list[float | None]
    final: dict[str, State]


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
        rated = system.rate(replace(result, teams=teams))
        lived.chances.extend(system.win_probability([team.players for team in teams]))
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
        close(getattr(got, name), getattr(lived, name)) for name in ("mu", "sigma", "volatility")
    )


def check_replay(segments, results, start=None, *, by_hand_below=0):
    """Replayed at once and lived match by match, a history has the same states, chances and end."""
    start = start or {}
    ids = sorted({player.id for result in results for team in result.teams for player in team.players})
    numbers = {name: number for number, name in enumerate(ids)}
    lived = live(segments, results, start)
    columns = states_of([start.get(name) for name in ids])
    got = replay(segments, history_of(results, numbers), columns, by_hand_below=by_hand_below)
    for index, (before, after) in enumerate(zip(lived.before, lived.after, strict=True)):
        assert same(got.before[index], before), (index, got.before[index], before)
        assert same(got.after[index], after), (index, got.after[index], after)
    for index, chance in enumerate(lived.chances):
        value = got.chance[index].item()
        assert close(None if math.isnan(value) else value, chance, to=1e-9), (index, value, chance)
    for name, number in numbers.items():
        assert same(got.final[number], lived.final[name])
    return got


@st.composite
def histories(draw, *, most_teams=2, sizes=(1, 4), matches=(1, 12), players=14):
    """Matches of a few players who meet again and again: leavers, draws, partial play, weights, uneven teams."""
    seconds = st.one_of(st.none(), st.integers(0, 2000), st.floats(0, 2000))
    weights = st.one_of(st.none(), st.none(), st.floats(0, 2))
    by_score = draw(st.booleans())
    even = draw(st.booleans())
    rare = draw(st.booleans())  # leavers

    def result():
        count = draw(st.integers(2, most_teams))
        most = min(sizes[1], players // count)
        size = draw(st.integers(sizes[0], most))
        order = draw(st.permutations(range(players)))
        teams = []
        for _ in range(count):
            own, order = order[: size if even else draw(st.integers(sizes[0], most))], order[most:]
            teams.append(
                Team(
                    tuple(entrant(number) for number in own),
                    place=None if by_score else draw(st.integers(1, count)),
                    score=draw(st.integers(-1, 3)) if by_score else draw(st.one_of(st.none(), st.integers(-1, 3))),
                )
            )
        rounds = draw(st.one_of(st.none(), st.integers(1, 20)))
        return Result(tuple(teams), duration=draw(st.one_of(st.none(), st.integers(0, 1800))), rounds=rounds)

    def entrant(number):
        return Entrant(
            str(number),
            skill=None,
            seconds=draw(seconds),
            left_early=draw(st.integers(0, 9 if rare else 1)) == 0,
            rounds_played=draw(st.one_of(st.none(), st.integers(0, 20))),
            weight=draw(weights),
            idle_days=draw(st.one_of(st.just(0.0), st.floats(0, 40))),
            stats={name: draw(st.integers(0, 30)) for name in STATS} if draw(st.integers(0, 3)) else {},
            party=draw(st.one_of(st.none(), st.sampled_from("ab"))),
        )

    return [result() for _ in range(draw(st.integers(*matches)))]


def seeded_history(seed, *, matches=300, players=60, teams=(2, 2), sizes=(1, 5), leaving=0.05, draws=0.05):
    """The same without Hypothesis, longer."""
    chance = random.Random(f"rungs {seed}")
    names = [f"{number:05}" for number in range(players)]

    def result():
        count = chance.randint(*teams)
        order = iter(chance.sample(names, count * sizes[1]))
        places = [1] * count if chance.random() < draws else chance.sample(range(1, count + 1), count)
        return Result(
            tuple(
                Team(
                    tuple(
                        Entrant(
                            next(order),
                            skill=None,
                            seconds=chance.choice([None, chance.uniform(0, 900), chance.randint(0, 900)]),
                            left_early=chance.random() < leaving,
                            rounds_played=chance.choice([None, chance.randint(0, 13)]),
                            idle_days=chance.choice([0.0, chance.uniform(0, 9)]),
                            stats={name: chance.randint(0, 20) for name in STATS} if chance.random() < 0.7 else {},
                            party=chance.choice([None, "a", "b"]),
                        )
                        for _ in range(chance.randint(*sizes))
                    ),
                    place=place,
                    score=chance.randint(-1, 3),
                )
                for place in places
            ),
            duration=900,
            rounds=13,
        )

    return [result() for _ in range(matches)]
