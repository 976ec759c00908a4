"""Rank tables as columns: counting, moving players, and the stored form."""

import struct
import zlib
from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.rules import table_columns
from ranking.rules.rank_table import RankTable
from ranking.rules.table_columns import TableColumns

LEAST, GREATEST = -(2**63), 2**63 - 1
ratings = st.one_of(st.integers(-20, 20), st.sampled_from([LEAST, GREATEST]))
populations = st.lists(ratings, max_size=30)


def columns(players):
    return TableColumns.counted(players, [1] * len(players))


def rows(table):
    return list(zip(table.values.tolist(), table.counts.tolist(), strict=True))


@given(populations)
def test_it_counts_the_players_of_each_rating(players):
    assert rows(columns(players)) == sorted(Counter(players).items())
    assert len(columns(players)) == len(players)


@given(st.lists(populations, max_size=4))
def test_joined_tables_hold_the_players_of_all(parts):
    assert TableColumns.joined(map(columns, parts)) == columns([player for part in parts for player in part])


@given(populations, populations, populations)
def test_players_move(stay, before, after):
    assert columns(stay + before).moved(columns(before), columns(after)) == columns(stay + after)


@pytest.mark.parametrize("before", [[3], [1, 1], [1, 3]])
def test_only_players_who_are_there_move(before):
    with pytest.raises(ValueError, match="-1 players"):
        columns([1, 2]).moved(columns(before), columns([7, 7]))


def stored_by(few, table):
    """A table as it is stored where those of so many ratings are small."""
    with patch.object(table_columns, "FEW", few):
        return table.to_bytes()


@pytest.mark.parametrize("few", [-1, table_columns.FEW])
@given(players=populations)
def test_what_is_stored_is_read(few, players):
    stored = stored_by(few, columns(players))
    assert TableColumns.from_bytes(stored) == columns(players)
    assert RankTable.from_bytes(stored) == RankTable(sorted(Counter(players).items()))
    assert stored_by(few, RankTable.from_bytes(stored)) == stored


# Of the ratings -3, 5, 5, 700 and 70,000, as version 0.2.0 stores them.
BEFORE = bytes.fromhex(
    "524e4b540100000004000000fdffffffffffffff9210e024789ce3608080ed4c107a0b1f239866848a4385e17c180d004376018a"
)


def test_older_versions_and_this_one_read_each_others_small_tables():
    table = columns([-3, 5, 5, 700, 70_000])
    assert TableColumns.from_bytes(BEFORE) == table
    head = struct.calcsize("<4sHxxIq")  # up to the checksum of what is compressed
    assert table.to_bytes()[:head] == BEFORE[:head]
    assert zlib.decompress(table.to_bytes()[head + 4 :]) == zlib.decompress(BEFORE[head + 4 :])


@pytest.mark.parametrize("greatest", [255, 256, 65_535, 65_536, 2**40])
def test_numbers_of_any_width_are_stored(greatest):
    table = TableColumns.counted([0, greatest], [greatest, 1])
    assert TableColumns.from_bytes(stored_by(1, table)) == table


def test_another_table_is_not_equal():
    assert columns([1, 2]) == columns([2, 1])
    assert all(columns([1, 2]) != other for other in (columns([1]), columns([1, 3]), columns([1, 2, 2]), "a table"))
