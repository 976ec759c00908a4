import base64
import datetime as dt
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.boards.positions import BadCursor, Cursor, read_cursor

int64 = st.integers(-(2**63), 2**63 - 1)
cursors = st.builds(Cursor, int64, st.datetimes(timezones=st.just(dt.UTC)), int64)


@given(cursors)
def test_reading_gives_what_was_written(cursor: Cursor) -> None:
    assert read_cursor(str(cursor)) == cursor


@given(st.text(max_size=60))
def test_anything_else_is_refused_or_a_cursor(text: str) -> None:
    try:
        cursor = read_cursor(text)
    except BadCursor:
        return
    assert read_cursor(str(cursor)) == cursor


OVERFLOWING = base64.urlsafe_b64encode(struct.pack(">qqq", 0, 2**63 - 1, 1)).decode()


@pytest.mark.parametrize("text", ["", "x", "a" * 31, "a" * 33, "é" * 32, OVERFLOWING, "\0"])
def test_refused(text: str) -> None:
    with pytest.raises(BadCursor):
        read_cursor(text)
