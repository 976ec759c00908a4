import base64
import contextlib
import struct

from leaderboards.boards.positions import (
    After,
    Around,
    AtRank,
    BadPosition,
    Before,
    Cursor,
    FromPlace,
    Top,
    read_position,
)

CURSOR = Cursor(-250_000, 1_767_323_045_000_678, 7)
LATEST, TOO_LATE = (base64.urlsafe_b64encode(struct.pack(">qqq", 0, moment, 1)).decode()
                    for moment in (253_402_300_799_999_999, 253_402_300_800_000_000))  # fmt: skip


POSITIONS = [
    ({}, Top()),
    ({"rank": ""}, Top()),
    ({"rank": "17"}, AtRank(17)),
    ({"rank": " #1,017 "}, AtRank(1017)),
    ({"around": "76561/é ?"}, Around("76561/é ?")),
    ({"rank": "3", "around": "a"}, AtRank(3)),
    ({"from": " 1,051 "}, FromPlace(1051)),
    ({"from": "51", "after": str(CURSOR)}, FromPlace(51)),
    ({"after": str(CURSOR)}, After(CURSOR)),
    ({"before": str(CURSOR)}, Before(CURSOR)),
    ({"after": LATEST}, After(Cursor(0, 253_402_300_799_999_999, 1))),
]
REFUSED = [
    {name: text} for name in ("rank", "from") for text in ("0", "-1", "x", "1.5", "9" * 19, "9" * 5000, "١٧", "²", "\0")
]
REFUSED += [{"around": "a\0"}, {"around": "a" * 129}, {"after": "zz"}, {"before": "\0"}, {"after": TOO_LATE}]


def test_position() -> None:
    assert [read_position(asked) for asked, _ in POSITIONS] == [position for _, position in POSITIONS]


def test_refused() -> None:
    read = []
    for asked in REFUSED:
        with contextlib.suppress(BadPosition):
            read.append((asked, read_position(asked)))
    assert read == []
