"""Crossings by whole arrays against the rank table's own answers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.rules.crossings import NOWHERE, BoardLadder, ranks_gained, standings_of
from ranking.rules.rank_table import RankTable, top_percent
from ranking.rules.tiers import FIFTY, HUNDRED, NAMED, SCHEMES, tier_of

tables = st.dictionaries(st.integers(-300, 300), st.integers(1, 40), min_size=1).map(
    lambda counts: RankTable(sorted(counts.items()))
)


def ladder(scheme: str = NAMED) -> BoardLadder:
    return BoardLadder(tuple(tier_of(percentile, scheme) for percentile in range(1, 101)), scheme)


@given(tables, st.sampled_from(SCHEMES))
def test_standings_are_the_tables(table: RankTable, scheme: str) -> None:
    values = [value for value, _ in table.rows()]
    said = standings_of(np.array(values), table, ladder(scheme))
    tops = [top_percent(table.rank_of(value), len(table)) for value in values]
    assert said.rank.tolist() == [table.rank_of(value) for value in values]
    assert said.percentile.tolist() == [table.percentile_of(value) for value in values]
    assert said.top.tolist() == [next((top for top in (1, 5, 10) if share <= top), NOWHERE) for share in tops]


@pytest.mark.parametrize(
    ("scheme", "levels", "grades"),
    [
        (NAMED, {1: 0, 7: 0, 8: 1, 19: 2, 20: 3, 45: 6, 97: 15, 100: 15}, {19: 0, 20: 1, 97: 5}),
        (HUNDRED, {1: 0, 19: 0, 20: 1, 45: 2, 100: 5}, {19: 0, 20: 1, 97: 5}),
        (FIFTY, {1: 0, 19: 0, 100: 5}, {100: 5}),
    ],
)
def test_levels_and_grades(scheme: str, levels: dict[int, int], grades: dict[int, int]) -> None:
    of = ladder(scheme)
    assert {percentile: of.levels()[percentile] for percentile in levels} == levels
    assert {percentile: of.grades(of.levels())[percentile] for percentile in grades} == grades


def test_a_move_is_told_from_three_ranks_and_a_fiftieth_on(subtests: pytest.Subtests) -> None:
    for listed, before, after, gained in [
        (10, 5, 2, 3),
        (10, 5, 3, 0),
        (10, 2, 5, -3),
        (500, 20, 10, 10),
        (500, 20, 11, 0),
        (500, 10, 20, -10),
    ]:
        with subtests.test(listed=listed, before=before, after=after, gained=gained):
            table = RankTable((value, 1) for value in range(listed))
            said = ranks_gained(np.array([listed - before]), table, np.array([after]), listed)
            assert said.tolist() == [gained]
