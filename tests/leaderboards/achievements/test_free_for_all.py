"""Achievements of more than two teams: a shared first place is a first, and nobody slays a giant."""

import pytest

from leaderboards.achievements.reading import read_mode
from leaderboards.achievements.showing import achievable_in, find_earned
from leaderboards.models import Achievement, Notice
from leaderboards.notifications.wording import words_of
from ranking.models import Player
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


def test_a_shared_first_place_is_a_first_win():
    mode = make_mode("ffa", "weng-lin", team_count=3, team_size_max=1)
    record(["a"], ["b"], ["c"], mode="ffa", places=(1, 1, 3))
    read_mode(mode, NOW, anew=True)
    firsts = Achievement.objects.filter(feat="first-win").order_by("player__key")
    assert list(firsts.values_list("player__key", flat=True)) == ["a", "b"]
    assert "giant-slayer" not in {kind.key for kind in achievable_in(mode)}


def feats_of(key: str) -> set[str]:
    return set(Achievement.objects.filter(player__key=key).values_list("feat", flat=True))


def play(place: int, times: int = 1) -> None:
    """Player a comes in this place of four."""
    for _ in range(times):
        record(["a"], ["b"], ["c"], ["d"], mode="ffa", places=[place, *(n for n in range(1, 5) if n != place)])


@pytest.mark.parametrize(
    ("before", "earned"), [([3, 4, 3, 4, 3], True), ([3, 4, 2, 4, 3, 3, 3], False), ([4] * 4, False), ([2] * 5, False)]
)
def test_a_comeback_is_a_first_place_after_five_below_the_top_half(before, earned):
    mode = make_mode("ffa", "weng-lin", team_count=4, team_size_max=1)
    for place in before:
        play(place)
    play(1)
    read_mode(mode, NOW, anew=True)
    assert ("comeback" in feats_of("a")) is earned


@pytest.mark.parametrize("cut", [1, 3, 5])
def test_a_comeback_is_found_however_the_history_is_read(cut):
    mode = make_mode("ffa", "weng-lin", team_count=4, team_size_max=1)
    play(4, cut)
    read_mode(mode, NOW)
    play(4, 5 - cut)
    play(1)
    read_mode(mode, NOW)
    assert "comeback" in feats_of("a")


def test_streaks_count_first_places_and_say_so(django_user_model):
    mode = make_mode("ffa", "weng-lin", team_count=4, team_size_max=1)
    play(1, 2)
    Player.objects.filter(key="a").update(user=django_user_model.objects.create_user("a"))
    record(["a"], ["b"], ["c"], ["d"], mode="ffa", places=[1, 1, 3, 4])
    play(2)
    read_mode(mode, NOW)
    words = {each.kind.key: each.words for each in find_earned(Player.objects.get(key="a"), [mode])}
    assert (words["first-win"], words["streak-3"]) == ("Came first in a match", "Came first 3 times in a row")
    notice = Notice.objects.get(player__key="a", data__feat="streak-3")
    assert words_of(notice.kind, notice.data, mode.name) == "On a roll in Ffa: came first 3 times in a row"
