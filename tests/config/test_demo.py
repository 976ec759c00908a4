"""The demo's seasons: made by the simulation, recorded on the normal way, and worth looking at."""

import datetime as dt
import itertools
import random
from collections import Counter, defaultdict

import pytest
from django.db import connection

from config.management import demo
from config.management.commands.demo import (
    add_failing_server,
    begin_seasons,
    by_publication,
    end_seasons,
    make_modes,
    record_seasons,
)
from matchmaking.models import Queue, Server
from matchmaking.server_failures import find_failing
from matchmaking.servers import needs_server
from ranking.matches.recording import record_results
from ranking.models import Mode, Player, Rating, Season, Snapshot, Source
from ranking.rules.conduct import LEAVE, Lapse, find_lockout, lockout_of
from tests.support.factories import NOW

PEOPLE = demo.population(random.Random(7))


@pytest.fixture(scope="module")
def reports():
    rng = random.Random(7)
    return demo.seasons(demo.population(rng), rng, NOW)


def players_of(report):
    return [player.id for _, _, player in report.players()]


def first(count, ladders, seed=7):
    rng = random.Random(seed)
    people = demo.population(rng)
    return list(itertools.islice(demo.results(people, ladders, rng, NOW), count))


def test_a_seed_is_two_seasons(reports):
    begun = first(60, demo.new_ladders(PEOPLE))
    assert sorted(begun, key=lambda report: report.ended_at)[:50] == reports[:50]
    assert begun != first(60, demo.new_ladders(PEOPLE), seed=8)


def test_every_mode_is_played_to_the_last_day(reports):
    count = Counter(report.mode for report in reports)
    assert set(count) == set(demo.MODES)
    assert count["control-6v6"] > 300
    assert count["duel"] > 400
    assert min(count.values()) > 30
    assert 1_000 < len(reports) < 1_700
    ends = [report.ended_at for report in reports]
    assert ends == sorted(ends)
    assert NOW - dt.timedelta(hours=1) < ends[-1] < NOW
    assert ends[0] > NOW - dt.timedelta(days=demo.DAYS)
    assert set(days_of(ends)) == set(range(demo.DAYS))
    last_day = Counter(report.mode for report in reports if report.ended_at > NOW - dt.timedelta(days=1))
    assert set(last_day) == set(count)


def days_of(ends):
    return [demo.DAYS - 1 - (NOW - end).days for end in ends]


def test_the_first_season_is_over_and_the_second_ends_in_twelve_days(reports):
    first, second = demo.season_ends(NOW - dt.timedelta(days=demo.DAYS))
    assert (NOW - first).days == 5  # home shows champions for a week
    assert (second - NOW).days == 12
    played = [(report.ended_at > first, report.started_at > first) for report in reports]
    assert set(played) == {(False, False), (True, True)}
    assert {report.mode for report in reports if report.ended_at > first} == set(demo.MODES)


def test_nobody_is_in_two_matches_at_once(reports):
    until = {}
    for report in sorted(reports, key=lambda report: report.started_at):
        for player in players_of(report):
            assert until.get(player, report.started_at) <= report.started_at
            until[player] = report.ended_at


def test_it_has_leavers_newcomers_and_people_who_stopped(reports):
    played = defaultdict(list)
    for report in reports:
        for player in players_of(report):
            played[player].append(report.ended_at)
    days = {player: ((NOW - times[0]).days, (NOW - times[-1]).days) for player, times in played.items()}
    assert sum(came <= 3 for came, _ in days.values()) >= 5
    assert sum(last > 30 for _, last in days.values()) >= 3
    left = Counter(player.id for report in reports for _, _, player in report.players() if player.left_early)
    assert sum(left.values()) > 40
    assert left.most_common(1)[0][1] >= 4
    assert all(0 < player.seconds < report.duration
               for report in reports for _, _, player in report.players() if player.left_early)  # fmt: skip


def test_nobody_begins_a_match_while_locked_out(reports):
    """By the rules of the site, from all leaves of all modes."""
    lapses = defaultdict(list)
    for report in reports:
        for _, _, player in report.players():
            if player.left_early:
                at = report.started_at + dt.timedelta(seconds=player.seconds)
                lapses[player.id].append(Lapse(LEAVE, at, id=len(lapses[player.id])))
    locked = [
        (player, report.id)
        for report in reports
        for player in players_of(report)
        if find_lockout(lapses.get(player, ()), report.started_at)
    ]
    assert locked == []
    longest = max(lockout_of(lapse, own).until - lapse.at for own in lapses.values() for lapse in own)
    assert longest >= dt.timedelta(hours=2)  # somebody leaves often enough to be kept from the next evening


def test_some_come_late(reports):
    late = [(report, player) for report in reports for _, _, player in report.players() if player.joined_at]
    assert {report.mode for report, _ in late} == {"control-6v6", "casual"}
    assert all(player.joined_at + player.seconds == report.duration for report, player in late)
    sizes = Counter(len(team.players) for report in reports if report.mode == "control-6v6" for team in report.teams)
    assert set(sizes) == {6, 7}  # for some of them, somebody stood in
    assert not any(player.left_early for _, player in late)


def test_duels_go_to_fifteen(reports):
    scores = [sorted(team.score for team in report.teams) for report in reports if report.mode == "duel"]
    assert all(low in range(15) and high == 15 for low, high in scores)
    assert {low for low, _ in scores} > set(range(3, 15))
    lost = {report.teams[0].players[0].left_early: report.teams[0].score < 15
            for report in reports if report.mode == "duel" and report.teams[0].players[0].left_early}  # fmt: skip
    assert lost == {True: True}


def test_pairs_come_together_and_stay(reports):
    pairs = [player.id for player in PEOPLE if player.pair]
    assert pairs == ["player-020", "player-021", "player-060", "player-061"]
    for one, other in (pairs[:2], pairs[2:]):
        team_of = [
            {player.id: (report.id, index) for index, _, player in report.players()} for report in reports
        ]  # fmt: skip
        assert [sides.get(one) for sides in team_of] == [sides.get(other) for sides in team_of]
    played = Counter(player for report in reports if report.mode == "control-6v6" for player in players_of(report))
    assert all(played[player] >= 10 for player in pairs)


def test_the_demos_player_played_everything_on_the_last_day(reports):
    mine = [report for report in reports if "demo-player" in players_of(report)]
    assert {report.mode for report in mine} == set(demo.MODES)
    assert max(report.ended_at for report in mine) > NOW - dt.timedelta(days=1)
    names = {player.id: player.name for report in reports for _, _, player in report.players()}
    assert names["demo-player"] == "GridFox"
    assert len(set(names.values())) == len(names) > 150


@pytest.mark.django_db
def test_it_has_a_match_called_off_a_bot_and_a_server_that_fails(reports):
    odd = [report for report in reports if report.no_contest or any(player.bot for _, _, player in report.players())]
    make_modes(NOW - dt.timedelta(days=demo.DAYS))
    source = Source.objects.create(slug="demo", created_at=NOW)
    called_off, filled = record_results(odd, source=source, now=NOW)
    matches = called_off.record.match, filled.record.match
    assert [(match.uncounted, match.is_void) for match in matches] == [("no-contest", True), ("", False)]
    assert list(Player.objects.filter(is_bot=True).values_list("name", flat=True)) == ["Filler"]
    add_failing_server(source, NOW)
    server = Server.objects.get()
    assert (server.failed_starts, list(find_failing(NOW, 4))) == (4, [server])
    queue = Queue.objects.create(mode=Mode.objects.get(slug=demo.RACE))
    assert not needs_server(queue, NOW)  # nobody waits for it


@pytest.mark.django_db
@pytest.mark.parametrize("index", [0, 1], ids=["control-6v6", "duel"])
def test_ratings_on_the_site_become_those_of_the_simulation(index, monkeypatch):
    """In both seasons: the first ends on the third day here."""
    monkeypatch.setattr(demo, "FIRST_SEASON", 3)
    play = demo.PLAYS[index]
    ladders = demo.new_ladders(PEOPLE)
    ladder = ladders[play.mode]
    make_modes(NOW - dt.timedelta(days=demo.DAYS))
    source = Source.objects.create(slug="demo", created_at=NOW)
    played = [report for report in first(150, ladders) if report.mode == play.mode]
    archived = Season.objects.select_related("mode").get(mode__slug=play.mode)
    before = [report for report in played if report.ended_at < archived.ends_at]
    assert 10 < len(before) < len(played) - 5
    record_results(before, source=source, now=NOW)
    end_seasons(archived.ends_at + dt.timedelta(days=1))
    record_results(played[len(before) :], source=source, now=NOW)
    ratings = Rating.objects.filter(mode=archived.mode).order_by("season__number")
    shown = dict(ratings.values_list("player__key", "display_hundredths"))  # in the season that they last played
    counts = Counter(player for report in played for player in players_of(report))
    assert set(shown) == set(counts)
    assert len(set(counts)) < ratings.count()  # some came back
    after = {person.id: past for person, past in zip(PEOPLE, ladder.shown_after, strict=True)}
    assert shown == {player: after[player][count - 1] for player, count in counts.items()}


def standings():
    """All ratings, and what boards showed at which publication."""
    ratings = Rating.objects.order_by("mode__slug", "player__key").values_list(
        "mode__slug", "player__key", "display_hundredths", "published_hundredths", "listed", "wins", "losses"
    )
    snapshots = Snapshot.objects.order_by("id").values_list("mode__slug", "region", "taken_at", "listed")
    return list(ratings), list(snapshots)


@pytest.mark.long
@pytest.mark.django_db
def test_seasons_that_were_broken_off_go_on_to_the_same_end(reports, monkeypatch):
    monkeypatch.setattr(demo, "FIRST_SEASON", 5)
    first_days = [report for report in reports if report.ended_at < NOW - dt.timedelta(days=demo.DAYS - 9)]
    before = connection.savepoint()
    played = list(record_seasons(first_days, begin_seasons(7, NOW), NOW))
    whole = standings()
    connection.savepoint_rollback(before)
    source = begin_seasons(7, NOW)
    for _ in itertools.islice(record_seasons(first_days, source, NOW), 5):
        pass
    until, sixth = by_publication(first_days, source.created_at, NOW)[5]
    end_seasons(until)
    record_results(sixth[: len(sixth) // 2], source=source, now=until)  # and in the midst of its sixth day it ended
    assert list(record_seasons(first_days, source, NOW)) == played
    assert standings() == whole
    assert sum(played) == len(first_days) > 100
    assert Season.objects.filter(state=Season.ARCHIVED).count() == 6
