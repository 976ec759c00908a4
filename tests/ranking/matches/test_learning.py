"""A mode that learns: results name the newest state, blocks of fifty are learnt, and replays keep who named which."""

import datetime as dt
import random
from dataclasses import replace

import pytest

from ranking.matches import invariants
from ranking.matches.explanations import explain
from ranking.matches.forfeits import record_forfeit
from ranking.matches.recording import record_results
from ranking.matches.records import load_records
from ranking.models import Change, Match, Mode, ModeState, Player, Rating
from ranking.moderation.voids import restore, void
from ranking.modes import invariants as mode_invariants
from ranking.modes.changes import change_parameters
from ranking.modes.mode_states import system_now
from ranking.rerating.reratings import request_rerating, rerate, switch_system
from ranking.standings.publishing import publish
from ranking.systems.base import Entrant, Result, Team
from ranking.systems.margin.system import Margin
from tests.support.concurrency import at_once
from tests.support.factories import NOW, make_mode, make_report, make_source
from tests.support.replay import alike, replayed_states
from tests.support.reratings import Killed, free, ledger, rate_anew, told
from tests.support.seasons import end

pytestmark = pytest.mark.django_db

DAY = dt.timedelta(days=1)


def reports(count, *, players=16, start=0, seed=1, size=2):
    """Matches with scores, in two variants, a minute apart; ids m0, m1 …"""
    rng = random.Random(seed + start)
    made = []
    for number in range(start, start + count):
        names = rng.sample([f"p{index}" for index in range(players)], 2 * size)
        plain = make_report(
            names[:size], names[size:], id=f"m{number}", ended_at=NOW - dt.timedelta(minutes=10_000 - number),
            variant=rng.choice(["", "ruins"]),
        )  # fmt: skip
        scores = (None, None) if rng.random() < 0.2 else (rng.randint(5, 16), rng.randint(0, 9))
        places = (1, 2) if scores[0] is None or scores[0] > scores[1] else (2, 1) if scores[0] < scores[1] else (1, 1)
        teams = zip(plain.teams, scores, places, strict=True)
        made.append(replace(plain, teams=tuple(replace(team, score=s, place=p) for team, s, p in teams)))
    return made


def record_all(sent, batch=7):
    for start in range(0, len(sent), batch):
        record_results(sent[start : start + batch], source=make_source(), now=NOW)


def purely(mode, system=None):
    """The states of players, and the system, after all matches rated by the pure system one by one."""
    system, skills, last = system or Margin(), {}, {}
    for record in load_records(Match.objects.filter(mode=mode).order_by("event")).values():
        match, teams = record.match, []
        for index, said in enumerate(match.teams):
            roster = [
                Entrant(
                    str(part.player_id), skills.get(part.player_id, system.newcomer()),
                    idle_days=max(0.0, (match.ended_at - last.get(part.player_id, match.ended_at)) / DAY),
                )
                for part in record.parts if part.team == index
            ]  # fmt: skip
            teams.append(Team(tuple(roster), said["place"], said["score"]))
        result = Result(tuple(teams), variant=match.variant)
        rated, system = system.rate(result), system.after(result)
        for team, own in zip(teams, rated, strict=True):
            for player, skill in zip(team.players, own, strict=True):
                skills[int(player.id)], last[int(player.id)] = skill, match.ended_at
    return {player: system.to_state(skill) for player, skill in skills.items()}, system


def doctor():
    return [*invariants.violations(NOW), *mode_invariants.violations(NOW)]


def states(mode):
    return {rating.player_id: rating.state for rating in Rating.objects.filter(mode=mode)}


@pytest.mark.parametrize("batch", [1, 7, 100])
def test_one_writer_learns_in_strict_fifties(batch):
    mode = make_mode(system="margin")
    record_all(reports(130), batch)
    expected, system = purely(mode)
    assert alike(states(mode), expected)
    assert [len(state.taken) for state in ModeState.objects.order_by("number")] == [0, 50, 50]
    named = Match.objects.order_by("event").values_list("mode_state__number", flat=True)
    assert list(named) == [0] * 50 + [1] * 50 + [2] * 30
    assert list(Match.objects.order_by("event").values_list("to_learn", flat=True)) == [False] * 100 + [True] * 30
    assert system_now(mode).learning.slope == pytest.approx(system.learning.slope)
    assert system_now(mode).learning.margins.keys() == {"", "ruins"}
    publish(mode, now=NOW)
    assert doctor() == []
    lived = told(mode), ledger(mode)
    assert rate_anew(mode).error == ""
    assert alike((told(mode), ledger(mode)), lived)
    assert doctor() == []


@pytest.mark.parametrize("batch", [1, 30])
def test_a_mode_learns_about_luck_in_blocks_that_grow(batch):
    mode = make_mode(system="margin", params={"luck": True}, team_count=6)
    chance = random.Random(3)
    sent = []
    for number in range(70):
        names = sorted(chance.sample("abcdefghijkl", 6), key=lambda name: ord(name) + chance.gauss(0, 4))
        unlucky = {name for name in names if chance.random() < 0.3}
        order = sorted(names, key=lambda name: name in unlucky)
        last = 7 - max(1, len(unlucky))
        places = [min(place, last) for place in range(1, 7)]
        ended_at = NOW - dt.timedelta(minutes=10_000 - number)
        sent.append(make_report(*map(list, order), id=f"m{number}", ended_at=ended_at, places=places))
    record_all(sent, batch)
    expected, system = purely(mode, Margin(luck=True))
    assert alike(states(mode), expected)
    assert [len(state.taken) for state in ModeState.objects.order_by("number")] == [0, *[5] * 12, 6]
    luck = system_now(mode).learning.luck
    assert luck.share > 0.5
    assert luck.matches == 66
    assert luck.share == pytest.approx(system.learning.luck.share)
    publish(mode, now=NOW)
    assert doctor() == []
    lived = told(mode), ledger(mode)
    assert rate_anew(mode).error == ""
    assert alike((told(mode), ledger(mode)), lived)
    rate_anew(mode, chronological=True)
    assert alike(states(mode), expected)
    assert doctor() == []


def test_a_void_moves_no_stranger_and_a_restored_match_comes_back():
    mode = make_mode(system="margin")
    sent = reports(60)
    outside = make_report(["x"], ["y"], id="outside", ended_at=NOW - dt.timedelta(minutes=20_000))
    record_all([outside, *sent])
    before = states(mode)
    strangers = {player.pk for player in Player.objects.exclude(key__in=["x", "y"])}
    match = Match.objects.get(external_id="outside")
    void([match], by=None, reason="test", now=NOW)
    rerate(mode)
    after = states(mode)
    assert alike({pk: after[pk] for pk in strangers}, {pk: before[pk] for pk in strangers})
    assert alike({pk: state for pk, state in after.items() if pk in strangers}, replayed_states(mode))
    restore([match], by=None, reason="test", now=NOW)
    rerate(mode)
    assert alike(states(mode), before)
    record_all(reports(60, start=60))
    assert [len(state.taken) for state in ModeState.objects.order_by("number")] == [0, 50, 50]
    mode.refresh_from_db()
    assert alike(states(mode), replayed_states(mode))


@pytest.mark.parametrize("block", [7, 1_000])
def test_a_new_order_learns_anew_and_goes_on_with_the_open_block(block):
    mode = make_mode(system="margin")
    sent = reports(120)
    random.Random(5).shuffle(sent)
    record_all(sent)
    rate_anew(mode, chronological=True)
    if block == 7:  # a worker is killed on the way
        request_rerating(mode, reason="test", now=NOW, chronological=True)

        def stop(done, total):
            if done > 60:
                raise Killed

        with pytest.raises(Killed):
            rerate(mode, progress=stop, block=block)
        free(mode)
        assert rerate(mode, block=block).error == ""
    mode.refresh_from_db()
    expected, system = purely(mode)
    assert alike(states(mode), expected)
    record_all(reports(80, start=120))
    expected, system = purely(mode)
    assert alike(states(mode), expected)
    newest = system_now(mode).learning
    assert (newest.slope, newest.noise) == pytest.approx((system.learning.slope, system.learning.noise))
    assert alike(states(mode), replayed_states(mode))
    lived = told(mode), ledger(mode)
    rate_anew(mode)
    assert alike((told(mode), ledger(mode)), lived)
    publish(mode, now=NOW)
    assert doctor() == []


def test_a_new_system_learns_from_the_whole_history():
    mode = make_mode(system="elo")
    record_all(reports(110))
    switch_system(mode, system="margin", params={}, by=None, reason="test", now=NOW)
    assert rerate(mode).error == ""
    mode.refresh_from_db()
    record_all(reports(60, start=110))
    expected, _ = purely(mode)
    assert alike(states(mode), expected)
    lived = told(mode), ledger(mode)
    match = Match.objects.get(external_id="m3")
    for change in (void, restore):
        change([match], by=None, reason="test", now=NOW)
        rerate(mode)
    assert alike((told(mode), ledger(mode)), lived)
    publish(mode, now=NOW)
    assert doctor() == []


def test_new_parameters_learn_anew():
    mode = make_mode(system="margin")
    record_all(reports(70))
    change_parameters(mode, params={"practice": 0.2}, now=NOW)
    record_all(reports(70, start=70))
    assert list(ModeState.objects.order_by("pk").values_list("parameters__number", "number")) == [
        (1, 0),
        (1, 1),
        (2, 0),
        (2, 1),
    ]
    assert not Match.objects.filter(to_learn=True, external_id__in=[f"m{number}" for number in range(120)]).exists()
    lived = told(mode), ledger(mode)
    rate_anew(mode)
    assert alike((told(mode), ledger(mode)), lived)


def test_without_adapting_there_are_no_states():
    mode = make_mode(system="margin", params={"adapt": False})
    record_all(reports(60))
    assert (ModeState.objects.count(), Match.objects.filter(to_learn=True).count()) == (0, 0)
    lived = told(mode), ledger(mode)
    rate_anew(mode)
    assert alike((told(mode), ledger(mode)), lived)


def test_forfeits_name_a_state_and_teach_nothing():
    mode = make_mode(system="margin")
    record_all(reports(55))
    players = list(Player.objects.order_by("pk")[:4])
    forfeit = record_forfeit(
        mode, lobby="l", teams=[players[:2], players[2:]], player=players[0], reason="Left", now=NOW
    )
    assert forfeit.mode_state.number == 1
    record_all(reports(50, start=55))
    assert [len(state.taken) for state in ModeState.objects.order_by("number")] == [0, 50, 50]
    assert alike(states(mode), replayed_states(mode))
    lived = told(mode), ledger(mode)
    rate_anew(mode)
    assert alike((told(mode), ledger(mode)), lived)


def test_what_was_learnt_outlives_a_season():
    mode = make_mode(system="margin")
    record_all(reports(60))
    end(mode, at=NOW + DAY)
    later = [replace(report, ended_at=report.ended_at + 9 * DAY) for report in reports(60, start=60)]
    record_results(later, source=make_source(), now=NOW + 9 * DAY)
    assert ModeState.objects.order_by("-number").first().number == 2
    lived = told(mode), ledger(mode)
    rate_anew(mode)
    assert alike((told(mode), ledger(mode)), lived)


def test_changes_are_explained_by_the_state_that_rated_them():
    make_mode(system="margin")
    record_all(reports(120))
    for record in load_records(Match.objects.filter(external_id__in=["m5", "m60", "m110"])).values():
        why = explain(record)
        for change in record.changes:
            moved = (change.display_after - change.display_before) / 100
            assert why[change.player_id].moved == pytest.approx(moved, abs=1)


def lessons_lost():
    Match.objects.filter(external_id="m129").update(lesson_slope=None)


def values_changed():
    state = ModeState.objects.get(number=2)
    ModeState.objects.filter(pk=state.pk).update(values={**state.values, "slope": state.values["slope"] + 1e-6})


def taken_twice():
    one, two = ModeState.objects.filter(number__gt=0).order_by("number")
    ModeState.objects.filter(pk=two.pk).update(taken=[*one.taken[:1], *two.taken[1:]])


def named_from_elsewhere():
    make_mode("other", system="margin")
    Match.objects.filter(external_id="m3").update(mode_state=ModeState.objects.get(parameters__mode__slug="other"))


@pytest.mark.parametrize(
    ("fault", "codes"),
    [
        (lambda: None, []),
        (lessons_lost, ["learnt.lesson"]),
        (values_changed, ["learnt.block"]),
        (taken_twice, ["learnt.block"]),
        (named_from_elsewhere, ["learnt.named"]),
        (lambda: Match.objects.filter(external_id="m3").update(to_learn=True), ["learnt.block"]),
    ],
)
def test_doctor_finds_what_was_not_learnt_so(fault, codes):
    make_mode(system="margin")
    record_all(reports(130))
    fault()
    assert [violation.code for violation in mode_invariants.violations(NOW)] == codes


@pytest.mark.django_db(transaction=True)
def test_eight_writers_at_once_learn_from_every_match_once():
    mode = make_mode(system="margin")
    source, sent = make_source(), reports(400, players=120)
    sets = [sent[number::8] for number in range(8)]
    at_once([lambda own=own: [record_results([report], source=source, now=NOW) for report in own] for own in sets])
    taken = [sequence for state in ModeState.objects.all() for sequence in state.taken]
    waiting = list(Match.objects.filter(to_learn=True).values_list("event", flat=True))
    assert sorted([*taken, *waiting]) == sorted(Match.objects.values_list("event", flat=True))
    assert len(waiting) < 60
    assert all(50 <= len(state.taken) < 60 for state in ModeState.objects.filter(number__gt=0))
    assert alike(states(mode), replayed_states(mode))
    publish(mode, now=NOW)
    assert doctor() == []
    lived = told(mode), ledger(mode)
    rate_anew(Mode.objects.get())
    assert alike((told(mode), ledger(mode)), lived)
    assert Change.objects.filter(skill_matches_after=None).count() == 0
