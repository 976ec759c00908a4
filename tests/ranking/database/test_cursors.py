import base64
import datetime as dt
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.database.cursors import (
    BadCursor,
    pack_cursor,
    read_cursor,
    unpack_cursor,
    write_cursor,
)
from ranking.database.microseconds import microseconds_of

int64 = st.integers(-(2**63), 2**63 - 1)
moments = st.datetimes(timezones=st.just(dt.UTC))
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200)
KINDS = ("text", "whole", "moment")


@given(texts, int64, moments)
def test_reading_gives_what_was_written(text: str, number: int, moment: dt.datetime) -> None:
    assert read_cursor(write_cursor([text, number, moment]), KINDS) == [text, number, moment]


@given(int64, int64, int64)
def test_unpacking_gives_what_was_packed(first: int, second: int, third: int) -> None:
    assert unpack_cursor(pack_cursor((first, second, third))) == (first, second, third)


def test_what_cursors_look_like() -> None:
    """Addresses that somebody has kept go on leading to their page."""
    moment = dt.datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=dt.UTC)
    assert write_cursor(["é", 7, moment]) == "WyLDqSIsIDcsICIyMDI2LTAxLTAyVDAzOjA0OjA1LjAwMDY3OCswMDowMCJd"
    assert pack_cursor((-250_000, microseconds_of(moment), 7)) == "_______8L3AABkde9kz15gAAAAAAAAAH"


@given(st.text(max_size=60))
def test_anything_else_is_refused_or_a_cursor(text: str) -> None:
    try:
        key = unpack_cursor(text)
    except BadCursor:
        return
    assert unpack_cursor(pack_cursor(key)) == key


@pytest.mark.parametrize("text", ["", "x", "a" * 31, "a" * 33, "é" * 32, "\0"])
def test_not_packed(text: str) -> None:
    with pytest.raises(BadCursor):
        unpack_cursor(text)


def cursor(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "é",
        "\0",
        cursor({}),
        cursor([]),
        cursor(["a", 1]),
        "W" * 20_000,
        base64.b64encode(b"[" * 9_999).decode(),
    ]
    + [cursor([text, 1, "2026-01-01T00:00:00+00:00"]) for text in (1, None, "a\0", "a" * 201, "\ud800")]
    + [cursor(["a", number, "2026-01-01T00:00:00+00:00"]) for number in (2**63, -(2**63) - 1, 1.0, True, "1", None)]
    + [cursor(["a", 1, moment]) for moment in ("", "x", 5, "2026-01-01T00:00:00", "2026-01-01T00:00:00+01:00")],
)
def test_not_a_cursor_of_this_list(text: str) -> None:
    with pytest.raises(BadCursor, match="That page doesn't exist; follow `next` of the page before it"):
        read_cursor(text, KINDS)
