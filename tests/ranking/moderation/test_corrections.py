"""A wrong result is corrected: the right one takes its place, as though it had been sent at once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.test import override_settings

from ranking.matches.invariants import violations
from ranking.matches.recording import KNOWN, record_results
from ranking.models import (
    AuditEntry,
    Change,
    DeviceUse,
    Incident,
    Match,
    Mode,
    ModeState,
    Player,
    Rating,
    Rerating,
    Void,
)
from ranking.moderation.corrections import CorrectionRefused, correct_match
from ranking.moderation.invariants import violations as conduct_violations
from ranking.moderation.merges import merge_players
from ranking.moderation.restoring import RestoreRefused
from ranking.moderation.sanctions import pardon_incidents
from ranking.moderation.voids import restore, void
from ranking.rerating.reratings import request_rerating, rerate
from ranking.rules.report import BadReport, PlayerReport, Report
from ranking.systems.registry import SYSTEMS
from tests.support.factories import NOW, make_mode, make_report, make_source, record_result
from tests.support.reratings import free, lease
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
LATER = NOW + dt.timedelta(days=1)
WHY: dict[str, Any] = {"by": None, "reason": "Typed wrong.", "now": LATER}


def report(number: int, *teams: Sequence[str | PlayerReport], **more: Any) -> Report:
    more = {"ended_at": NOW + dt.timedelta(minutes=number), "duration": 600.0, **more}
    return make_report(*(teams or (["a"], ["b"])), id=f"m{number}", **more)


def send(sent: Report) -> Match:
    recorded = record_result(sent, source=make_source(), now=NOW, elsewhere=True).record
    assert recorded is not None
    return recorded.match


def rate(slug: str = "duel") -> None:
    while (mode := Mode.objects.get(slug=slug)) and rerate(mode) is not None:
        pass


def numbers(slug: str) -> list[Any]:
    """The ratings, and the ledger by match's place, apart from ids."""
    names = ("mu", "sigma", "volatility", "display", "skill_matches")
    ratings = Rating.objects.filter(mode__slug=slug).order_by("player__key")
    rows = Change.objects.live().filter(mode__slug=slug).order_by("event", "player__key")
    return [
        list(
            ratings.exclude(wins=0, draws=0, losses=0, leaves=0).values_list(
                "player__key", "display_hundredths", "mu", "sigma", "volatility", "skill_matches", "wins", "draws",
                "losses", "leaves", "last_match_at", "last_completed_at", "place_sum", "podiums",
            )
        ),
        list(rows.values_list("player__key", "outcome", *(f"{name}_after" for name in names), "win_probability")),
    ]  # fmt: skip


def clean() -> list[str]:
    """What is wrong with the ledger and conduct. Nothing here is published, and no worker empties the outbox."""
    found = [*violations(LATER), *conduct_violations(LATER)]
    return [one.code for one in found if one.code.partition(".")[0] not in ("board", "standings", "outbox", "places")]


SCORED = ("margin", "team-ratio")  # systems that rate scores


def play(slug: str, number: int, *teams: list[str], wrong: bool, system: str) -> Report:
    """A match of these teams; the wrong result is that of match 1."""
    sent = report(number, *teams, mode=slug, rounds=10)
    if system in SCORED:
        scores = (3.0, 7.0) if wrong else (7.0, 3.0)
        sided = zip(sent.teams, scores, strict=True)
        return replace(sent, teams=tuple(replace(team, score=score, place=None) for team, score in sided))
    return make_report(
        *teams, id=sent.id, mode=slug, ended_at=sent.ended_at, rounds=10, places=(2, 1) if wrong else (1, 2)
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_as_though_the_right_result_had_been_sent_at_once(system: str) -> None:
    pairs = (["a"], ["b"]), (["c"], ["a"]), (["b"], ["c"]), (["d"], ["a"])
    for slug in ("wrong", "right"):
        make_mode(slug, system=system, team_size_max=1)
        source = make_source(slug)
        for number, pair in enumerate(pairs):
            own = play(slug, number, *pair, wrong=slug == "wrong" and number == 1, system=system)
            record_result(own, source=source, now=NOW)
    live, right = displays("right"), play("right", 1, ["c"], ["a"], wrong=False, system=system)
    old = Match.objects.get(external_id="m1", source__slug="wrong")
    place = old.event_id
    new = correct_match(old, right, **WHY)
    assert (new.event_id, new.external_id, new.replaces_id, new.mode.slug) == (place, "m1 corrected", old.pk, "wrong")
    since = Match.objects.get(external_id="m1", source__slug="right").event_id  # by the same arithmetic: of a block
    request_rerating(Mode.objects.get(slug="right"), since=since, reason="x", now=LATER)
    rate("right")
    assert displays("wrong") != live
    rate("wrong")
    assert (numbers("wrong"), displays("wrong")) == (numbers("right"), live)
    assert clean() == []


def displays(slug: str) -> list[Any]:
    return list(Rating.objects.filter(mode__slug=slug).order_by("player__key").values_list("display_hundredths"))


def test_what_a_mode_learnt_is_learnt_anew_from_the_right_result() -> None:
    for slug in ("wrong", "right"):
        make_mode(slug, system="margin", team_size_max=1)
        reports = [
            play(
                slug,
                number,
                ["a"],
                ["b"] if number % 3 else ["c"],
                wrong=slug == "wrong" and number == 1,
                system="margin",
            )
            for number in range(105)
        ]
        record_results(reports, source=make_source(slug), now=LATER)
    right = play("right", 1, ["a"], ["b"], wrong=False, system="margin")
    correct_match(Match.objects.get(external_id="m1", source__slug="wrong"), right, **WHY)
    request_rerating(Mode.objects.get(slug="right"), reason="x", now=LATER, learn_anew=True)
    rate("wrong")
    rate("right")
    assert numbers("wrong") == numbers("right")
    states = ModeState.objects.filter(number__gt=0).order_by("number")
    learnt = {slug: list(states.filter(parameters__mode__slug=slug, generation=2)) for slug in ("wrong", "right")}
    assert [one.values for one in learnt["wrong"]] == [one.values for one in learnt["right"]] != []
    assert clean() == []


@pytest.fixture
def mode() -> Mode:
    return make_mode(team_count=3, team_count_min=2)


def a_wins(number: int = 1, **more: Any) -> Report:
    return report(number, ["a"], ["b"], **more)


def b_wins(number: int = 1, **more: Any) -> Report:
    return report(number, ["b"], ["a"], **more)


def test_the_old_match_is_void_and_a_retry_of_it_is_known(mode: Mode) -> None:
    old = send(a_wins(variant="dust", lobby="L"))
    old.links = [{"kind": "replay", "url": "https://replays.example.org/1"}]
    old.save()
    new = correct_match(old, b_wins(variant="dust"), **WHY, note="Video.")
    old.refresh_from_db()
    assert new.links == old.links
    assert (old.event_id, old.season_id, new.lobby, new.source) == (None, None, "L", old.source)
    [void_row] = Void.objects.all()
    assert (void_row.match, void_row.reason, void_row.note) == (old, "Typed wrong.", "Video.")
    again = record_result(a_wins(variant="dust", lobby="L"), source=make_source(), now=LATER, elsewhere=True)
    assert again.state == KNOWN
    assert list(AuditEntry.objects.values_list("act", "subject", "reason")) == [("correct", "match m1", "Typed wrong.")]
    [asked] = Rerating.objects.all()
    assert (asked.since, asked.sorted_from, asked.reason) == (new.event_id, None, "corrected: match m1")
    rate()
    assert {own.player.key: own.wins for own in Rating.objects.all()} == {"a": 0, "b": 1}


def test_the_same_correction_again_changes_nothing(mode: Mode) -> None:
    old = send(a_wins())
    new = correct_match(old, b_wins(), **WHY)
    assert correct_match(old, b_wins(), **WHY) == new
    assert (Match.objects.count(), Void.objects.count(), AuditEntry.objects.count()) == (2, 1, 1)


def test_other_players_and_teams(mode: Mode) -> None:
    old = send(a_wins())
    send(report(2, ["b"], ["c"]))
    correct_match(old, report(1, ["x"], ["b"], ["y"]), **WHY)
    rate()
    played = {own.player.key: own.matches for own in Rating.objects.all()}
    assert played == {"a": 0, "b": 2, "c": 1, "x": 1, "y": 1}
    assert clean() == []


def test_a_correction_is_corrected(mode: Mode) -> None:
    old = send(a_wins())
    place = old.event_id
    second = correct_match(old, b_wins(), **WHY)
    third = correct_match(second, b_wins(places=[1, 1]), **WHY)
    assert [one.external_id for one in (second, third)] == ["m1 corrected", "m1 corrected 2"]
    assert (third.event_id, third.replaces_id) == (place, second.pk)
    rate()
    assert {own.player.key: own.draws for own in Rating.objects.all()} == {"a": 1, "b": 1}
    assert clean() == []


def test_a_long_id_is_cut(mode: Mode) -> None:
    old = send(replace(a_wins(), id="m" * 128))
    assert correct_match(old, b_wins(), **WHY).external_id == "m" * 118 + " corrected"


def test_only_one_of_them_is_restored_in_the_place_that_they_share(mode: Mode) -> None:
    old, after = send(a_wins()), send(a_wins(2))
    place = old.event_id
    new = correct_match(old, b_wins(), **WHY)
    rate()
    for both in ([old], [old, after], [new, old]):
        with pytest.raises(RestoreRefused, match="only one of them may count"):
            restore(both, **WHY)
    void([new], **WHY)
    with pytest.raises(RestoreRefused, match="only one of them may count"):
        restore([old, new], **WHY)
    restore([old], **WHY)
    rate()
    old.refresh_from_db()
    new.refresh_from_db()
    assert (old.event_id, new.event_id) == (place, None)
    assert {own.player.key: own.wins for own in Rating.objects.all()} == {"a": 2, "b": 0}
    third = correct_match(old, b_wins(places=[1, 1]), **WHY)  # anew, after the first correction was wrong, too
    rate()
    assert (third.replaces_id, third.event_id) == (new.pk, place)
    assert {own.player.key: (own.wins, own.draws) for own in Rating.objects.all()} == {"a": (1, 1), "b": (0, 1)}
    assert clean() == []


def test_a_match_that_waits_keeps_its_turn(mode: Mode) -> None:
    send(a_wins(0))
    lease(mode)
    old, _ = send(a_wins(1)), send(report(2, ["b"], ["c"]))
    second = correct_match(old, report(1, ["b"], ["x"]), **WHY)
    third = correct_match(second, report(1, ["x"], ["b"]), **WHY)
    assert third.event_id is None
    free(mode)
    rate()
    order = Match.objects.filter(event__isnull=False).order_by("event").values_list("external_id", flat=True)
    assert list(order) == ["m0", "m1 corrected 2", "m2"]
    assert clean() == []


def test_leaves_are_those_of_the_right_result(mode: Mode) -> None:
    left = PlayerReport("b", left_early=True, seconds=60.0)
    old = send(report(1, ["a"], [left]))
    pardon_incidents([Incident.objects.get().pk], by=None, reason="Power cut.", now=NOW)
    new = correct_match(old, report(1, [left], ["a"]), **WHY)
    assert list(Incident.objects.filter(match=new).values_list("player__key", "pardons__reason")) == [
        ("b", "Power cut.")
    ]
    assert not Incident.objects.counting().exists()
    correct_match(new, report(1, ["b"], [replace(left, id="a")]), **WHY)
    assert list(Incident.objects.counting().values_list("player__key", flat=True)) == ["a"]
    assert clean() == []


def test_devices_are_those_of_the_report_or_stay(mode: Mode) -> None:
    old = send(report(1, [PlayerReport("a", device="x")], [PlayerReport("b", device="y")]))
    new = correct_match(old, report(1, [PlayerReport("b", device="z")], ["a"]), **WHY)
    assert list(DeviceUse.objects.order_by("pk").values_list("match", "player__key")) == [
        (new.pk, "a"), (old.pk, "b"), (new.pk, "b"),
    ]  # fmt: skip


def test_what_a_correction_took_over_comes_back_with_the_old_result(mode: Mode) -> None:
    left = PlayerReport("b", left_early=True, seconds=60.0, device="y")
    old = send(report(1, [PlayerReport("a", device="x")], [left]))
    new = correct_match(old, report(1, [replace(left, device="")], ["a"]), **WHY)
    pardon_incidents([Incident.objects.get(match=new).pk], by=None, reason="Power cut.", now=NOW)
    void([new], **WHY)
    restore([old], **WHY)
    assert list(DeviceUse.objects.order_by("player__key").values_list("match", "player__key")) == [
        (old.pk, "a"), (old.pk, "b"),
    ]  # fmt: skip
    assert not Incident.objects.counting().exists()
    assert clean() == []


def test_a_merged_player_is_the_one_who_was_kept(mode: Mode) -> None:
    old = send(a_wins())
    send(report(2, ["x"], ["y"]))
    kept, merged = Player.objects.get(key="x"), Player.objects.get(key="a")
    merge_players(kept, merged, by=None, reason="One person.", now=NOW)
    rate()
    with pytest.raises(BadReport, match="are one player"):
        correct_match(old, report(1, ["a"], ["x"]), **WHY)
    new = correct_match(old, b_wins(), **WHY)
    rate()
    assert [part.player.key for part in new.participations.order_by("team")] == ["b", "x"]
    assert clean() == []


FOLLOWED: list[tuple[int, int, dt.datetime]] = []


def follow(old: Match, new: Match, now: dt.datetime) -> None:
    FOLLOWED.append((old.pk, new.pk, now))


@override_settings(REPLACEMENT_FOLLOWERS=[f"{__name__}.follow"])
def test_other_apps_follow_it_up(mode: Mode) -> None:
    FOLLOWED.clear()
    old = send(a_wins())
    new = correct_match(old, b_wins(), **WHY)
    assert [(old.pk, new.pk, LATER)] == FOLLOWED


def refusal(act: Callable[[], Any]) -> str:
    before = [model.objects.count() for model in (Match, Void, Player, AuditEntry, Rerating)]
    with pytest.raises((CorrectionRefused, RestoreRefused, BadReport, ValueError)) as caught:
        act()
    assert [model.objects.count() for model in (Match, Void, Player, AuditEntry, Rerating)] == before
    return str(caught.value)


def test_what_is_refused(mode: Mode) -> None:
    old = send(a_wins())
    mode.least_seconds = 100
    mode.save()
    for sent, why, sentence in [
        (b_wins(), {**WHY, "reason": " "}, "Say why."),
        (a_wins(), WHY, "This is the result as it is recorded: change what is wrong."),
        (report(1, ["a", "c"], ["b"], duration=5.0), WHY, "Too short: 5 of at least 100 seconds."),
        (b_wins(ended_at=LATER + dt.timedelta(hours=1)), WHY, "more than 5 minutes in the future"),
        (report(1, ["a"]), WHY, "has 2 to 3 teams; this result has 1"),
    ]:
        assert sentence in refusal(lambda sent=sent, why=why: correct_match(old, sent, **why))
    void([old], **WHY)
    assert refusal(lambda: correct_match(old, b_wins(), **WHY)) == "This match is void: restore it first."
    Match.objects.filter(pk=old.pk).update(event=None, season=None, uncounted=Match.NO_CONTEST)
    assert "never counted" in refusal(lambda: correct_match(old, b_wins(), **WHY))
    old, other = send(a_wins(2)), send(a_wins(3))
    new = correct_match(old, b_wins(2), **WHY)
    again = refusal(lambda: correct_match(old, b_wins(2, places=[1, 1]), **WHY))
    assert again == f"This match was corrected already: correct match {new.pk}, which has its place."
    lease(mode)
    assert "while the mode is being rated anew" in refusal(lambda: correct_match(other, report(3, ["a"], ["q"]), **WHY))


def test_a_match_of_an_archived_season(mode: Mode) -> None:
    old = send(a_wins())
    season = end(mode, at=NOW + dt.timedelta(minutes=3))
    assert season.ends_at is not None
    send(a_wins(2, ended_at=season.ends_at + dt.timedelta(minutes=1)))
    late = b_wins(ended_at=season.ends_at + dt.timedelta(minutes=1))
    assert "The season of this match ended before that" in refusal(lambda: correct_match(old, late, **WHY))
    other = refusal(lambda: correct_match(old, report(1, ["a"], ["q"]), **WHY))
    assert other == "teams[1].players[0].id: 'q' has no rating in the season of this match, which is over."
    final = list(Rating.objects.filter(season=season).values_list("player", "wins", "mu"))
    correct_match(old, b_wins(), **WHY)
    rate()
    assert list(Rating.objects.filter(season=season).values_list("player", "wins", "mu")) == final
    assert clean() == []
