import pytest

from ranking.rules.scoreboard import Column, columns_data, columns_for, read_columns

KD = Column("kills", "K/D", "deaths", "2 decimals")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (Column("kills", "Kills"), 9.0),
        (Column("assists", "Assists"), None),
        (KD, 4.5),
        (Column("kills", "K/A", "assists"), None),
        (Column("kills", "Kills per dry shot", "misses"), 9.0),  # by 0 is as by 1
        (Column("kills", "A round", "rounds"), 0.45),
        (Column("kills", "A minute", "minutes"), 0.9),
    ],
)
def test_values(column: Column, value: float | None) -> None:
    stats = {"kills": 9.0, "deaths": 2.0, "misses": 0.0}
    assert column.value(stats, 20, 600.0) == value


def test_no_quotient_by_rounds_or_minutes_that_nobody_knows() -> None:
    assert Column("kills", "A round", "rounds").value({"kills": 9.0}, None, None) is None
    assert Column("kills", "A minute", "minutes").value({"kills": 9.0}, None, 0.0) is None


def test_without_a_choice_every_statistic_has_a_column() -> None:
    reported = {"time_alive", "deaths", "kills", "score", "headshots"}
    names = [column.name for column in columns_for((), reported, with_rounds=True)]
    assert names == ["Score", "Kills", "Deaths", "K/D", "Headshots", "Time alive", "Kills a round"]
    assert [column.key for column in columns_for((), {"kills"}, with_rounds=False)] == ["kills"]
    assert [column.least for column in columns_for((), {"kills", "deaths"}, with_rounds=False)] == [False, True, False]


def test_columns_chosen_stand_in_their_order_where_they_were_reported() -> None:
    chosen = (KD, Column("score", "Points"), Column("damage", "Damage"))
    assert columns_for(chosen, {"kills", "deaths", "score"}, with_rounds=True) == chosen[:2]


def test_columns_are_read_as_they_were_written() -> None:
    columns = (KD, Column("deaths", "Deaths", least=True), Column("alive", "Alive", form="time"))
    assert read_columns(columns_data(columns)) == columns
    assert columns_data(columns[1:2]) == [{"stat": "deaths", "name": "Deaths", "least": True}]


def test_refusals(subtests: pytest.Subtests) -> None:
    for given, sentence in [
        ({}, "Columns are a list"),
        ([{"stat": "kills"}], 'Column 1 needs a "stat" and a "name"'),
        ([{"stat": "kills", "name": "Kills", "colour": "red"}], 'Column 1 needs a "stat" and a "name"'),
        ([{"stat": "", "name": "Kills"}], "Column 1 needs a statistic of 1 to 64 printable characters."),
        ([{"stat": "kills", "name": "x" * 33}], "Column 1 needs a name of 1 to 32 printable characters."),
        ([{"stat": "kills", "name": "Kills", "per": "x" * 65}], "Column 1 needs a divisor of 1 to 64"),
        ([{"stat": "kills", "name": "Kills", "form": "roman"}], "Column 1 is written as one of: number"),
        ([{"stat": "kills", "name": "Kills", "form": ["time"]}], "Column 1 is written as one of: number"),
        ([{"stat": "kills", "name": "Kills", "least": "yes"}], '"least" of column 1 is true or false.'),
        ([{"stat": "a", "name": "A"}, {"stat": "a", "name": "B"}], "Two columns show a; one is enough."),
        ([{"stat": f"a{number}", "name": "A"} for number in range(33)], "at most 32 columns; these are 33"),
    ]:
        with subtests.test(given=given), pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
            read_columns(given)
