"""Who passed whom on the board, as it is kept with the first publication after a match."""

import datetime as dt
import random

import pytest

from ranking.models import Participation, Passing, Player, Rating
from ranking.standings.publishing import publish
from tests.support.factories import NOW, hide_player, make_mode, record

pytestmark = pytest.mark.django_db
MINUTE = dt.timedelta(minutes=1)


def board() -> dict[int, int]:
    """The published ratings of those who are listed, by player."""
    return dict(Rating.objects.filter(listed=True).values_list("player", "published_hundredths"))


def kept(match, key: str) -> tuple[int, int, list[str], list[str]]:
    row = Passing.objects.get(participation__match=match, participation__player__key=key)
    keys = dict(Player.objects.values_list("pk", "key"))
    return row.passed, row.passed_by, *([keys[pk] for pk in ids] for ids in (row.passed_players, row.passed_by_players))


def test_drawing_level_is_passing():
    """a 1.20, b 1.15, c 1.10, d 1.05; then d wins four times, each of which brings 0.05."""
    mode = make_mode(system="team-ratio")
    for winner, times in (("a", 4), ("b", 3), ("c", 2), ("d", 1)):
        for _ in range(times):
            record([winner], ["z"])
    publish(mode, now=NOW)
    match = record(["d"], ["z"], ended_at=NOW + MINUTE, now=NOW + MINUTE).record.match
    assert not Passing.objects.exists()
    publish(mode, now=NOW + MINUTE)
    assert kept(match, "d") == (1, 0, ["c"], [])  # at 1.10, as c
    now = NOW + 2 * MINUTE
    several = [record(["d"], ["z"], ended_at=now, now=now).record.match for _ in range(3)]  # to 1.15, 1.20 and 1.25
    publish(mode, now=now)
    assert [kept(match, "d") for match in several] == [(1, 0, ["b"], []), (1, 0, ["a"], []), (0, 0, [], [])]


@pytest.mark.parametrize("seed", range(6))
def test_counts_and_names_are_those_of_the_two_boards(seed):
    """Each player plays at most once between two publications; so their own ratings are those of the boards, too."""
    choice = random.Random(seed)
    mode = make_mode(system="elo")
    players = [f"p{number}" for number in range(24)]
    for _ in range(8):
        choice.shuffle(players)
        for one, two in zip(players[::2], players[1::2], strict=True):
            record([one], [two], places=choice.choice([[1, 2], [2, 1], [1, 1]]))
    publish(mode, now=NOW)
    for number in range(1, 4):
        now, before = NOW + number * MINUTE, board()
        playing = choice.sample(players, 8)
        for one, two in zip(playing[::2], playing[1::2], strict=True):
            record([one], [two], places=choice.choice([[1, 2], [2, 1]]), ended_at=now, now=now)
        hide_player(Player.objects.get(key=choice.choice(players)), now=now)
        publish(mode, now=now)
        after = board()
        both = before.keys() & after.keys()
        for part in Participation.objects.filter(
            match__ended_at=now, rank_before__isnull=False, rank_after__isnull=False
        ):
            own = part.player_id
            old, new = part.display_before, part.display_after
            passed = {pk for pk in both - {own} if before[pk] > old and after[pk] <= new}
            passed_by = {pk for pk in both - {own} if before[pk] <= old and after[pk] > new}
            row = part.passing
            assert (row.passed, row.passed_by) == (len(passed), len(passed_by))
            for ids, expected in ((row.passed_players, passed), (row.passed_by_players, passed_by)):
                assert set(ids) <= expected
                assert len(ids) == len(set(ids)) == min(5, len(expected))
                distances = [abs(after[pk] - new) for pk in ids]
                assert distances == sorted(abs(after[pk] - new) for pk in expected)[: len(ids)]
