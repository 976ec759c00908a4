import pytest

from leaderboards.boards.positions import Around, AtRank, BadPosition, Top, read_position


@pytest.mark.parametrize(
    ("asked", "position"),
    [
        ({}, Top()),
        ({"rank": ""}, Top()),
        ({"rank": "17"}, AtRank(17)),
        ({"rank": " #1,017 "}, AtRank(1017)),
        ({"around": "76561/é ?"}, Around("76561/é ?")),
        ({"rank": "3", "around": "a"}, AtRank(3)),
    ],
)
def test_position(asked: dict[str, str], position: object) -> None:
    assert read_position(asked) == position


@pytest.mark.parametrize(
    "asked",
    [{"rank": text} for text in ("0", "-1", "x", "1.5", "9" * 19, "9" * 5000, "١٧", "²", "\0")]
    + [{"around": "a\0"}, {"around": "a" * 129}, {"after": "zz"}, {"before": "\0"}],
)
def test_refused(asked: dict[str, str]) -> None:
    with pytest.raises(BadPosition):
        read_position(asked)
