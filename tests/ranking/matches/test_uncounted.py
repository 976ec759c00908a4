"""Results that count for nothing: called off, sent as unrated, against bots alone, or never played by one side."""

import datetime as dt

import pytest
from django.db.models import F
from rest_framework.exceptions import ValidationError

from matchmaking.models import Lobby
from matchmaking.queues.queueing import find_ticket
from matchmaking.queues.recent_opponents import load_recents
from ranking.matches import invariants
from ranking.matches.backlog import rate_recorded
from ranking.matches.forfeits import record_forfeit
from ranking.matches.recording import RATED, VOID, record_results
from ranking.models import Change, Event, Forfeit, Incident, Match, Participation, Player, Rating, Season, Void
from ranking.moderation import invariants as conduct_invariants
from ranking.moderation.restoring import RestoreRefused
from ranking.moderation.voids import restore
from ranking.rules.report import BadReport, PlayerReport
from ranking.standings.publishing import publish
from ranking.validation.match_report import read_report
from tests.support.factories import NOW, make_mode, make_report, make_source, record
from tests.support.matchmaking import accept_all, later, make_lobby, make_queue, make_server, queue_up, start
from tests.support.replay import alike
from tests.support.reratings import rate_anew, states

pytestmark = pytest.mark.django_db

LATER = NOW + dt.timedelta(hours=1)
OFF = "The server crashed."


def doctor():
    found = [*invariants.violations(NOW), *conduct_invariants.violations(NOW)]
    return [violation.code for violation in found if violation.code != "board.missing"]  # nothing is published here


def gone(key, **more):
    """A player who never came."""
    return PlayerReport(key, seconds=0.0, left_early=True, **more)


def bot(key):
    return PlayerReport(key, bot=True)


def sent(*teams, **more):
    """A result as a server sends it: JSON."""
    return read_report({"id": "m", "mode": "duel", "ended_at": "2026-05-20T12:00:00Z", "teams": list(teams), **more})


def team(*keys, **more):
    return {"players": [{"id": key} for key in keys], **more}


def displays():
    return dict(Rating.objects.values_list("player__key", "display_hundredths"))


def player(key):
    return Player.objects.get(key=key)


# Which results count for nothing, and why


def test_codes_and_reasons():
    make_mode(least_seconds=120, equal_teams=True)
    crew, one, other = ["a", "b"], ["c"], ["d"]
    for teams, more, code, reason in (
        ((crew, one), {"no_contest": OFF, "unrated": True}, "no-contest", OFF),
        ((one, other), {"unrated": True}, "unrated", "It was sent as unrated."),
        ((crew, [bot("x"), bot("y")]), {"unrated": True}, "bots", "Bots alone were on a side."),
        (([bot("x")], [bot("y")]), {}, "bots", "Bots alone were on a side."),
        (([gone("c")], [bot("y")]), {}, "bots", "Bots alone were on a side."),
        ((one, [gone("d")]), {"duration": 0.0}, "walkover", "A walkover: only one side ever played."),
        (([gone("e")], [gone("f")]), {}, "nobody", "Nobody ever played."),
        ((one, other), {"duration": 60.0}, "", "Too short: 60 of at least 120 seconds."),
        ((crew, one), {}, "", "Uneven: teams of 1 and of 2."),
    ):
        recorded = record(*teams, **more)
        match = recorded.record.match
        stored = Match.objects.get(pk=match.pk)
        assert (recorded.state, match.is_void, match.uncounted, match.void_reason) == (VOID, True, code, reason)
        assert (stored.uncounted, stored.event, Void.objects.get(match=stored).reason) == (code, None, reason)
    assert not Change.objects.filter(kind=Change.MATCH).exists()
    make_mode(slug="other")
    for teams in (
        (["a", bot("x")], ["b", "c"]),  # a bot on a side with people is a player with a rating
        ([PlayerReport("a", seconds=0.0)], ["b"]),  # there to the end
        ([PlayerReport("a", seconds=1.0, left_early=True)], ["b"]),
    ):
        assert record(*teams, mode="other").state == RATED
    assert Change.objects.filter(kind=Change.MATCH, player__is_bot=True).count() == 1
    assert doctor() == []


def test_scores_and_places_of_a_match_that_was_called_off_are_optional():
    make_mode()
    make_mode(slug="race", least_is_best=True)
    for mode, teams, placed in (
        ("duel", (team("a"), team("b")), False),
        ("duel", (team("a", score=3), team("b")), False),
        ("duel", (team("a", score=3), team("b", score=2)), False),
        ("duel", (team("a", place=2), team("b")), False),
        ("duel", (team("a", place=2), team("b", place=1)), True),
        ("race", (team("a", score=59.2), team("b", score=61)), False),
    ):
        report = sent(*teams, mode=mode, no_contest=OFF)
        Match.objects.update(external_id=F("id"))  # each is a new one
        [recorded] = record_results([report], source=make_source(), now=NOW)
        places = [(part.place, part.places) for part in recorded.record.parts]
        assert (recorded.state, places) == (VOID, [(2, 2), (1, 2)] if placed else [(None, None)] * 2), teams
    with pytest.raises(BadReport, match=r"teams\[0\]\.score: A team without a place needs a score\."):
        record(["a"], ["b"], places=[None, None], unrated=True)
    with pytest.raises(BadReport, match="Teams of duel have 1 to 6 players"):
        record(["a"], list("bcdefgh"), no_contest=OFF)


@pytest.mark.parametrize("value", ["", "  ", "x" * 201, 3, None])
def test_a_reason_has_1_to_200_characters(value):
    with pytest.raises(ValidationError) as caught:
        sent(team("a"), team("b"), no_contest=value)
    assert set(caught.value.detail) == {"no_contest"}


def test_a_system_may_refuse_teams_that_it_never_rates():
    make_mode(system="glicko-2", team_size_max=1)
    assert record(["a"], ["b"], no_contest=OFF).state == VOID


def test_the_same_result_is_the_same_whatever_is_spelled_out():
    plain = sent(team("a", score=2), team("b", score=1))
    spelled = sent(
        {"players": [{"id": "a", "bot": False}], "score": 2}, team("b", score=1), rated=True,
    )  # fmt: skip
    assert plain.digest() == spelled.digest()
    assert plain.digest() == "f9eb638d7fe90ad01bab249d623b6b18c27738daf9f7b871db30d86fc34c43b6"  # as ever
    others = [
        sent(team("a", score=2), team("b", score=1), rated=False),
        sent(team("a", score=2), team("b", score=1), no_contest=OFF),
        sent({"players": [{"id": "a", "bot": True}], "score": 2}, team("b", score=1)),
    ]
    assert len({plain.digest(), *(other.digest() for other in others)}) == 4


def test_nothing_changes_for_anybody():
    mode = make_mode()
    record(["a"], ["b"])
    publish(mode, now=NOW)
    before = list(Rating.objects.order_by("pk").values())
    left = PlayerReport("a", seconds=5.0, left_early=True)
    for more in ({"no_contest": OFF}, {"unrated": True}):
        record([left], ["b"], ended_at=LATER, now=LATER, **more)
    assert list(Rating.objects.order_by("pk").values()) == before
    assert not Incident.objects.exists()
    assert Participation.objects.filter(left_early=True).count() == 2
    assert doctor() == []


def test_they_cant_be_restored_and_others_can():
    mode = make_mode(least_seconds=120)
    codes = {"unrated": {"unrated": True}, "no-contest": {"no_contest": OFF}}
    for code, more in codes.items():
        match = record(["a"], ["b"], **more).record.match
        with pytest.raises(RestoreRefused, match=f"^Match {match.external_id} can't be restored: it was "):
            restore([match], by=None, reason="Why not?", now=NOW)
        assert (match.uncounted, Void.objects.get(match=match).lifted_at) == (code, None)
    short = record(["a"], ["b"], duration=60.0).record.match
    assert restore([short], by=None, reason="It was a real one.", now=NOW) == [short]
    rate_anew(mode)
    assert Change.objects.filter(match=short).count() == 2


# Walkovers


@pytest.mark.parametrize("system", ["elo", "trueskill", "weng-lin", "margin", "two-layer", "team-ratio"])
def test_a_walkover_is_the_forfeit_of_those_who_never_came(system):
    for slug in ("duel", "lobbies"):
        mode = make_mode(slug=slug, system=system)
        record(["a", "b"], ["c", "d"], mode=slug)
        record(["a", "c"], ["b", "d"], mode=slug)
    before = displays()
    match = record(["a", "b"], [gone("c"), gone("d")]).record.match
    teams = [[player("a"), player("b")], [player("c"), player("d")]]
    for key in ("c", "d"):
        record_forfeit(mode, lobby="L", teams=teams, player=player(key), reason="x", now=NOW)
    rated = {slug: dict(Rating.objects.filter(mode__slug=slug).values_list("player__key", "display_hundredths"))
             for slug in ("duel", "lobbies")}  # fmt: skip
    assert rated["duel"] == rated["lobbies"]
    assert {key for key in "abcd" if rated["duel"][key] != before[key]} <= {"c", "d"}
    assert rated["duel"]["c"] < before["c"]
    assert Match.objects.get(pk=match.pk).event is None
    forfeits = Forfeit.objects.filter(mode__slug="duel").order_by("pk")
    assert [(row.player.key, row.lobby, row.happened_at) for row in forfeits] == [
        (key, f"match {match.pk}", NOW) for key in ("c", "d")
    ]
    kinds = Incident.objects.filter(mode__slug="duel").order_by("pk").values_list("kind", "player__key", "forfeit")
    assert list(kinds) == [("dropout", row.player.key, row.pk) for row in forfeits]
    assert set(Rating.objects.filter(mode__slug="duel").values_list(F("wins") + F("losses") + F("leaves"))) == {(2,)}
    once = states(match.mode)
    rate_anew(match.mode)
    assert alike(states(match.mode), once)
    assert doctor() == []


@pytest.mark.parametrize("waits", [False, True])
def test_who_never_came_forfeits_in_the_order_of_the_roster(waits):
    mode = make_mode()
    record(["a"], ["b"])
    Season.objects.update(ends_at=LATER if waits else None)
    record(["c"], [gone("b"), gone("a")], ended_at=LATER, now=LATER)
    Season.objects.update(ends_at=None)
    assert rate_recorded(mode, now=LATER) == (2 if waits else 0)
    forfeits = Forfeit.objects.order_by("event").values_list("player__key", flat=True)
    assert (list(forfeits), player("a").pk < player("b").pk) == (["b", "a"], True)


def test_whoever_forfeited_the_lobby_forfeits_nothing_again():
    queue = make_queue(size=2)
    lobby, [a, b, c, d] = make_lobby(queue)
    teams = [[a, b], [c, d]]
    record_forfeit(queue.mode, lobby=lobby.pk, teams=teams, player=c, reason="Left the lobby.", now=later(1))
    never = [gone(c.key), gone(d.key)]
    Lobby.objects.filter(pk=lobby.pk).update(state="ready", ready_at=later(2), blind=False)
    more = {"lobby": lobby.pk, "mode": queue.mode.slug, "now": later(9), "ended_at": later(8)}
    record([a.key, b.key], never, **more)
    assert list(Forfeit.objects.order_by("pk").values_list("player", "reason")) == [
        (c.pk, "Left the lobby."), (d.pk, "Never played in the match."),
    ]  # fmt: skip
    assert set(Forfeit.objects.values_list("lobby", flat=True)) == {lobby.pk}
    assert Incident.objects.count() == 2


def test_everybody_who_never_came_forfeits_whatever_their_side():
    make_mode()
    record(["a", gone("b")], [gone("c"), gone("d")])
    assert sorted(Forfeit.objects.values_list("player__key", flat=True)) == ["b", "c", "d"]


def test_of_several_sides_all_but_one_never_came():
    make_mode(team_size_max=1, team_count=3)
    two = record(["a"], ["b"], [gone("c")])
    assert (two.state, Forfeit.objects.count(), Incident.objects.get().kind) == (RATED, 0, "leave")
    one = record(["a"], [gone("b")], [gone("c")])
    assert (one.record.match.uncounted, Forfeit.objects.count()) == ("walkover", 2)
    none = record([gone("a")], [gone("b")], [gone("c")])
    assert (none.record.match.uncounted, Forfeit.objects.count(), Incident.objects.count()) == ("nobody", 2, 3)
    assert doctor() == []


def test_a_walkover_waits_while_its_mode_is_rated_anew_or_for_the_next_season():
    mode = make_mode()
    record(["a"], ["b"])
    Season.objects.update(ends_at=NOW + dt.timedelta(minutes=1))
    late = record(["a"], [gone("b")], ended_at=NOW + dt.timedelta(minutes=2), now=LATER)
    assert (late.state, Forfeit.objects.get().event) == (VOID, None)
    assert Incident.objects.get().forfeit == Forfeit.objects.get()
    Season.objects.update(ends_at=None)
    rate_anew(mode)
    assert Forfeit.objects.get().event is not None


def test_results_are_rated_in_their_order_walkovers_too():
    make_mode()
    reports = [
        make_report(["a"], ["b"]),
        make_report(["a"], [gone("b")]),
        make_report(["b"], ["a"]),
        make_report([gone("a")], ["b"]),
    ]
    recorded = record_results(reports, source=make_source(), now=NOW)
    assert [one.state for one in recorded] == [RATED, VOID, RATED, VOID]
    kinds = Event.objects.exclude(kind=Event.PARAMETERS).order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["match", "forfeit", "match", "forfeit"]
    again = record_results(reports, source=make_source(), now=NOW)
    assert ([one.state for one in again], Forfeit.objects.count()) == (["known"] * 4, 2)


# Bots


def test_once_a_bot_always_a_bot_and_once_a_person_never_one():
    make_mode()
    record(["a"], [bot("x")])
    assert (player("a").is_bot, player("x").is_bot) == (False, True)
    assert record(["a"], ["x"]).record.match.uncounted == "bots"
    assert record([bot("a")], ["b"]).state == RATED
    assert not player("a").is_bot
    both = [make_report([bot("y")], ["a"]), make_report(["y"], ["a"]), make_report(["z"], ["a"]),
            make_report([bot("z")], ["a"])]  # fmt: skip
    assert [one.state for one in record_results(both, source=make_source(), now=NOW)] == [VOID, VOID, RATED, RATED]
    assert (player("y").is_bot, player("z").is_bot) == (True, False)


# Lobbies


def last_opponents(queue, *people):
    """The pairs of these players, by number, who were opponents in the last match of one of them."""
    for person in people:
        if find_ticket(person) is None:
            queue_up(queue, person, at=66)
    pairs, _, _ = load_recents(queue, later(70), {person.pk: number for number, person in enumerate(people)})
    return {tuple(sorted(pair)) for pair in pairs.tolist()}


def test_a_match_that_was_called_off_ends_its_lobby_and_is_no_last_match():
    queue = make_queue(size=1, rematch_after=600)
    make_server(queue.mode)
    lobby, [a, b] = make_lobby(queue)
    start(accept_all(lobby))
    match = record([a.key], [b.key], lobby=lobby.pk, now=later(60), ended_at=later(50), no_contest=OFF).record.match
    lobby.refresh_from_db()
    assert (lobby.state, lobby.match, match.uncounted) == ("aborted", match, "no-contest")
    assert last_opponents(queue, a, b) == set()
    record([a.key], [b.key], now=later(65), ended_at=later(64))
    assert last_opponents(queue, a, b) == {(0, 1)}
