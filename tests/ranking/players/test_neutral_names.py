"""A neutral name is one player's alone, however it comes to players, and whoever had it before."""

from typing import Any

import pytest

from ranking.models import Player
from ranking.moderation.renaming import rename_player, reset_names
from ranking.players.neutral_names import find_neutral_names
from ranking.players.players import ensure_named, ensure_player
from ranking.rules.names import neutral_name
from tests.support.factories import NOW

pytestmark = pytest.mark.django_db
ACT: dict[str, Any] = {"by": None, "reason": "Mind the rules.", "now": NOW}


def keys_alike() -> tuple[str, str]:
    """Two keys with the same first neutral name."""
    known: dict[str, str] = {}
    for number in range(10**6):
        key = f"player-{number}"
        if (other := known.setdefault(neutral_name(key), key)) != key:
            return other, key
    raise AssertionError("no two names are the same")


FIRST, SECOND = keys_alike()


@pytest.fixture(autouse=True)
def words(settings, tmp_path):
    path = tmp_path / "names.txt"
    path.write_text("rat\n", encoding="utf-8")
    settings.FORBIDDEN_NAMES = str(path)


def test_players_whom_moderators_reset(subtests):
    players = [ensure_player(key, key, NOW).pk for key in (FIRST, SECOND)]
    for label, chosen in (("together", players), ("again", players), ("one", players[:1]), ("other", players[1:])):
        with subtests.test(label=label):
            reset_names(chosen, **ACT)
            names = dict(Player.objects.values_list("key", "name"))
            assert names == {FIRST: neutral_name(FIRST), SECOND: neutral_name(SECOND, 1)}
    assert reset_names(players, **ACT) == []


def test_newcomers_whose_names_the_site_forbids():
    ensure_named({FIRST: "Rat", SECOND: "rat!"}, NOW)
    assert set(Player.objects.values_list("name", flat=True)) == {neutral_name(FIRST), neutral_name(SECOND, 1)}


def test_a_name_that_somebody_has_or_had():
    """A player may call themselves so in their game; and a former name can come back by undoing."""
    ensure_player("imitator", neutral_name(FIRST), NOW)
    assert find_neutral_names([FIRST]) == {FIRST: neutral_name(FIRST, 1)}
    rename_player([Player.objects.get(key="imitator").pk], name="Ann", **ACT)
    assert find_neutral_names([FIRST]) == {FIRST: neutral_name(FIRST, 1)}
    assert ensure_player(FIRST, "Rat", NOW).name == neutral_name(FIRST, 1)


def test_a_key_that_cannot_be_a_name():
    assert [ensure_player(key, "", NOW).name for key in ("rat-1", "rat-2", "fine")] == [
        neutral_name("rat-1"), neutral_name("rat-2"), "fine",
    ]  # fmt: skip
