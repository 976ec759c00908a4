"""An end that is taken back: the season goes on as though it had never ended."""

import datetime as dt
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from ranking.matches import invariants
from ranking.matches.forfeits import record_forfeit
from ranking.matches.recording import RATED, RECORDED
from ranking.models import (
    AuditEntry,
    Change,
    Event,
    Match,
    Mode,
    OutboxEntry,
    Player,
    Rating,
    Rerating,
    Season,
    Snapshot,
)
from ranking.moderation.merges import merge_players
from ranking.moderation.sanctions import hide_players, show_players
from ranking.moderation.splits import split_players
from ranking.moderation.voids import void
from ranking.modes.changes import change_settings
from ranking.rerating.reratings import rerate, switch_system
from ranking.seasons import invariants as season_invariants
from ranking.seasons import taking_back
from ranking.seasons.dates import EndRequest, request_end
from ranking.seasons.strikes import strike_ratings
from ranking.seasons.taking_back import TakingBackRefused, plan_taking_back, take_back_end
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record
from tests.support.reratings import Killed, lease
from tests.support.seasons import HALF, end, season_of

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)
LATER = NOW + 2 * HOUR
corrections: list[tuple[int, str]] = []


def note(season, kind, now, *, player=None):
    corrections.append((season.number, kind))


@pytest.fixture
def mode(settings, time_machine):
    """A mode whose first season six players have played, up to now."""
    time_machine.move_to(NOW, tick=False)
    settings.CORRECTION_FOLLOWERS = ["tests.ranking.seasons.test_taking_back.note"]
    corrections.clear()
    mode = make_mode()
    for winner, loser in ("ab", "cd", "ef", "ac"):
        record([winner], [loser])
    publish(mode, now=NOW)
    return mode


@pytest.fixture
def ended(mode, time_machine):
    """The same, an hour after the end of its season."""
    time_machine.move_to(NOW + HOUR, tick=False)
    season = end(mode, at=NOW + HOUR)
    time_machine.move_to(LATER, tick=False)
    return season


def take_back(mode, now=LATER, **more):
    return take_back_end(mode, by=None, reason="a mistake", now=now, **more)


def play(*winners, now=LATER, **more):
    return [record([winner], [loser], now=now, ended_at=now, **more) for winner, loser in winners]


def violations(now=LATER):
    OutboxEntry.objects.all().delete()  # nobody does work after results here
    return [*invariants.violations(now), *season_invariants.violations(now)]


def rows(mode):
    """What the mode's history is made of, and its ratings, but for what a publication writes."""
    kept = ("id", "player", "season", "display_hundredths", "mu", "wins", "losses", "listed", "region")
    return [
        list(model.objects.filter(mode=mode).order_by("pk").values(*names))
        for model, names in ((Rating, kept), (Change, ()), (Event, ()), (Season, ()), (Match, ()))
    ]


def listed(number=1):
    rows = Rating.objects.filter(season__number=number, listed=True)
    return "".join(rows.order_by("player__key").values_list("player__key", flat=True))


def test_everything_is_as_before_and_the_season_goes_on(mode, time_machine):
    before = rows(mode)
    time_machine.move_to(NOW + HOUR, tick=False)
    sequence = end(mode, at=NOW + HOUR).event_id
    assert rows(mode) != before
    season = take_back(mode)
    assert (season.number, season.name, season.state, season.ends_at) == (1, "Season 1", "running", None)
    assert rows(mode) == before
    assert not Snapshot.objects.filter(final=True).exists()
    [entry] = AuditEntry.objects.filter(act="take back end")
    assert (entry.subject, entry.reason, corrections) == ("duel: Season 1", "a mistake", [(1, "reopened")])
    assert list(Rerating.objects.values_list("kind", "state")) == [("season_end", "done")]
    assert [answer.state for answer in play("ba")] == [RATED]
    publish(mode, now=LATER)
    assert violations() == []
    time_machine.move_to(LATER + HOUR, tick=False)
    again = end(mode, at=LATER + HOUR)
    assert (again.number, season_of(mode).number) == (1, 2)
    assert again.event_id > sequence
    assert Snapshot.objects.filter(final=True, region="").count() == 1
    publish(mode, now=LATER + HOUR)
    assert violations(LATER + HOUR) == []


def drop_out(mode):
    players = list(Player.objects.order_by("key")[:2])
    record_forfeit(mode, lobby="L1", teams=[[players[0]], [players[1]]], player=players[0], reason="left", now=LATER)


def strike(mode):
    rating = Rating.objects.get(player__key="a", season__number=1).pk
    strike_ratings([rating], by=None, reason="x", now=LATER)


def rate_and_void(mode):
    play("ab", id="m1")
    void([Match.objects.get(external_id="m1")], by=None, reason="x", now=LATER)


@pytest.mark.parametrize(
    ("happened", "sentence"),
    [
        (lambda mode: play("ab", id="m1"), "Season 2 has begun: match m1 (test) has been rated in it."),
        (rate_and_void, "Season 2 has begun: match m1 (test) has been rated in it."),
        (drop_out, "Season 2 has begun: the forfeit of lobby L1 has been rated in it."),
        (lease, "Duel is being rated anew at this moment. Try again when that is done."),
        (strike, "a is struck from Season 1. Lift the strike first."),
    ],
)  # fmt: skip
def test_an_end_is_not_taken_back(ended, happened, sentence):
    happened(ended.mode)
    before = rows(ended.mode)
    with pytest.raises(TakingBackRefused) as refused:
        take_back(ended.mode)
    assert (str(refused.value), plan_taking_back(ended.mode).objection) == (sentence, sentence)
    assert (rows(ended.mode), corrections[1:]) == (before, [])
    assert not AuditEntry.objects.filter(act="take back end").exists()


def test_nothing_to_take_back_no_reason_and_a_new_end_in_the_past(mode, time_machine):
    with pytest.raises(TakingBackRefused, match=r"No season of Duel has ended\."):
        take_back(mode)
    time_machine.move_to(LATER, tick=False)
    end(mode, at=LATER - HOUR / 120)
    with pytest.raises(TakingBackRefused, match=r"The new end has to lie in the future\."):
        take_back(mode, ends_at=LATER)
    with pytest.raises(ValueError, match="Say why"):
        take_back_end(mode, by=None, reason=" ", now=LATER)
    assert season_of(mode).number == 2


def test_an_end_that_is_being_made_is_not_taken_back(mode, monkeypatch, time_machine):
    from ranking.seasons import ending

    time_machine.move_to(NOW + HOUR, tick=False)
    with monkeypatch.context() as patch:
        patch.setattr(ending, "finish_run", kill)
        with pytest.raises(Killed):
            end(mode, at=NOW + HOUR)
    with pytest.raises(TakingBackRefused, match=r"Season 1 is being ended at this moment\. Try again in a minute\."):
        take_back(mode, now=NOW + HOUR)


def kill(*args, **kwargs):
    raise Killed


def test_a_season_that_closes_goes_on_with_the_results_that_waited(mode, time_machine):
    time_machine.move_to(NOW + HOUR, tick=False)
    request_end(mode, EndRequest(HALF), by=None, reason="x", now=NOW + HOUR)
    [waiting] = play("ab", now=NOW + HOUR, id="waits")
    assert waiting.state == RECORDED
    season = take_back(mode, now=NOW + HOUR)
    assert (season.number, season.state, season.late_until, season.ends_at) == (1, "running", None, None)
    assert Match.objects.get(external_id="waits").season == season
    assert corrections == []  # nobody was told of an end
    publish(mode, now=NOW + HOUR)
    assert violations(NOW + HOUR) == []


def test_results_of_after_the_next_end_are_rated_in_the_season_that_goes_on(ended):
    following = season_of(ended.mode)
    following.ends_at = LATER + HOUR
    following.save()
    ahead = record(["a"], ["b"], id="ahead", ended_at=LATER + HOUR, now=LATER + HOUR - dt.timedelta(minutes=3))
    assert ahead.state == RECORDED
    season = take_back(ended.mode, now=LATER + HOUR)
    assert Match.objects.get(external_id="ahead").season == season
    publish(ended.mode, now=LATER + HOUR)
    assert violations(LATER + HOUR) == []


@pytest.mark.parametrize("step", ["_drop_following", "_reopen", "_make_up", "rate_recorded"])
def test_killed_at_any_step_nothing_has_changed(ended, monkeypatch, step):
    before = rows(ended.mode), list(Snapshot.objects.order_by("pk").values())
    with monkeypatch.context() as patch:
        patch.setattr(taking_back, step, kill)
        with pytest.raises(Killed):
            take_back(ended.mode)
    assert (rows(ended.mode), list(Snapshot.objects.order_by("pk").values())) == before
    assert take_back(ended.mode).number == 1


@pytest.mark.parametrize(
    ("given", "ends_at"),
    [(None, dt.datetime(2026, 6, 1, 18, tzinfo=dt.UTC)), (LATER + 9 * HOUR, LATER + 9 * HOUR)],
)
def test_the_schedule_or_the_moderator_names_the_next_end(time_machine, given, ends_at):
    time_machine.move_to(NOW, tick=False)
    mode = make_mode(schedule="weekly on Monday at 18:00")  # its first end: 25 May 2026
    record(["a"], ["b"])
    first = dt.datetime(2026, 5, 25, 18, tzinfo=dt.UTC)
    time_machine.move_to(first, tick=False)
    end(mode, at=first)
    late = given and first + (given - NOW)
    season = take_back(mode, now=first + dt.timedelta(minutes=1), ends_at=late)
    assert season.ends_at == (late or ends_at)


def hide(mode):
    hide_players([Player.objects.get(key="a").pk], by=None, reason="x", now=LATER)


def place_later(mode):
    change_settings(mode, now=LATER, placement_matches=2)


def take_out(mode):
    void([Match.objects.order_by("pk").first()], by=None, reason="x", now=LATER)
    rerate(mode)


def merge_and_split(mode):
    merge = merge_players(*both("a", "f"), by=None, reason="x", now=LATER)
    rerate(mode)
    split_players(merge, by=None, reason="x", now=LATER)


def merge(mode):
    merge_players(*both("a", "f"), by=None, reason="x", now=LATER)


def other_system(mode):
    switch_system(mode, system="trueskill", params={}, by=None, reason="x", now=LATER)
    rerate(mode)


def both(kept, merged):
    return Player.objects.get(key=kept), Player.objects.get(key=merged)


@pytest.mark.parametrize(
    ("meanwhile", "on_the_board"),
    [
        (hide, "bcdef"),
        (place_later, "ac"),
        (take_out, "acdef"),
        (merge, "abcde"),
        (merge_and_split, "abcdef"),
        (other_system, "abcdef"),
    ],
)
def test_what_happened_meanwhile_is_made_up_for(ended, meanwhile, on_the_board):
    mode = ended.mode
    meanwhile(mode)
    take_back(mode)
    rerate(mode)
    rerate(mode)
    publish(Mode.objects.get(pk=mode.pk), now=LATER)
    assert listed() == on_the_board
    assert violations() == []
    play("ab", "cd", now=LATER + HOUR)
    publish(Mode.objects.get(pk=mode.pk), now=LATER + HOUR)
    assert violations(LATER + HOUR) == []


def test_a_player_who_was_shown_again_meanwhile_is_back(mode, time_machine):
    hide(mode)
    time_machine.move_to(NOW + HOUR, tick=False)
    end(mode, at=NOW + HOUR)
    assert listed() == "bcdef"
    show_players([Player.objects.get(key="a").pk], by=None, reason="x", now=LATER)
    take_back(mode)
    publish(mode, now=LATER)
    assert listed() == "abcdef"


def test_ratings_follow_merges_and_splits_of_those_who_only_one_had(mode, time_machine):
    """g was rated in the season and h wasn't; z merged into y before the end, and was split after it."""
    play("gf", "zf", now=NOW + HOUR / 2)
    for key in "hy":
        Player.objects.create(key=key, name=key, search_name=key, created_at=NOW)
    before = merge_players(*both("y", "z"), by=None, reason="x", now=NOW + HOUR / 2)
    rerate(mode)
    time_machine.move_to(NOW + HOUR, tick=False)
    end(mode, at=NOW + HOUR)
    assert "y" in listed()
    time_machine.move_to(LATER, tick=False)
    merge_players(*both("h", "g"), by=None, reason="x", now=LATER)
    split_players(before, by=None, reason="x", now=LATER)
    rerate(mode)
    take_back(mode)
    rerate(mode)
    publish(mode, now=LATER)
    assert listed() == "abcdefhz"
    assert violations() == []


def test_a_rating_follows_two_merges(ended):
    """a was rated in the season; then they were merged into h, and h into i."""
    for key in "hi":
        Player.objects.create(key=key, name=key, search_name=key, created_at=NOW)
    for kept, merged in ("ha", "ih"):
        merge_players(*both(kept, merged), by=None, reason="x", now=LATER)
    rerate(ended.mode)
    take_back(ended.mode)
    rerate(ended.mode)
    publish(ended.mode, now=LATER)
    assert listed() == "bcdefi"
    assert violations() == []


def test_results_wait_while_ratings_are_rated_anew(ended):
    take_out(ended.mode)
    take_back(ended.mode)
    [answer] = play("ab", id="meanwhile")
    assert answer.state == RECORDED
    rerate(ended.mode)
    assert Match.objects.get(external_id="meanwhile").season.number == 1
    publish(ended.mode, now=LATER)
    assert violations() == []


def run(*arguments):
    out = StringIO()
    call_command("end_season", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_takes_an_end_back(ended):
    assert run("duel", "--take-back", "--reason", "a mistake").startswith("Season 1 of duel goes on")
    [entry] = AuditEntry.objects.filter(act="take back end")
    assert (entry.reason, season_of(ended.mode).number) == ("a mistake", 1)
    with pytest.raises(CommandError, match=r"No season of Duel has ended\."):
        run("duel", "--take-back")


def test_doctor_finds_a_strike_of_a_running_season_and_what_is_left_of_an_end(ended):
    strike(ended.mode)
    publish(ended.mode, now=LATER)
    assert violations() == []
    end = Event.objects.get(pk=ended.event_id)
    Snapshot.objects.filter(season__number=2).delete()
    Season.objects.filter(number=2).delete()
    running = {"state": "running", "current": True, "event": None, "late_until": None, "ends_at": None}
    Season.objects.filter(number=1).update(**running)
    end.delete()
    assert [each.code for each in violations()] == ["season.struck", "season.reopened"]
