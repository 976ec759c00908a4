"""When players last played, and how matches ended, in columns as one by one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ranking.database.arrays import NO_TIMESTAMP
from ranking.systems.base import Entrant, Result, Team
from ranking.systems.batch.history import DREW, LEFT, LOST, WON, history_of, latest_before, outcomes_of
from ranking.systems.shared.rules import effective_places

MOMENTS = st.integers(0, 5)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), MOMENTS)), st.lists(st.just(NO_TIMESTAMP) | MOMENTS, min_size=4, max_size=4)
)
def test_the_latest_end_before_each_match(played, known):
    last, expected = dict(enumerate(known)), []
    for player, ended_at in played:
        expected.append(last[player])
        last[player] = max(last[player], ended_at)
    players, ends = (np.array([row[index] for row in played], np.int64) for index in (0, 1))
    before = np.array(known)
    assert latest_before(players, ends, before).tolist() == expected
    assert before.tolist() == known


@st.composite
def teams(draw):
    by_place = draw(st.booleans())
    return [
        (draw(st.integers(1, 3)), by_place, draw(st.lists(st.booleans(), min_size=1, max_size=3)))
        for _ in range(draw(st.integers(2, 4)))
    ]


@settings(deadline=None)
@given(st.lists(teams(), max_size=5))
def test_outcomes_are_those_of_the_places(matches):
    results, expected, placed = [], [], []
    for said in matches:
        result = Result(
            tuple(
                Team(
                    tuple(Entrant(f"{number}-{seat}", None, left_early=left) for seat, left in enumerate(leaving)),
                    **({"place": value} if by_place else {"score": float(value)}),
                )
                for number, (value, by_place, leaving) in enumerate(said)
            )
        )
        results.append(result)
        given_ = [value if by_place else 4 - value for value, by_place, _ in said]
        places = effective_places(result, tuple(given_))
        placed += [
            1 + sum(other < place for other in places)
            for place, (_, _, leaving) in zip(places, said, strict=True)
            for _ in leaving
        ]
        first = DREW if places.count(min(places)) > 1 else WON
        for place, (_, _, leaving) in zip(places, said, strict=True):
            expected += [LEFT if left else first if place == min(places) else LOST for left in leaving]
    names = {player.id for result in results for team in result.teams for player in team.players}
    history = history_of(results, {name: index for index, name in enumerate(sorted(names))})
    assert outcomes_of(history, np.array(placed, np.int64)).tolist() == expected
