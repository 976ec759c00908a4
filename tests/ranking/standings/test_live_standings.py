"""The players of a match are ranked by their live ratings, among everybody else as published."""

from hypothesis import given
from hypothesis import strategies as st

from ranking.rules.rank_table import RankTable, TableStanding, percentile_from
from ranking.standings.match_standings import live_standings

ratings = st.integers(100, 120)


def table_of(values):
    return RankTable(sorted({value: values.count(value) for value in values}.items()))


@given(
    others=st.lists(ratings, max_size=30),
    players=st.lists(st.tuples(st.none() | ratings, st.none() | ratings), min_size=1, max_size=12),
)
def test_standings_are_those_on_a_board_of_the_others_and_of_the_live_ratings(others, players):
    published = [value for value, _ in players if value is not None]
    live = [value for _, value in players]
    board = others + [value for value in live if value is not None]

    def expected(value):
        below, above = sum(other < value for other in board), sum(other > value for other in board)
        return TableStanding(above + 1, percentile_from(below, above), len(board))

    standings = live_standings(table_of(others + published), published, live)
    assert standings == [None if value is None else expected(value) for value in live]


def test_a_published_rating_that_the_table_does_not_hold_takes_nobody_out():
    assert live_standings(table_of([100]), [105, 100, 100], [110, None, None]) == [TableStanding(1, 100, 1), None, None]
