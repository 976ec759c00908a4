# ruff: noqa: E501 - one case a line, whole sentences
"""The calculator's sheet: from an address and back, players and teams added and dropped, carried between systems."""

from urllib.parse import parse_qsl

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.calculator._presets import PRESETS, QUITTER, UPSET
from leaderboards.calculator._sheet import (
    MOST_PLAYERS,
    MOST_TEAMS,
    BadSheet,
    carry,
    changed,
    number,
    query_of,
    read_sheet,
)
from leaderboards.calculator.page import make_page
from ranking.systems.registry import SYSTEMS


def read(text: str):
    return read_sheet(dict(parse_qsl(text, keep_blank_values=True)))


def sizes(sheet) -> str:
    return dict(query_of(sheet))["sizes"]


def test_the_address_keeps_the_sheet(subtests):
    for key in PRESETS:
        with subtests.test(key=key):
            _, sheet = PRESETS[key]
            assert read_sheet(dict(query_of(sheet))) == sheet


def test_what_is_left_empty_is_not_in_the_address():
    sheet = read(
        "system=elo&sizes=1,1&duration=&0.place=1&1.place=2&0.0.name=&0.0.rating=+30+&0.0.seconds=&1.0.left=on"
    )
    assert [*query_of(sheet)] == [
        ("system", "elo"), ("sizes", "1,1"), ("0.place", "1"), ("0.0.rating", "30"), ("1.place", "2"), ("1.0.left", "on"),
    ]  # fmt: skip


NO_SIZES = "The address doesn’t say how many players each team has."
BOUNDS = "The calculator takes 2 to 12 teams and at most 100 players in all."
REFUSED = {
    "system=elk&sizes=1,1": "There is no rating system “elk”.",
    "sizes=1,1": "There is no rating system “”.",
    "system=elo&of=elk&sizes=1,1": "There is no rating system “elk”.",
    "system=elo": NO_SIZES,
    "system=elo&sizes=0,1": NO_SIZES,
    "system=elo&sizes=1,٣": NO_SIZES,
    "system=elo&sizes=5": BOUNDS,
    "system=elo&sizes=50,51": BOUNDS,
    "system=elo&sizes=" + ",".join("1" * 13): BOUNDS,
}


def refusal(query: str) -> str:
    try:
        read(query)
    except BadSheet as bad:
        return str(bad)
    return ""


def test_an_address_that_no_form_makes():
    assert {query: refusal(query) for query in REFUSED} == REFUSED


def test_adding_and_dropping():
    after = {
        "add:0": "7,6", "add:1": "6,7", "add:2": "6,6", "drop:1.5": "6,5", "drop:1.6": "6,6", "team": "6,6,1",
        "undo:0": "6,6", "": "6,6", "drop": "6,6", "drop:0": "6,6", "add": "6,6", "nonsense": "6,6",
    }  # fmt: skip
    assert {action: sizes(changed(QUITTER, action)) for action in after} == after


def test_the_right_player_is_dropped_and_the_right_team():
    assert [row.name for row in changed(QUITTER, "drop:0.1").teams[0].rows][:2] == ["Kestrel", "Corvid"]
    three = changed(changed(UPSET, "team"), "undo:0")
    assert [team.rows[0].name for team in three.teams] == ["Kestrel", ""]
    assert changed(UPSET, "team").teams[2].place == "3"


def test_bounds():
    full = read(f"system=elo&sizes=50,{MOST_PLAYERS - 50}")
    assert (sizes(changed(full, "add:0")), sizes(changed(full, "team"))) == ("50,50", "50,50")
    wide = read("system=elo&sizes=" + ",".join("1" * MOST_TEAMS))
    assert len(changed(wide, "team").teams) == MOST_TEAMS
    assert sizes(changed(UPSET, "drop:0.0")) == "1,1"


def test_another_system_shows_everybody_as_strong_as_they_were():
    sheet = read("system=glicko-2&of=elo&sizes=1,1&0.0.rating=31&1.0.rating=x&param.alpha=3")
    assert sheet.system == "glicko-2"
    assert sheet.params == {}
    strong, unread = (team.rows[0].skill for team in sheet.teams)
    assert (float(strong["rating"]) > 1700, unread) == (True, {})
    assert carry(sheet, "elo").teams[0].rows[0].skill == {"rating": "31"}


def test_every_example_can_be_carried_to_every_system():
    carried = {(key, system): carry(PRESETS[key][1], system) for key in PRESETS for system in SYSTEMS}
    assert {row: read_sheet(dict(query_of(sheet))) for row, sheet in carried.items()} == carried


@given(
    st.dictionaries(st.sampled_from(["system", "of", "sizes", "do", "watched", "0.0.rating", "duration"]), st.text())
)
def test_whatever_is_in_an_address_there_is_a_page(query):
    page = make_page({"system": "elo", "sizes": "1,1", **query})
    assert 2 <= len(page.sides) <= MOST_TEAMS
    assert page.problem == "" or page.problem.endswith(".")


def test_numbers(subtests):
    for text, value in [("12", 12), ("-3", -3), ("−3", -3), ("2.5", 2.5), (".5", 0.5), ("1e3", 1000.0), ("1E-2", 0.01)]:
        with subtests.test(text=text, value=value):
            assert (number(text), type(number(text))) == (value, type(value))


def refused_number(text: str) -> str:
    try:
        return str(number(text))
    except ValueError as error:
        return str(error).partition("is no number")[1]


def test_no_numbers():
    texts = ("", "x", "1_0", "nan", "inf", "0x1", "1,5", "٣", "1e", "--1")
    assert {text: refused_number(text) for text in texts} == dict.fromkeys(texts, "is no number")


@pytest.mark.parametrize(
    ("text", "entry"),
    [("1,5", "1.5"), ("1.5", "1.5"), ("−0,25", "−0.25"), (",5", ".5"), ("2,5e-3", "2.5e-3"), ("12", "12")]
    + [(text, text) for text in ("1.500,5", "1,2,3", ",", "[1,2]", "x")],
)
def test_german_takes_one_comma_for_the_decimal_point(text, entry):
    query = f"system=elo&sizes=1,1&0.0.name={text}&0.0.rating={text}&0.score={text}&param.alpha={text}"
    with override("de"):
        sheet = read(query)
    row = sheet.teams[0].rows[0]
    assert (row.name, row.skill["rating"], sheet.teams[0].score, sheet.params["alpha"]) == (text, entry, entry, entry)


def test_english_takes_no_comma():
    assert read("system=elo&sizes=1,1&0.0.rating=1,5").teams[0].rows[0].skill == {"rating": "1,5"}


@pytest.mark.parametrize("entry", ["21,84", "21.84"])
def test_german_fields_show_the_decimal_comma(entry):
    query = {"system": "team-ratio", "sizes": "1,1", "0.place": "1", "1.place": "2", "0.0.rating": entry}
    with override("de"):
        page = make_page(query)
        entered, newcomer = (side.seats[0].entries[0] for side in page.sides)
        assert (entered.value, newcomer.start, page.calculation.faults) == ("21,84", "1,00", {})
    assert "0.0.rating=21.84" in page.query


@pytest.mark.parametrize("key", SYSTEMS)
def test_every_system_takes_the_numbers_that_german_fields_show(key):
    query = {"system": key, "sizes": "1,1", "0.place": "1", "1.place": "2"}
    with override("de"):
        page = make_page(query)
        fields = [*page.sides[0].seats[0].entries, *(choice.entry for choice in page.choices)]
        shown = {field.name: field.start for field in fields if field.start[-1:].isdigit()}
        assert make_page(query | shown).calculation.faults == {}
