"""Who passed whom by a match: those between its two ranks, as the next publication keeps them."""

import datetime as dt
import random

import pytest

from ranking.models import Participation, Passing, Player, Rating
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record

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


def test_what_others_play_meanwhile_is_theirs():
    """Both rise above c between two publications: each passes c, and neither the other, who stands as published."""
    mode = make_mode(system="team-ratio")
    for winner, times in (("a", 1), ("b", 1), ("c", 2)):
        for _ in range(times):
            record([winner], ["z"])
    publish(mode, now=NOW)
    now = NOW + MINUTE
    one, other = (record([winner], ["y"], ended_at=now, now=now).record.match for winner in ("a", "b"))
    record(["c"], ["y"], places=[2, 1], ended_at=now, now=now)
    publish(mode, now=now)
    assert [kept(one, "a"), kept(other, "b")] == [(1, 0, ["c"], [])] * 2


def test_nothing_is_kept_of_a_match_whose_ranks_rest_on_another_board():
    mode = make_mode(system="team-ratio")
    record(["a"], ["b"])
    publish(mode, now=NOW)
    match = record(["a"], ["b"], ended_at=NOW + MINUTE, now=NOW + MINUTE).record.match
    Participation.objects.filter(match=match, player__key="a").update(rank_before=3)
    publish(mode, now=NOW + MINUTE)
    assert list(Passing.objects.values_list("participation__player__key", flat=True)) == ["b"]


@pytest.mark.parametrize("seed", range(6))
def test_counts_and_names_are_those_between_the_two_ranks(seed):
    choice = random.Random(seed)
    mode = make_mode(system="elo", team_size_max=2)
    players = [f"p{number}" for number in range(24)]
    for _ in range(8):
        choice.shuffle(players)
        for one, two in zip(players[::2], players[1::2], strict=True):
            record([one], [two], places=choice.choice([[1, 2], [2, 1], [1, 1]]))
    publish(mode, now=NOW)
    for number in range(1, 4):
        now, published = NOW + number * MINUTE, board()
        for _ in range(6):
            one, two, three, four = choice.sample([*players, "newcomer"], 4)
            record([one, two], [three, four], places=choice.choice([[1, 2], [2, 1]]), ended_at=now, now=now)
        publish(mode, now=now)
        parts = list(Participation.objects.filter(match__ended_at=now).select_related("passing"))
        for part in parts:
            if part.rank_before is None or part.rank_after is None:
                assert not hasattr(part, "passing")
                continue
            mates = {own.player_id: own for own in parts if own.match_id == part.match_id and own != part}
            old, new = part.display_before, part.display_after
            stood = {pk: (rating, rating) for pk, rating in published.items() if pk not in {*mates, part.player_id}}
            stood |= {pk: (own.display_before, own.display_after) for pk, own in mates.items() if own.rank_after}
            passed = {pk for pk, (was, now_at) in stood.items() if was is not None and was > old and now_at <= new}
            passed_by = {pk for pk, (was, now_at) in stood.items() if (was is None or was <= old) and now_at > new}
            row = part.passing
            assert (row.passed, row.passed_by) == (len(passed), len(passed_by))
            assert row.passed_by - row.passed == part.rank_after - part.rank_before
            for ids, expected in ((row.passed_players, passed), (row.passed_by_players, passed_by)):
                assert set(ids) <= expected
                assert len(ids) == len(set(ids)) == min(5, len(expected))
                distances = [abs(stood[pk][1] - new) for pk in ids]
                assert distances == sorted(abs(stood[pk][1] - new) for pk in expected)[: len(ids)]
