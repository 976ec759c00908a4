"""Achievements of archived seasons: granted once, from the final standings, and taken away from struck players."""

import datetime as dt
import re

import pytest
import time_machine
from django.core.management import call_command

from leaderboards.achievements.reading import read_events
from leaderboards.achievements.seasons import grant_mode
from leaderboards.achievements.showing import best_of_series, find_earned, find_locked
from leaderboards.models import Achievement
from ranking.models import Mode, Player, Rating, Season
from ranking.moderation.merges import merge_players
from ranking.moderation.splits import split_players
from ranking.operations import outbox
from ranking.seasons.strikes import lift_strikes, strike_ratings
from ranking.seasons.taking_back import take_back_end
from ranking.standings.publishing import publish
from tests.support.factories import LATER, NOW, make_mode, record
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
MINUTE = dt.timedelta(minutes=1)


@pytest.fixture
def mode() -> Mode:
    return make_mode(team_count=6, team_size_max=1)


def play(mode: Mode, *order: str, at: dt.datetime = NOW) -> None:
    record(*[[key] for key in order], mode=mode.slug, ended_at=at, now=at)
    publish(mode, now=at)


def played(mode: Mode, order: str = "abcdef", at: dt.datetime = LATER) -> Season:
    """A season of one match, which these came out of in this order; it is over."""
    with time_machine.travel(at, tick=False):
        play(mode, *order, at=at - MINUTE)
        season = end(mode, at=at)
        outbox.sweep(at)
    return season


def held() -> dict[str, list[str]]:
    """Who holds which achievements of seasons, without the word season."""
    rows = Achievement.objects.filter(season__isnull=False).order_by("feat", "player__key")
    found: dict[str, list[str]] = {}
    for key, feat, occasion in rows.values_list("player__key", "feat", "occasion"):
        found.setdefault(key, []).append(f"{feat.removeprefix('season-')} {occasion}")
    return found


GRANTED = {
    "a": ["champion 1", "podium 1", "tier-master 1"],
    "b": ["podium 1", "tier-platinum 1"],
    "c": ["podium 1", "tier-gold 1"],
    "d": ["tier-silver 1"],
    "e": ["tier-silver 1"],
    "f": ["tier-bronze 1"],
}


def test_an_end_grants_what_the_final_standings_say(mode):
    season = played(mode)
    assert held() == GRANTED
    assert set(Achievement.objects.filter(season=season).values_list("earned_at", "mode")) == {(LATER, mode.pk)}


def test_ranks_that_are_shared_share_the_podium(mode):
    record(["a"], ["b"], ["c"], ["d"], ["e"], ["f"], mode=mode.slug, places=[1, 1, 3, 3, 3, 6])
    publish(mode, now=NOW)
    end(mode, at=LATER)
    outbox.sweep(LATER)
    on_podium = {key for key, feats in held().items() if "podium 1" in feats}
    champions = {key for key, feats in held().items() if "champion 1" in feats}
    assert (on_podium, champions) == ({"a", "b", "c", "d", "e"}, {"a", "b"})


def test_sweeping_twice_and_deriving_anew_change_nothing(mode):
    season = played(mode)
    read_events([season.event_id], LATER)
    assert (grant_mode(mode), held()) == (0, GRANTED)
    Achievement.objects.filter(feat="season-champion").update(player=Player.objects.get(key="f"))
    call_command("grant_achievements", "duel", "--anew")
    assert held() == GRANTED


def test_seasons_that_ended_before_are_granted_by_the_command(mode):
    played(mode)
    Achievement.objects.filter(season__isnull=False).delete()
    assert (grant_mode(mode), held()) == (10, GRANTED)


@pytest.mark.parametrize("hidden", [{"shows_tier": False}, {"tier_least_listed": 7}])
def test_without_tiers_there_is_none_to_end_in(mode, hidden):
    Mode.objects.update(**hidden)
    mode.refresh_from_db()
    played(mode)
    assert held() == {"a": ["champion 1", "podium 1"], "b": ["podium 1"], "c": ["podium 1"]}


def test_players_off_the_board_get_nothing(mode):
    play(mode, *"abcdef")
    Rating.objects.filter(player__key="a").update(active_until=NOW)
    played(mode, "ghijkl")
    assert "a" not in held()


def test_a_strike_takes_them_away_and_lifting_it_gives_them_back(mode):
    season = played(mode)
    row = Rating.objects.get(season=season, player__key="a")
    strike_ratings([row.pk], by=None, reason="Cheated.", now=LATER)
    assert held() == {key: feats for key, feats in GRANTED.items() if key != "a"}  # nobody moves up
    grant_mode(mode, anew=True)
    assert "a" not in held()
    lift_strikes([row.pk], by=None, reason="A mistake.", now=LATER)
    assert held() == GRANTED


def test_an_end_that_was_taken_back_before_the_sweep_grants_nothing(mode):
    play(mode, *"abcdef")
    season = end(mode, at=LATER)
    take_back_end(mode, by=None, reason="Too early.", now=LATER)
    read_events([season.event_id], LATER)
    assert held() == {}


def test_taking_an_end_back_takes_what_it_granted(mode):
    played(mode)
    take_back_end(mode, by=None, reason="Too early.", now=LATER)
    assert held() == {}
    assert grant_mode(mode, anew=True) == 0


def test_a_merge_hands_them_over_and_a_split_gives_them_back(mode):
    played(mode)
    played(mode, "mnopqr", at=LATER + 10 * MINUTE)
    before = held()
    a, m = (Player.objects.get(key=key) for key in "am")
    merge = merge_players(m, a, by=None, reason="One person.", now=LATER)
    both = sorted([*before["a"], *before["m"]])
    assert (held().get("a"), sorted(held()["m"])) == (None, both)
    grant_mode(mode, anew=True)
    assert (held().get("a"), sorted(held()["m"])) == (None, both)
    split_players(merge, by=None, reason="Two people.", now=LATER)
    assert held() == before


def earned(key: str) -> list[tuple[str, list[str]]]:
    """The names of achievements of seasons, each with the seasons and tiers that its words name."""
    every = best_of_series(find_earned(Player.objects.get(key=key), list(Mode.objects.all())))
    shown = [each for each in every if each.row.season or each.kind.key == "every-season"]
    return [(each.name, re.findall(r"Season \d|Master|Platinum|Wood", each.words)) for each in shown]


def test_pages_show_the_best_of_all_seasons_and_who_played_every_one(mode):
    played(mode)
    assert earned("a") == [("Master finish", ["Season 1", "Master"]), ("Champion", ["Season 1"])]
    played(mode, "bacdeg", at=LATER + 10 * MINUTE)
    assert earned("a") == [("Master finish", ["Season 1", "Master"]), ("Champion", ["Season 1"]), ("Regular", [])]
    assert earned("b")[1] == ("Champion", ["Season 2"])
    assert "Regular" not in [name for key in "fg" for name, _ in earned(key)]


def test_no_two_achievements_have_the_same_name(mode):
    player = Player.objects.create(key="new", name="New", created_at=LATER)
    for number in (0, 1):
        if number:
            Mode.objects.update(named_tiers=[{"name": "Wood", "from": 1}, {"name": "Gold", "from": 50}])
        one = Mode.objects.get()
        season = Season.objects.get(current=True)
        names = [each.name for each in find_locked(player, one, [], season, shows_progress=False)]
        assert len(names) == len(set(names))
        assert {"First win", "Gold", "Gold finish"} <= set(names)


def test_a_tier_keeps_the_name_that_it_had(mode):
    played(mode)
    tiers = [{"name": "Wood", "from": 1}, {"name": "Master", "from": 97}]
    Mode.objects.update(named_tiers=tiers)
    assert earned("b")[0] == ("Platinum finish", ["Season 1", "Platinum"])
    Mode.objects.update(shows_tier=False)
    assert earned("b") == [("Podium", ["Season 1"])]


@pytest.mark.parametrize("seasons", [1, 3])
def test_reading_takes_two_queries_however_many_seasons(mode, django_assert_num_queries, seasons):
    for number in range(seasons):
        played(mode, at=LATER + number * 10 * MINUTE)
    player, modes = Player.objects.get(key="a"), list(Mode.objects.all())
    with django_assert_num_queries(2):
        assert len(find_earned(player, modes)) >= 3 * seasons


@pytest.mark.parametrize("size", [6, 60])
def test_granting_takes_as_many_queries_however_many_players(django_assert_max_num_queries, size):
    mode = make_mode("crowd", params={"alpha": 1}, team_count=size, team_size_max=1)
    play(mode, *[f"p{number}" for number in range(size)])
    season = end(mode, at=LATER)
    outbox.sweep(LATER)
    Achievement.objects.all().delete()
    # changes, seasons, the transaction's two, the snapshot, the state; podium, champions, tiers; on PostgreSQL the lock
    with django_assert_max_num_queries(10):
        read_events([season.event_id], LATER)
    assert Achievement.objects.filter(season=season).count() == size + 4
