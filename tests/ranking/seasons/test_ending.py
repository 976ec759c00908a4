"""The end of a season: what belongs to it, its phases, and the next season's beginning."""

import datetime as dt
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from ranking import tasks
from ranking.matches import invariants
from ranking.matches.forfeits import record_forfeit
from ranking.matches.recording import KNOWN, RATED, RECORDED
from ranking.models import (
    AuditEntry,
    Change,
    Event,
    Forfeit,
    Match,
    OutboxEntry,
    Player,
    Rating,
    Rerating,
    Season,
    Snapshot,
)
from ranking.moderation.merges import find_rerating
from ranking.moderation.voids import void
from ranking.modes.changes import change_parameters, change_settings
from ranking.rerating.lease import LEASE_TIME
from ranking.rerating.reratings import rerate
from ranking.rules.tiers import FIFTY
from ranking.seasons import ending
from ranking.seasons import invariants as season_invariants
from ranking.seasons.archives import checksum_of, mode_of
from ranking.seasons.dates import EndRefused, EndRequest, request_end
from ranking.standings.publishing import publish
from ranking.standings.snapshots import table_of
from ranking.systems.base import HARD, KEEP, Refused, ResetRule
from ranking.trials.runs import ask_for_evaluation
from tests.support import api
from tests.support.factories import NOW, make_mode, record
from tests.support.reratings import Killed, free, lease
from tests.support.savepoints import rolled_back
from tests.support.seasons import HALF, end, season_of

pytestmark = pytest.mark.django_db

MINUTE = dt.timedelta(minutes=1)
END = NOW + 60 * MINUTE


@pytest.fixture
def mode(time_machine):
    """A mode whose season ends in an hour; six players have played."""
    time_machine.move_to(NOW)
    mode = make_mode(late_results=300)
    for winner, loser in ("ab", "cd", "ef", "ac"):
        record([winner], [loser], ended_at=NOW - MINUTE)
    Season.objects.update(ends_at=END)
    publish(mode, now=NOW)
    return mode


def killed(*args, **kwargs):
    raise Killed


def violations(now):
    """What doctor finds, but for work after results, which nobody does here."""
    OutboxEntry.objects.all().delete()
    return [*invariants.violations(now), *season_invariants.violations(now)]


def seasons():
    return list(Season.objects.order_by("number").values_list("number", "name", "state", "current"))


def of_season(number):
    return list(Match.objects.filter(season__number=number).order_by("event").values_list("external_id", flat=True))


def test_a_result_belongs_to_the_season_in_which_its_match_ended(mode, time_machine):
    early = record(["a"], ["b"], id="early", ended_at=END + MINUTE, now=END - 3 * MINUTE)  # its clock is ahead
    assert (early.state, early.until) == (RECORDED, END + 5 * MINUTE)
    time_machine.move_to(END + 2 * MINUTE)
    tasks.end_seasons()
    assert seasons() == [(1, "Season 1", "closing", True)]
    late = record(["a"], ["b"], id="late", ended_at=END - MINUTE, now=END + 2 * MINUTE)
    at_the_end = record(["c"], ["b"], id="at the end", ended_at=END, now=END + 2 * MINUTE)
    assert (late.state, at_the_end.state, at_the_end.until) == (RATED, RECORDED, END + 5 * MINUTE)
    again = record(["c"], ["b"], id="at the end", ended_at=END, now=END + 3 * MINUTE)
    assert (again.state, again.until) == (KNOWN, END + 5 * MINUTE)
    time_machine.move_to(END + 5 * MINUTE)
    tasks.end_seasons()
    assert seasons() == [(1, "Season 1", "archived", False), (2, "Season 2", "running", True)]
    time_machine.move_to(END + 6 * MINUTE)
    straggler = record(["d"], ["e"], id="straggler", ended_at=END - 2 * MINUTE, now=END + 6 * MINUTE)
    assert (straggler.state, straggler.record.match.late) == (RATED, True)
    assert (of_season(1)[4:], of_season(2)) == (["late"], ["early", "at the end", "straggler"])
    second = season_of(mode)
    assert (second.starts_at, second.ends_at, second.reset) == (END, None, "soft")
    publish(mode, now=END + 6 * MINUTE)
    assert violations(END + 6 * MINUTE) == []


def test_the_api_tells_when_a_waiting_result_will_be_rated(mode, time_machine):
    time_machine.move_to(END + MINUTE, tick=False)
    answers = [
        api.post_match(api.result(id=name, ended_at=(END + minutes * MINUTE).isoformat()))
        for name, minutes in (("next", 0), ("next", 0), ("before", -1))
    ]
    assert [(answer.status, answer.body["state"], answer.body.get("until")) for answer in answers] == [
        (202, "recorded", "2026-05-20T13:05:00Z"), (202, "recorded", "2026-05-20T13:05:00Z"), (201, "rated", None),
    ]  # fmt: skip


def test_a_forfeit_belongs_to_the_season_of_its_time(mode, time_machine):
    players = list(Player.objects.order_by("key")[:2])
    for minutes, lobby in ((-1, "L1"), (1, "L2")):
        now = END + minutes * MINUTE
        record_forfeit(mode, lobby=lobby, teams=[[players[0]], [players[1]]], player=players[0], reason="left", now=now)
    assert list(Forfeit.objects.order_by("pk").values_list("season__number", flat=True)) == [1, None]
    time_machine.move_to(END + 5 * MINUTE)
    tasks.end_seasons()
    assert list(Forfeit.objects.order_by("pk").values_list("season__number", flat=True)) == [1, 2]
    rows = Change.objects.filter(season__number=2).order_by("event", "player").values_list("kind", "player__key")
    assert list(rows) == [("reset", "a"), ("reset", "b"), ("forfeit", "a")]
    publish(mode, now=END + 5 * MINUTE)
    assert violations(END + 5 * MINUTE) == []


def test_final_standings_stay_as_they_were(mode, time_machine):
    time_machine.move_to(END + 5 * MINUTE)
    record(["b"], ["a"], ended_at=END - MINUTE, now=END + 2 * MINUTE)  # nobody has published it yet
    tasks.end_seasons()
    [first, second] = Season.objects.order_by("number")
    final = Snapshot.objects.get(season=first, final=True, region="")
    listed = Rating.objects.filter(season=first, listed=True)
    assert (final.listed, listed.count(), len(table_of(final))) == (6, 6, 6)
    assert all(rating.published_hundredths == rating.display_hundredths for rating in listed)
    assert first.checksum == checksum_of(first) != ""
    change_settings(mode, now=END + 6 * MINUTE, tier_scheme=FIFTY, shows_rating=False, placement_matches=9)
    first.refresh_from_db()
    assert (mode_of(first).tier_scheme, mode_of(first).shows_rating, mode_of(second).shows_rating) == (
        "named", True, False,
    )  # fmt: skip
    time_machine.move_to(END + dt.timedelta(days=60))
    publish(mode, now=END + dt.timedelta(days=60))
    assert checksum_of(first) == first.checksum
    assert Snapshot.objects.filter(season=first).count() >= 1
    assert len(table_of(Snapshot.objects.filter(season=first).latest("id"))) == 6


def test_whoever_was_active_at_the_end_is_listed_after_a_downtime(time_machine):
    time_machine.move_to(NOW)
    mode = make_mode(activity_days=1)
    record(["a"], ["b"], ended_at=NOW)
    Season.objects.update(ends_at=END)
    publish(mode, now=NOW)
    later = END + dt.timedelta(days=7)
    time_machine.move_to(later)
    publish(mode, now=later)
    assert not Rating.objects.filter(listed=True).exists()
    tasks.end_seasons()  # the season begins to close now; its late window is long over
    tasks.end_seasons()
    assert Rating.objects.filter(season__number=1, listed=True).count() == 2
    assert season_of(mode).starts_at == END


@pytest.mark.parametrize("phase", ["rate_recorded", "publish_final", "finish_run", "seal"])
def test_an_end_that_is_killed_in_any_phase_goes_on(mode, time_machine, monkeypatch, phase):
    record(["a"], ["b"], id="next", ended_at=END, now=END + MINUTE)
    time_machine.move_to(END + 5 * MINUTE)
    with monkeypatch.context() as patch:
        patch.setattr(ending, phase, killed)
        with pytest.raises(Killed):
            ending.end_season(mode)
    boards = Rating.objects.filter(season__number=1, listed=True).count()
    meanwhile = record(["b"], ["c"], id="before", ended_at=END - MINUTE, now=END + 5 * MINUTE)
    after = record(["c"], ["d"], id="after", ended_at=END + MINUTE, now=END + 5 * MINUTE)
    assert (boards, meanwhile.state) == (6, RATED)  # results that ended before the end never wait
    assert after.state == (RECORDED if phase != "seal" else RATED)
    time_machine.move_to(END + 5 * MINUTE + 2 * LEASE_TIME)
    for _ in range(2):
        tasks.end_seasons()
    assert [each[2] for each in seasons()] == ["archived", "running"]
    assert Event.objects.filter(kind=Event.SEASON_END).count() == 1
    assert Snapshot.objects.filter(final=True, region="").count() == 1
    assert of_season(2).index("next") < of_season(2).index("after")
    assert not Match.objects.filter(event=None).exists()
    resets = Change.objects.filter(kind=Change.RESET).values_list("player__key", flat=True)
    assert len(resets) == len(set(resets))
    mode.refresh_from_db()
    assert (mode.lease_id, set(Rerating.objects.values_list("kind", "state"))) == (None, {("season_end", "done")})
    assert all(season.checksum for season in Season.objects.filter(current=False))
    now = END + 5 * MINUTE + 2 * LEASE_TIME
    publish(mode, now=now)
    assert violations(now) == []


def test_an_end_waits_for_a_re_rating_and_keeps_one_waiting(mode, time_machine, monkeypatch):
    time_machine.move_to(END + 5 * MINUTE)
    ending.close_if_due(mode, now=END)
    lease(mode)
    assert ending.end_season(mode) is None
    free(mode)
    assert ending.end_season(mode) is None
    rerate(mode)
    with monkeypatch.context() as patch:

        def ask_meanwhile(season, *, now):
            void([Match.objects.earliest("pk")], by=None, reason="test", now=now)
            assert rerate(mode) is None
            raise Killed

        patch.setattr(ending, "publish_final", ask_meanwhile)
        with pytest.raises(Killed):
            ending.end_season(mode)
    assert not Rerating.objects.filter(state=Rerating.WAITING).exists()  # rolled back with the phase
    time_machine.move_to(END + 5 * MINUTE + 2 * LEASE_TIME)
    assert ending.end_season(mode).number == 1


def test_a_schedule_names_the_next_end(time_machine):
    time_machine.move_to(NOW)  # a Wednesday
    mode = make_mode(schedule="weekly on Monday at 18:00", time_zone="Europe/Berlin")
    first = dt.datetime(2026, 5, 25, 16, tzinfo=dt.UTC)
    assert season_of(mode).ends_at == first
    time_machine.move_to(first + 6 * MINUTE)
    tasks.end_seasons()
    assert (seasons(), season_of(mode).ends_at) == (  # a season without a match is prolonged
        [(1, "Season 1", "running", True)], first + dt.timedelta(weeks=1),
    )  # fmt: skip
    record(["a"], ["b"], ended_at=first + MINUTE, now=first + 6 * MINUTE)
    time_machine.move_to(first + dt.timedelta(weeks=3, days=1))  # nothing ran for two weeks
    tasks.end_seasons()
    tasks.end_seasons()
    assert [each[:2] for each in seasons()] == [(1, "Season 1"), (2, "Season 2")]
    second = season_of(mode)
    assert (second.starts_at, second.ends_at) == (first + dt.timedelta(weeks=1), first + dt.timedelta(weeks=4))
    change_settings(mode, now=first + dt.timedelta(weeks=3, days=1), schedule="")
    assert season_of(mode).ends_at is None


def test_an_end_that_is_asked_for_while_the_job_looks_is_carried_out(mode, monkeypatch):
    looked = ending.close_if_due

    def then_asked_for(mode, *, now):
        season = looked(mode, now=now)
        request_end(mode, EndRequest(ResetRule(KEEP), skip_late=True), by=None, reason="test", now=now)
        return season

    monkeypatch.setattr(ending, "close_if_due", then_asked_for)
    assert ending.end_season(mode).number == 1
    assert season_of(mode).number == 2


def test_an_end_is_asked_for_with_its_rule_and_the_next_name(mode):
    request = EndRequest(ResetRule(HARD), next_name="Winter", skip_late=True)
    season = request_end(mode, request, by=None, reason="the tournament is over", now=NOW + MINUTE)
    assert (season.state, season.late_until) == (Season.CLOSING, NOW + MINUTE)
    with pytest.raises(EndRefused, match=r"Season 1 of Duel is ending already\."):
        request_end(mode, request, by=None, reason="again", now=NOW + MINUTE)
    [entry] = AuditEntry.objects.filter(act="end season")
    assert (entry.subject, entry.reason) == ("duel: Season 1", "the tournament is over")


@pytest.mark.parametrize(
    ("minutes", "sentence"),
    [(-60, "Season 1 began at 2026-05-20 12:00 UTC; it can't end before that."),
     (20, "A season ends now or later: results after that moment have been rated in it.")],
)  # fmt: skip
def test_an_end_in_the_past_is_refused(mode, minutes, sentence):
    with pytest.raises(EndRefused) as refused:
        request_end(mode, EndRequest(HALF), by=None, reason="x", now=NOW + 30 * MINUTE, ends_at=NOW + minutes * MINUTE)
    assert (str(refused.value), season_of(mode).ends_at) == (sentence, END)


def run(*arguments):
    out = StringIO()
    call_command("end_season", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_ends_a_season(mode, time_machine):
    time_machine.move_to(NOW + 10 * MINUTE, tick=False)
    closing = run("duel", "--name", "Winter", "--reset", "keep")
    assert closing.startswith("Season 1 of duel closes")
    assert "2026-05-20 12:15:00 UTC" in closing
    time_machine.move_to(NOW + 15 * MINUTE)
    assert re.findall("Season 1|Winter", run("duel")) == ["Season 1", "Winter"]
    time_machine.move_to(NOW + 16 * MINUTE)
    assert re.findall("Winter|Season 3", run("duel", "--skip-late")) == ["Winter", "Season 3"]
    assert list(Season.objects.order_by("number").values_list("reset", flat=True)) == [KEEP, KEEP, KEEP]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [(["nowhere"], "There is no mode 'nowhere'."),
     (["duel", "--factor", "2"], "The factor of a reset is between 0 and 1, not 2.0.")],
)  # fmt: skip
def test_the_command_refuses_what_makes_no_sense(mode, arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        run(*arguments)


def test_seasons_of_two_modes_end_by_themselves(mode, time_machine):
    other = make_mode("squad")
    record(["a"], ["b"], mode="squad")
    time_machine.move_to(NOW + MINUTE)
    end(mode, at=NOW + MINUTE)
    assert (season_of(mode).number, season_of(other).number) == (2, 1)


@pytest.mark.parametrize("later", [END + 60 * MINUTE, None])
def test_a_result_that_waits_for_an_end_is_rated_when_the_end_is_moved_behind_it(mode, time_machine, later):
    record(["a"], ["b"], id="early", ended_at=END + MINUTE, now=END - 3 * MINUTE)  # its clock is ahead
    time_machine.move_to(END - 3 * MINUTE)
    tasks.end_seasons()
    assert of_season(1)[4:] == []  # it waits for the end, which is near
    Season.objects.update(ends_at=later)
    lease(mode)
    tasks.end_seasons()
    assert of_season(1)[4:] == []  # a re-rating rates it by itself, once it is over
    free(mode)
    rerate(mode)
    record(["c"], ["b"], id="as well", ended_at=END + MINUTE, now=END - 3 * MINUTE)
    assert of_season(1)[4:] == ["early", "as well"]


def test_a_result_that_waits_for_nothing_any_more_is_rated_by_the_jobs(mode, time_machine):
    record(["a"], ["b"], id="early", ended_at=END + MINUTE, now=END - 3 * MINUTE)
    time_machine.move_to(END - 3 * MINUTE)
    Season.objects.update(ends_at=END + 60 * MINUTE)
    tasks.end_seasons()
    assert (of_season(1)[4:], seasons()) == (["early"], [(1, "Season 1", "running", True)])
    assert ending.find_due(END - 3 * MINUTE) == []


def test_refusals_during_an_end_say_that_the_season_ends(mode, time_machine, monkeypatch, client):
    time_machine.move_to(END + 5 * MINUTE)
    with monkeypatch.context() as patch:
        patch.setattr(ending, "publish_final", killed)
        with pytest.raises(Killed):
            ending.end_season(mode)
    player = Player.objects.get(key="a")
    refusals = [
        (Refused, lambda: change_parameters(mode, params={"k": 10}, now=END)),
        (Refused, lambda: ask_for_evaluation(mode, [], by=None, now=END)),
        (CommandError, lambda: call_command("rerate", "duel")),
    ]
    Rerating.objects.update(claimed_until=END + 60 * MINUTE)  # nobody takes the end up
    sentences = []
    for error, refused in refusals:
        with pytest.raises(error) as caught:
            refused()
        sentences.append(str(caught.value))
    assert [*sentences, find_rerating(player)] == [
        "duel is ending its season; change its parameters when that is done.",
        "Duel is ending its season; evaluate it when that is done.",
        "duel is ending its season in another process; what you asked for comes next.",
        "Duel: ending its season at this moment. Try again when that is done.",
    ]
    page = client.get(f"/matches/{Match.objects.earliest('pk').pk}/").content.decode()
    assert "A season is ending; results are recorded and will be counted next." in page


def test_changed_ratings_are_published_before_the_mode_is_held(mode, time_machine, monkeypatch):
    time_machine.move_to(END + 5 * MINUTE)
    record(["b"], ["a"], ended_at=END - MINUTE, now=END + 2 * MINUTE)
    with monkeypatch.context() as patch:
        patch.setattr(ending, "publish_final", killed)
        with pytest.raises(Killed):
            ending.end_season(mode)
    assert not Rating.objects.filter(to_publish=True).exists()
    newest = Snapshot.objects.filter(region="").latest("id")
    assert (newest.final, len(table_of(newest))) == (False, 6)


def test_boards_are_published_once_right_before_the_late_window_is_over(mode, time_machine, monkeypatch):
    time_machine.move_to(END + MINUTE)
    tasks.end_seasons()
    record(["b"], ["a"], ended_at=END - MINUTE, now=END + 2 * MINUTE)
    published = list(Snapshot.objects.values_list("pk", flat=True))
    for seconds, waiting in ((-15, 2), (-9, 0), (-4, 0)):
        time_machine.move_to(END + 5 * MINUTE + dt.timedelta(seconds=seconds), tick=False)
        tasks.end_seasons()
        assert Rating.objects.filter(to_publish=True).count() == waiting
    [newest] = Snapshot.objects.exclude(pk__in=published).filter(region="")
    assert (newest.taken_at, newest.final) == (END + 5 * MINUTE - dt.timedelta(seconds=9), False)
    time_machine.move_to(END + 5 * MINUTE)
    with monkeypatch.context() as patch:
        patch.setattr(ending, "publish_final", killed)
        with pytest.raises(Killed):
            ending.end_season(mode)
    assert Snapshot.objects.filter(region="").latest("id") == newest  # it is fresh enough
    assert season_of(mode).state == Season.CLOSING


def test_boards_are_not_published_before_an_end_while_the_mode_is_rated_anew(mode, time_machine):
    time_machine.move_to(END + MINUTE)
    tasks.end_seasons()
    record(["b"], ["a"], ended_at=END - MINUTE, now=END + 2 * MINUTE)
    lease(mode)
    time_machine.move_to(END + 5 * MINUTE - dt.timedelta(seconds=5))
    tasks.end_seasons()
    assert Rating.objects.filter(to_publish=True).count() == 2


def test_the_checksum_notices_each_change(mode, time_machine, subtests):
    time_machine.move_to(NOW + MINUTE)
    archived = end(mode, at=NOW + MINUTE)
    before = checksum_of(archived)
    Rating.objects.filter(player__key="a").update(to_publish=True, display_hundredths=5)  # isn't shown
    assert checksum_of(archived) == before
    for changed in [
        {"wins": 3}, {"listed": False}, {"region": "asia"}, {"published_hundredths": 1}, {"place_sum": 9},
        {"published_reached_at": END + dt.timedelta(microseconds=1)}, {"published_hundredths": -1},
    ]:  # fmt: skip
        with subtests.test(changed=changed), rolled_back():
            Rating.objects.filter(player__key="a").update(**changed)
            assert checksum_of(archived) != before


def test_the_checksum_notices_who_swapped_places(mode, time_machine):
    time_machine.move_to(NOW + MINUTE)
    archived = end(mode, at=NOW + MINUTE)
    before = checksum_of(archived)
    first, other = Rating.objects.filter(player__key__in=["a", "b"]).order_by("pk")
    for rating, hundredths in ((first, other.published_hundredths), (other, first.published_hundredths)):
        Rating.objects.filter(pk=rating.pk).update(published_hundredths=hundredths)
    assert checksum_of(archived) != before


def test_both_databases_have_the_same_checksum():
    season = season_of(make_mode())
    players = Player.objects.bulk_create(
        Player(pk=pk, key=f"p{pk}", name=f"p{pk}", search_name=f"p{pk}", created_at=NOW) for pk in (7, 8)
    )
    Rating.objects.bulk_create(
        Rating(
            pk=pk, player=player, mode=season.mode, season=season, display_hundredths=0, reached_at=NOW, wins=pk,
            region=region, listed=listed, published_hundredths=value, published_reached_at=reached_at,
        )
        for pk, player, region, listed, value, reached_at in (
            (2**31 - 2, players[0], "eu", True, -123_45, NOW + dt.timedelta(microseconds=5)),
            (3, players[1], "", False, None, None),
        )
    )  # fmt: skip
    assert checksum_of(season) == "e1cc1c57414e0a812a0c946cc872adcb7ca6d75705199e3117ff9e754a628dbc"
