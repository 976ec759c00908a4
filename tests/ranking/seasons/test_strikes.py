"""Strikes: a player loses medal and reward of an archived season, and everything else stays."""

import datetime as dt

import pytest

from ranking import hooks
from ranking.models import AuditEntry, Player, Rating, Snapshot, Strike
from ranking.moderation.merges import merge_players
from ranking.players.anonymising import anonymise_player
from ranking.seasons.archives import checksum_of
from ranking.seasons.strikes import StrikeRefused, lift_strikes, strike_ratings, struck_among
from tests.support.factories import NOW, make_mode, record
from tests.support.seasons import end, season_of

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)
corrections: list[tuple[int, str, str]] = []


def note(season, kind, now, *, player=None):
    corrections.append((season.number, kind, player.key))


@pytest.fixture
def archived(settings):
    """An archived season of a, b and c; corrections are noted."""
    settings.CORRECTION_FOLLOWERS = ["tests.ranking.seasons.test_strikes.note"]
    corrections.clear()
    mode = make_mode()
    for winner, loser in ("ab", "ac"):
        record([winner], [loser])
    return end(mode, at=NOW + HOUR)


def rating(key, number=1):
    return Rating.objects.get(player__key=key, season__number=number)


def strike(key="a", **more):
    return strike_ratings([rating(key).pk], **{"by": None, "reason": "Cheating.", "now": NOW + 2 * HOUR, **more})


def lift(key="a"):
    return lift_strikes([rating(key).pk], by=None, reason="A mistake.", now=NOW + 3 * HOUR)


def everything(season):
    return [list(model.objects.filter(season=season).order_by("pk").values()) for model in (Rating, Snapshot)] + [
        season.checksum
    ]


def test_a_strike_leaves_the_archive_as_it_is_and_is_lifted_again(archived):
    before = everything(archived)
    assert [row.player.key for row in strike(note="An alt of b's.")] == ["a"]
    assert strike() == []  # struck already
    assert struck_among([rating(key).pk for key in "abc"]) == {rating("a").pk}
    assert (everything(archived), checksum_of(archived)) == (before, archived.checksum or checksum_of(archived))
    assert [row.player.key for row in lift()] == ["a"]
    assert lift() == []
    assert struck_among([rating(key).pk for key in "abc"]) == set()
    assert [row.player.key for row in strike()] == ["a"]
    acts = AuditEntry.objects.filter(act__contains="strike").order_by("pk")
    assert list(acts.values_list("act", "subject", "player__key", "reason", "note")) == [
        ("strike", "duel: Season 1", "a", "Cheating.", "An alt of b's."),
        ("lift strike", "duel: Season 1", "a", "A mistake.", ""),
        ("strike", "duel: Season 1", "a", "Cheating.", ""),
    ]
    assert corrections == [(1, kind, "a") for kind in (hooks.STRUCK, hooks.RESTORED, hooks.STRUCK)]
    assert everything(archived) == before


def test_nobody_is_struck_from_a_season_that_runs(archived):
    record(["a"], ["b"], ended_at=NOW + 2 * HOUR, now=NOW + 2 * HOUR)
    with pytest.raises(StrikeRefused, match=r"Season 2 of Duel isn't over; players are struck from archived seasons\."):
        strike_ratings([rating("b", 1).pk, rating("a", 2).pk], by=None, reason="x", now=NOW + 2 * HOUR)
    with pytest.raises(ValueError, match="Say why"):
        strike(reason=" ")
    assert (Strike.objects.count(), corrections, season_of(archived.mode).number) == (0, [], 2)


def test_a_strike_stays_with_the_row_of_the_archive(archived):
    strike("c")
    kept, merged = (Player.objects.get(key=key) for key in "ac")
    before = checksum_of(archived)
    record(["b"], ["d"], ended_at=NOW + 2 * HOUR, now=NOW + 2 * HOUR)
    merge_players(Player.objects.get(key="d"), merged, by=None, reason="one person", now=NOW + 3 * HOUR)
    assert [(row.rating.player.key, row.rating.season.number) for row in Strike.objects.all()] == [("c", 1)]
    assert (checksum_of(archived), kept.merges.count()) == (before, 0)


def test_a_struck_player_who_leaves_for_good_stays_struck_without_a_name(archived):
    Player.objects.filter(key="a").update(name="Alice")
    strike(reason="Alice cheated.", note="See what alice wrote.")
    pk = rating("a").pk
    anonymise_player(Player.objects.get(key="a"), now=NOW + 4 * HOUR)
    row = Strike.objects.get()
    name = row.rating.player.name
    assert (row.rating_id, row.lifted_at, row.reason, row.note) == (
        pk, None, f"{name} cheated.", f"See what {name} wrote.",
    )  # fmt: skip
    assert not AuditEntry.objects.filter(reason__icontains="alice").exists()
    assert struck_among([pk]) == {pk}
