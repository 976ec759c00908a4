"""Achievements of more than two teams: a shared first place is a first, and nobody slays a giant."""

import pytest

from leaderboards.achievements.reading import read_mode
from leaderboards.achievements.showing import achievable_in
from leaderboards.models import Achievement
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


def test_a_shared_first_place_is_a_first_win():
    mode = make_mode("ffa", "weng-lin", team_count=3, team_size_max=1)
    record(["a"], ["b"], ["c"], mode="ffa", places=(1, 1, 3))
    read_mode(mode, NOW, anew=True)
    firsts = Achievement.objects.filter(feat="first-win").order_by("player__key")
    assert list(firsts.values_list("player__key", flat=True)) == ["a", "b"]
    assert "giant-slayer" not in {kind.key for kind in achievable_in(mode)}
