"""Achievements by whole arrays against the same rules for one player at a time, however history is cut into pieces."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.rules.achievements import (
    ACHIEVEMENT_KINDS,
    BY_KEY,
    DRAW,
    LEFT,
    LOSS,
    WIN,
    Carry,
    Steps,
    first_rows,
    read_history,
)

PLACEMENT = (2, 4)  # of even and odd seasons
Match = tuple[int, int, float, int]  # season, outcome, chance, height of the tier
CODES = {"w": WIN, "d": DRAW, "l": LOSS, "x": LEFT}


@dataclass
class Player:
    """The rules as one tells them."""

    season: int = 0
    completed: int = 0
    wins: int = 0
    losses: int = 0
    stayed: int = 0
    earned: dict[str, int] = field(default_factory=dict)

    def play(self, number: int, match: Match) -> None:
        season, outcome, chance, height = match
        if season != self.season:
            self.season, self.completed = season, 0
        losses_before = self.losses
        won, left = outcome == WIN, outcome == LEFT
        self.completed += not left
        self.wins = self.wins + 1 if won else 0
        self.losses = self.losses + 1 if outcome == LOSS else 0
        self.stayed = 0 if left else self.stayed + 1
        holds = {
            "first-win": won,
            "placed": self.completed >= PLACEMENT[season % 2],
            "giant-slayer": won and chance < 0.2,
            "comeback": won and losses_before >= 5,
            "steady": self.stayed >= 100,
            **{f"streak-{length}": self.wins >= length for length in (3, 5, 10)},
            **{
                f"tier-{colour}": height >= number
                for number, colour in enumerate(("silver", "gold", "platinum", "diamond", "master"), 1)
            },
        }
        for key, holding in holds.items():
            if holding:
                self.earned.setdefault(key, number)


def read(histories: list[list[Match]], carry: Carry, brief: Sequence[int] = ()) -> tuple[list[dict[str, int]], Carry]:
    """What each of these players earns in these matches, by number of the match, and what is known afterwards.

    `brief`: the numbers of all matches that don't help to place.
    """
    matches = [(player, *match) for player, history in enumerate(histories) for match in history]
    player, season, outcome, chance, height = (np.array(column) for column in zip(*matches, strict=True))
    short = np.isin(np.arange(len(player)), brief)
    steps = Steps(player, season, np.array(PLACEMENT)[season % 2], outcome, short, chance.astype(float), height)
    history, after = read_history(steps, carry)
    first = np.searchsorted(player, np.arange(len(histories)))
    earned: list[dict[str, int]] = [{} for _ in histories]
    for feat in ACHIEVEMENT_KINDS:
        for row in first_rows(steps, feat.rule(history)).tolist() if feat.rule else []:
            earned[player[row]][feat.key] = row - int(first[player[row]])
    return earned, after


def nothing(players: int) -> Carry:
    return Carry(*(np.zeros(players, np.int64) for _ in range(5)))


seasons = st.lists(st.integers(0, 1), max_size=40).map(lambda steps: np.cumsum([1, *steps]).tolist())
outcomes, chances = st.sampled_from([WIN, WIN, DRAW, LOSS, LOSS, LEFT]), st.sampled_from([0.1, 0.2, 0.6, np.nan])
match = st.tuples(outcomes, chances, st.integers(0, 5))
histories = st.lists(
    seasons.flatmap(
        lambda numbers: st.lists(match, min_size=len(numbers), max_size=len(numbers)).map(
            lambda played: [(number, *one) for number, one in zip(numbers, played, strict=True)]
        )
    ),
    min_size=1,
    max_size=4,
)


@given(histories)
def test_arrays_say_what_one_says_of_each(played: list[list[Match]]) -> None:
    expected = []
    for history in played:
        player = Player()
        for number, one in enumerate(history):
            player.play(number, one)
        expected.append(player)
    earned, after = read(played, nothing(len(played)))
    assert earned == [player.earned for player in expected]
    names = ("season", "completed", "wins", "losses", "stayed")
    assert [getattr(after, name).tolist() for name in names] == [[getattr(p, name) for p in expected] for name in names]


@given(histories, st.data())
def test_reading_in_two_pieces_earns_the_same(played: list[list[Match]], data: st.DataObject) -> None:
    whole, known = read(played, nothing(len(played)))
    for player, history in enumerate(played):
        cut = data.draw(st.integers(1, len(history)))
        first, carry = read([history[:cut]], nothing(1))
        second = [{}]
        if history[cut:]:
            second, carry = read([history[cut:]], carry)
        later = {key: number + cut for key, number in second[0].items()}
        assert {**later, **first[0]} == whole[player]
        assert (carry.wins[0], carry.completed[0]) == (known.wins[player], known.completed[player])


EARNED = {
    "w": {"first-win": 0},
    "ldx": {},
    "dldl": {"placed": 3},
    "dxldl": {"placed": 4},
    "wwdww": {"first-win": 0, "placed": 3},
    "lwwww": {"first-win": 1, "streak-3": 3, "placed": 3},
    "llllldw": {"placed": 3, "first-win": 6},
    "lllllw": {"placed": 3, "first-win": 5, "comeback": 5},
    "llxlllw": {"placed": 4, "first-win": 6},
    "w" * 10: {"first-win": 0, "streak-3": 2, "placed": 3, "streak-5": 4, "streak-10": 9},
    "x" + "d" * 100: {"placed": 4, "steady": 100},
    "d" * 99 + "x": {"placed": 3},
}


def test_rules() -> None:
    histories = {played: [(1, CODES[outcome], 0.5, 0) for outcome in played] for played in EARNED}
    assert {played: read([history], nothing(1))[0] for played, history in histories.items()} == {
        played: [earned] for played, earned in EARNED.items()
    }


def test_giants_are_slain_by_winning_with_less_than_a_fifth(subtests: pytest.Subtests) -> None:
    for outcome, chance, expected in [("w", 0.19, True), ("w", 0.2, False), ("w", np.nan, False), ("d", 0.1, False)]:
        with subtests.test(outcome=outcome, chance=chance, expected=expected):
            assert ("giant-slayer" in read([[(1, CODES[outcome], chance, 0)]], nothing(1))[0][0]) is expected


def test_keys_are_there_once() -> None:
    assert len(BY_KEY) == len(ACHIEVEMENT_KINDS)


def test_a_brief_match_does_not_help_to_place():
    history = [[(2, LOSS, 0.5, 0)] * 3]
    for brief, placed in (((), 1), ((0,), 2)):
        [earned], _ = read(history, nothing(1), brief)
        assert earned["placed"] == placed
