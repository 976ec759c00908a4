"""Archives never change, whatever is done afterwards, and the ledger is sound after it."""

import datetime as dt

import pytest
from django.db.models import Max

from ranking.matches import invariants
from ranking.models import Ban, Match, Mode, OutboxEntry, Player, Rating, Season, Snapshot
from ranking.moderation.merges import merge_players
from ranking.moderation.sanctions import hide_players
from ranking.moderation.splits import split_players
from ranking.moderation.voids import restore, void
from ranking.modes.changes import change_parameters, change_settings, relist
from ranking.players.anonymising import anonymise_player
from ranking.rerating.reratings import request_rerating, rerate, switch_system
from ranking.rules.tiers import FIFTY
from ranking.seasons import invariants as season_invariants
from ranking.seasons.archives import checksum_of
from ranking.seasons.strikes import strike_ratings
from ranking.seasons.taking_back import take_back_end
from ranking.standings.publishing import publish
from ranking.standings.regions import choose_region
from tests.support.factories import NOW, ban_player, make_mode, record
from tests.support.savepoints import rolled_back
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)
LATER = NOW + 5 * HOUR
BY = {"by": None, "reason": "test", "now": LATER}


@pytest.fixture
def mode(time_machine):
    """Two archived seasons and one that runs. c was played as a second account of d, merged before the first end."""
    time_machine.move_to(NOW, tick=False)
    mode = make_mode()
    play("ab", "ca", "bc", "ef", region="eu")
    Player.objects.create(key="d", name="d", search_name="d", created_at=NOW)
    merge_players(player("d"), player("c"), **{**BY, "now": NOW})
    rerate(mode)
    for hours, matches in ((1, ("ab", "be")), (2, ("ae", "gb", "fa"))):
        time_machine.move_to(NOW + hours * HOUR, tick=False)
        end(mode, at=NOW + hours * HOUR)
        play(*matches, now=NOW + hours * HOUR, region="eu")
    time_machine.move_to(LATER, tick=False)
    publish(mode, now=LATER)
    return mode


def play(*winners, now=NOW, **more):
    for winner, loser in winners:
        record([winner], [loser], now=now, ended_at=now, **more)


def player(key):
    return Player.objects.get(key=key)


def of_season(number):
    return list(Match.objects.filter(season__number=number).order_by("event"))


def rating(key, number):
    return Rating.objects.get(player__key=key, season__number=number)


def archives():
    """Every row of the archives, and their checksums; the sequences of ends aren't theirs."""
    seasons = Season.objects.filter(number__lt=3).order_by("pk")
    return [
        list(Rating.objects.filter(season__in=seasons).order_by("pk").values()),
        list(Snapshot.objects.filter(season__in=seasons, final=True).order_by("pk").values()),
        [(season.name, season.starts_at, season.ends_at, season.shown, checksum_of(season)) for season in seasons],
    ]


def voids(mode):
    void([of_season(1)[0], of_season(2)[0]], **BY)


def voids_and_restores(mode):
    voids(mode)
    rerate(mode)
    restore([of_season(1)[0]], **BY)


def voids_all_of_a_player(mode):
    void([match for match in of_season(1) if match.participations.filter(player__key="f").exists()], **BY)


def chronological(mode):
    record(["a"], ["f"], ended_at=NOW + HOUR / 2, now=LATER, id="straggler")
    request_rerating(mode, reason="test", now=LATER, chronological=True)


def system(mode):
    switch_system(mode, system="trueskill", params={}, **BY)


def parameters(mode):
    change_parameters(mode, params={"alpha": 0.2}, now=LATER)
    request_rerating(mode, reason="test", now=LATER)


def settings(mode):
    change_settings(mode, now=LATER, tier_scheme=FIFTY, shows_rating=False, placement_matches=5, activity_days=1)
    relist(mode, now=LATER)


def leaves(mode):
    anonymise_player(player("a"), now=LATER)


def merges(mode):
    merge_players(player("a"), player("g"), **BY)


def splits_who_merged_before_the_end(mode):
    split_players(player("d").merges.get(), **BY)
    request_rerating(mode, reason="test", now=LATER)


def region(mode):
    play("xy", now=LATER, region="us")
    publish(mode, now=LATER)
    choose_region(rating("a", 3), "us", now=LATER)


def bans_and_hides(mode):
    ban_player(player("a"), scope=Ban.BOTH, **BY)
    hide_players([player("b").pk], **BY)


def strikes(mode):
    strike_ratings(Rating.objects.filter(season__number=1).values_list("pk", flat=True), **BY)


def plays(mode):
    play("ab", "ca", "fe", now=LATER)


def ends_and_takes_back(mode):
    end(mode, at=LATER)
    take_back_end(mode, **BY)


def test_nothing_changes_an_archive(mode, subtests):
    before, newest = archives(), Season.objects.aggregate(last=Max("number"))["last"]
    assert (len(before[0]), newest) == (8, 3)
    for act in [
        voids, voids_and_restores, voids_all_of_a_player, chronological, system, parameters, settings, leaves, merges,
        splits_who_merged_before_the_end, region, bans_and_hides, strikes, plays, ends_and_takes_back,
    ]:  # fmt: skip
        with subtests.test(act=act.__name__), rolled_back():
            act(Mode.objects.get(pk=mode.pk))
            for _ in range(3):
                rerate(mode)
            publish(Mode.objects.get(pk=mode.pk), now=LATER)
            assert archives() == before
            OutboxEntry.objects.all().delete()  # nobody does work after results here
            assert [*invariants.violations(LATER), *season_invariants.violations(LATER)] == []
