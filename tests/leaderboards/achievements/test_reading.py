"""Achievements: granted once, whatever order and how often the outbox asks, and derived again from the ledger."""

import datetime as dt
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from leaderboards.achievements.reading import award, read_events, read_mode
from leaderboards.achievements.showing import achievable_in, best_of_series, find_earned
from leaderboards.models import Achievement, Notice, Progress
from ranking.models import Change, Mode, OutboxEntry, Player
from ranking.operations import outbox
from ranking.rules.report import PlayerReport
from ranking.rules.tiers import COLOURS
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record
from tests.support.seasons import end

pytestmark = pytest.mark.django_db


def held(player: str = "a", mode: str = "duel") -> set[str]:
    rows = Achievement.objects.filter(player__key=player, mode__slug=mode)
    return set(rows.values_list("feat", flat=True))


def play(*winners: str, **more: object) -> list[int]:
    """Duels of a and b that these won; their events."""
    return [record([who], ["b" if who == "a" else "a"], **more).record.match.event_id for who in winners]


def account(key: str) -> Player:
    player = Player.objects.get(key=key)
    player.user = User.objects.create_user(f"user-{key}")
    player.save()
    return player


@pytest.fixture
def mode() -> Mode:
    return make_mode(placement_matches=4)


def test_a_sweep_grants_what_matches_earned(mode):
    play(*"aaabbbb")
    assert outbox.sweep(NOW) == 21
    assert held("a") == {"first-win", "streak-3", "placed"}
    assert held("b") == {"first-win", "streak-3", "placed"}
    won = Achievement.objects.get(player__key="b", feat="first-win")
    assert (won.match.participations.count(), won.earned_at, won.occasion) == (2, NOW, "")


@pytest.mark.parametrize("order", [lambda events: events[::-1], lambda events: [*events, *events], lambda e: e[-1:]])
def test_order_and_repetition_change_nothing(mode, order):
    events = play(*"bbbbbabaaab")
    for event in order(events):
        read_events([event], NOW)
    rows = set(Achievement.objects.values_list("player__key", "feat", "match__event"))
    Achievement.objects.all().delete()
    Progress.objects.all().delete()
    read_events(events, NOW)
    assert set(Achievement.objects.values_list("player__key", "feat", "match__event")) == rows
    assert ("a", "comeback", events[5]) in rows


def test_a_batch_of_events_reads_its_part_of_the_histories_alone(mode):
    events = play(*"aabbbb")
    read_events(events[:3], NOW)
    assert set(Progress.objects.values_list("upto", flat=True)) == {events[2]}
    assert (held("a"), held("b")) == ({"first-win"}, {"first-win"})
    read_events(events[3:5], NOW)
    assert set(Progress.objects.values_list("upto", flat=True)) == {events[4]}
    assert held("b") == {"first-win", "streak-3", "placed"}


def test_who_holds_achievements_and_is_read_anew_is_read_to_the_end(mode):
    events = play(*"aabbbb")
    read_events(events, NOW)
    before = {key: held(key) for key in "ab"}
    Progress.objects.update(upto=0)  # as after a re-rating
    read_events(events[:2], NOW)
    assert {key: held(key) for key in "ab"} == before
    assert set(Progress.objects.values_list("upto", flat=True)) == {events[-1]}


def test_placement_is_of_a_season(mode):
    play(*"aba")
    read_events([Change.objects.latest("event").event_id], NOW)
    end(mode, at=NOW + dt.timedelta(minutes=1))
    events = play(*"ab")
    read_events(events, NOW)
    assert "placed" not in held()
    read_events(play("a"), NOW)  # after a reset three matches place a player
    assert "placed" in held()


def test_a_tier_is_the_one_published_when_the_match_was_rated(mode):
    mode.placement_matches = 0
    mode.save()
    for number in range(4):
        record([f"p{number}"], ["weak"])
    publish(mode, now=NOW)
    event = play("a")
    read_events(event, NOW)
    assert "tier-silver" in held()
    assert [each.name for each in find_earned(Player.objects.get(key="a"), [mode])][1:3] == ["Placed", "Silver"]


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({}, set()),
        ({"shows_tier": False}, {
            *(f"tier-{colour}" for colour in COLOURS[1:]), *(f"season-tier-{colour}" for colour in COLOURS)}),
        ({"shows_rating": False}, {"giant-slayer"}),
        ({"named_tiers": [{"name": "Wood", "from": 1}, {"name": "Gold", "from": 50}]}, {
            "tier-silver", "tier-platinum", "tier-diamond", "tier-master"}),
    ],
)  # fmt: skip
def test_what_a_mode_hides_or_lacks_is_not_achieved(settings, missing):
    every = {feat.key for feat in achievable_in(make_mode("whole"))}
    assert every - {feat.key for feat in achievable_in(make_mode(**settings))} == missing
    assert achievable_in(make_mode("fun", ranked=False)) == []


def test_matches_for_fun_earn_nothing():
    make_mode(ranked=False)
    play("a")
    outbox.sweep(NOW)
    assert Achievement.objects.count() == Progress.objects.count() == 0


@pytest.mark.parametrize("players", [2, 6])
def test_queries_are_as_many_however_many_play(mode, django_assert_num_queries, players):
    half = players // 2
    teams = [f"p{number}" for number in range(half)], [f"q{number}" for number in range(half)]
    read_events([record(*teams).record.match.event_id], NOW)
    events = [record(*teams).record.match.event_id for _ in range(players)]
    with django_assert_num_queries(11):  # of which two are a savepoint
        read_events(events, NOW)


def test_people_with_an_account_are_told_once_of_what_is_new(mode):
    play("b", ended_at=NOW - dt.timedelta(days=2))
    account("a"), account("b")
    events = play("a")
    for _ in range(2):
        read_events(events, NOW)
        Progress.objects.all().delete()
        Achievement.objects.all().delete()
    notices = Notice.objects.values_list("player__key", "kind", "occasion", "data", "mode__slug")
    assert list(notices) == [("a", "achievement", f"{mode.pk}:first-win", {"feat": "first-win"}, "duel")]


def test_what_is_not_a_matter_of_matches_is_awarded(mode):
    play("a")
    player = Player.objects.get(key="a")
    given = [Achievement(player=player, mode=mode, feat="first-win", occasion=number, earned_at=NOW) for number in "12"]
    assert award(mode, given, NOW) == 2
    assert award(mode, given, NOW) == 0


def test_of_a_series_the_last_is_shown(mode):
    read_events(play(*"aaaaa"), NOW)
    earned = find_earned(Player.objects.get(key="a"), [mode])
    assert [each.kind.key for each in earned] == ["first-win", "placed", "streak-3", "streak-5"]
    assert [each.kind.key for each in best_of_series(earned)] == ["first-win", "placed", "streak-5"]


class TestCommand:
    def run(self, *arguments: str) -> str:
        out = StringIO()
        call_command("grant_achievements", *arguments, stdout=out)
        return out.getvalue()

    def test_it_reads_on_and_a_second_run_adds_nothing(self, mode):
        play(*"aaa")
        OutboxEntry.objects.all().delete()
        assert self.run("duel") == "duel: +2 achievements\n"
        assert self.run() == "duel: +0 achievements\n"
        play("b")
        assert self.run() == "duel: +3 achievements\n"

    def test_in_pieces_it_reads_the_same(self, mode):
        play(*"aaa")
        read_mode(mode, NOW, chunk=1)
        assert held() == {"first-win", "streak-3"}

    def test_anew_takes_back_what_no_rule_grants(self, mode):
        play(*"aaa")
        self.run()
        Achievement.objects.filter(feat="first-win").delete()
        player = Player.objects.get(key="a")
        for feat in ("comeback", "podium"):
            Achievement.objects.create(player=player, mode=mode, feat=feat, earned_at=NOW)
        assert self.run("--anew") == "duel: +0 achievements\n"
        assert held() == {"first-win", "streak-3", "podium"}  # what no rule grants at all stays

    def test_a_history_rated_anew_is_read_anew(self, mode):
        play(*"aaa")
        self.run()
        Achievement.objects.all().delete()
        Change.objects.update(generation=2)
        Mode.objects.update(generation=2)
        assert self.run() == "duel: +2 achievements\n"
        assert set(Progress.objects.values_list("generation", flat=True)) == {2}

    def test_an_unknown_mode_is_refused(self, mode):
        with pytest.raises(CommandError, match=r"There is no ranked mode 'golf'\."):
            self.run("golf")


def test_leaving_breaks_a_streak(mode):
    play(*"aa")
    record([PlayerReport(id="a", left_early=True)], ["b"])
    read_events(play(*"aa"), NOW)
    assert "streak-3" not in held()
