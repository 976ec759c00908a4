"""`manage.py export results`: what comes out goes in again, with nothing lost, and ends with the same ratings."""

import datetime as dt
import json
import random
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from matchmaking.models import Lobby
from ranking.matches import exporting
from ranking.matches.differences import find_difference
from ranking.matches.exporting import find_forfeits
from ranking.matches.forfeits import record_forfeit
from ranking.matches.recording import record_results
from ranking.matches.records import load_records, with_void_reasons
from ranking.matches.sendable_results import result_of
from ranking.models import Change, Forfeit, Match, Mode, Participation, Player, Rating
from ranking.moderation.bots import mark_as_bots, mark_as_people
from ranking.moderation.corrections import correct_match
from ranking.moderation.merges import merge_players
from ranking.moderation.voids import void
from ranking.rules.report import PlayerReport, Report, TeamReport
from ranking.systems.registry import SYSTEMS
from ranking.validation.match_report import read_report
from tests.support.factories import NOW, make_mode, make_report, make_source, record
from tests.support.matchmaking import later, make_lobby, make_queue
from tests.support.replay import alike
from tests.support.reratings import rate_anew
from tests.support.seasons import bring_along
from tests.support.systems import largest_team

MATCHES = 38  # that go out, of 40 and a correction
SEEDS = [1, 206]
OLDEST_RULES = {"staying_is_better": False, "counts_shares": False}  # the parameters of a mode from an early version
WEEK = 7 * 24 * 60
STATS = ("kills", "assists", "deaths")


def export(*arguments, **options):
    """The results that go out, as parsed JSON, and what is told on standard error."""
    out, err = StringIO(), StringIO()
    call_command("export", "results", *arguments, stdout=out, stderr=err, **options)
    return [json.loads(line) for line in out.getvalue().splitlines()], err.getvalue().splitlines()


def results_of(**options):
    """The result of every match, with its record; whatever is void."""
    matches = list(with_void_reasons(Match.objects.select_related("mode")))
    forfeits = find_forfeits(matches)
    for record_ in load_records(matches).values():
        yield result_of(record_, forfeits=forfeits.get(record_.match.pk, ()), **options), record_


def random_report(chance, number, mode, sizes, ties):
    """A result with whatever a report may have, as a game server sends it."""
    lasted = chance.choice([None, 600.0, 612.5])
    minutes = chance.randrange(0, WEEK, WEEK // 12 if ties else 1)
    ended = NOW - dt.timedelta(minutes=minutes)
    started = chance.choice([None, ended - dt.timedelta(seconds=chance.choice([650, 700]))])
    keys = iter(chance.sample([f"p{index}" for index in range(9)] + ["bot-1", "bot-2"], 2 * max(sizes)))

    def player(key):
        kind, more = chance.random(), {}
        if kind < 0.15:
            more = {"seconds": chance.choice([0.0, 30.0, 300.0, 550.0, 600.0]), "left_early": chance.random() < 0.7}
        elif kind < 0.25:
            more = {"joined_at": chance.choice([20.0, 500.0])}
        elif kind < 0.35:
            more = {"absences": ((10.0, chance.choice([60.0, 400.0])), (350.0, 580.0))[: chance.randint(1, 2)]}
            more |= {"seconds": chance.choice([None, 0.0, 250.0])}
        if chance.random() < 0.5:
            more |= {"stats": {name: float(chance.randint(0, 20)) for name in STATS}, "party": chance.choice(["", "a"])}
        rounds = chance.choice([None, None, chance.randint(0, 13)])
        name = chance.choice(["", f"Name of {key}"])
        return PlayerReport(id=key, name=name, rounds_played=rounds, bot=key.startswith("bot"), **more)

    def side():
        return tuple(player(next(keys)) for _ in range(chance.choice(sizes)))

    teams = [side(), side()]
    places = chance.choice([(1, 2), (2, 1), (1, 1), (None, None)])
    scores = [chance.choice([1.0, 3.5, -2.0]) for _ in teams]
    if chance.random() < 0.08:  # nobody of the second side came
        teams[1] = tuple(PlayerReport(id=own.id, seconds=0.0, left_early=True) for own in teams[1])
    kind = chance.random()
    more = {"unrated": True} if kind < 0.05 else {"no_contest": "The server broke."} if kind < 0.1 else {}
    report = Report(
        id=f"match {number}", mode=mode, ended_at=ended, started_at=started, duration=lasted,
        rounds=chance.choice([None, 13]), variant=chance.choice(["", "harbour"]), server=chance.choice(["", "s1"]),
        region=chance.choice(["", "eu"]), lobby=chance.choice(["", f"of elsewhere {number}"]),
        teams=tuple(TeamReport(players, name=chance.choice(["", "Reds"]), score=score, place=place)
                    for players, score, place in zip(teams, scores, places, strict=True)),
        **more,
    )  # fmt: skip
    return as_read(report)


def as_read(report):
    """The report as reading its JSON gives it: with the duration that its times tell."""
    value = {name: getattr(report, name) for name in ("id", "mode", "duration", "rounds")}
    value |= {name: getattr(report, name) for name in ("variant", "server", "region", "lobby")}
    value |= {"no_contest": report.no_contest} if report.no_contest else {}
    value |= {name: at.isoformat() for name in ("started_at", "ended_at") if (at := getattr(report, name))}
    value["rated"] = not report.unrated
    value["teams"] = [
        {
            "name": team.name, "score": team.score, "place": team.place,
            "players": [
                {"id": own.id, "seconds": own.seconds, "left_early": own.left_early, "party": own.party,
                 "rounds_played": own.rounds_played, "absences": list(map(list, own.absences)), "bot": own.bot,
                 "stats": dict(own.stats), "joined_at": own.joined_at, **({"name": own.name} if own.name else {})}
                for own in team.players
            ],
        }
        for team in report.teams
    ]  # fmt: skip
    return read_report(value)


def live(seed, system, **settings):
    """A mode with a random history, recorded in another order than that of time; the matches that moderators voided."""
    chance, sizes = random.Random(seed), range(1, largest_team(system, 3) + 1)
    mode = make_mode("duel", system, team_size_max=max(sizes), **settings)
    reports = [random_report(chance, number, mode.slug, sizes, ties=seed % 2) for number in range(40)]
    outcomes = record_results(reports, source=make_source(), now=NOW, elsewhere=True)
    assert {one.error for one in outcomes} == {None}
    matches = list(Match.objects.order_by("pk"))
    counting = [match for match in matches if match.event_id]
    void(counting[:2], by=None, reason="A cheater.", now=NOW)
    wrong = counting[3]
    sides = [[part.player.key for part in wrong.participations.filter(team=index)] for index in (1, 0)]
    report = as_read(make_report(*sides, ended_at=wrong.ended_at, started_at=wrong.started_at))
    correct_match(wrong, report, by=None, reason="Typed wrong.", now=NOW)
    return mode, {match.pk for match in (*counting[:2], wrong)}


def merge_two():
    """Merge two players who never met."""
    for kept in Player.objects.filter(is_bot=False).order_by("pk"):
        for other in Player.objects.filter(is_bot=False).exclude(pk=kept.pk).order_by("pk"):
            together = Match.objects.filter(participations__player=kept).filter(participations__player=other)
            if not together.exists():
                merge_players(kept, other, by=None, reason="One person.", now=NOW)
                return


def facts_of(mode):
    """What recording made of each match and of each player in it, but for the rows' ids."""
    names = ("started_at", "ended_at", "duration", "measured", "rounds", "variant", "server", "region", "teams",
             "uncounted", "is_void", "void_reason")  # fmt: skip
    matches = {
        match.external_id: {name: getattr(match, name) for name in names}
        for match in with_void_reasons(Match.objects.filter(mode=mode))
    }
    names = ("player__key", "seconds", "joined_at", "left_early", "excused", "brief", "rounds_played", "absences",
             "party", "stats", "place", "places")  # fmt: skip
    parts = Participation.objects.filter(match__mode=mode).order_by("match__external_id", "team", "slot")
    return matches, [(one.pop("match__external_id"), one) for one in parts.values("match__external_id", *names)]


def ratings(mode):
    """The states of all who have played, by key. Who was in void matches alone has a newcomer's."""
    rows = Rating.objects.filter(mode=mode, player__changes__in=Change.objects.live().filter(mode=mode))
    return {row.player.key: row.state for row in rows.select_related("player").distinct()}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_history_comes_in_again_and_ends_with_the_same_ratings(system, seed, tmp_path):
    settings = {"leave_after_abandon": True} if seed % 2 else {"params": OLDEST_RULES}
    mode, left_out = live(seed, system, **settings)
    merge_two()
    rate_anew(mode, chronological=True)
    differences = [
        find_difference(read_report(result), mode, row)
        for result, row in results_of(as_sent=True)
        if row.match.pk not in left_out
    ]
    assert differences == [""] * MATCHES
    path = tmp_path / "results.jsonl"
    copy = make_mode("copy", system, team_size_max=mode.team_size_max, **settings)
    results, told = export("--mode", "duel", "--as-mode", "copy", "--output", str(path))
    assert results == []
    assert told == [f"Results: {MATCHES}.", "Left out, as they are void: 3. --void exports them as called off."]
    out = StringIO()
    call_command("import_matches", str(path), source="copy", keep_alike=True, stdout=out)
    assert "0 known already, 0 in conflict, 0 refused" in out.getvalue()
    assert alike(ratings(mode), ratings(copy))
    matches, parts = facts_of(mode)
    gone = set(Match.objects.filter(pk__in=left_out).values_list("external_id", flat=True))
    kept = {key: facts for key, facts in matches.items() if key not in gone}
    assert facts_of(copy) == (kept, [(key, facts) for key, facts in parts if key not in gone])
    assert export("--mode", "copy")[0] == [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def mode(db):
    return make_mode("duel", "elo", reconnect_grace=180)


def gone(key, **more):
    """A player who never came."""
    return PlayerReport(key, seconds=0.0, left_early=True, **more)


def only_result(**options):
    [result], _ = export(**options)
    return result


def test_a_result_as_it_was_sent(mode):
    sent = {
        "id": "m", "mode": "duel", "started_at": "2026-05-20T11:00:00Z", "ended_at": "2026-05-20T11:20:00.250000Z",
        "duration": 1100.0, "rounds": 13, "variant": "harbour", "server": "s1", "region": "eu", "lobby": "elsewhere",
        "teams": [
            {"name": "Reds", "score": 13.0, "place": 1, "players": [
                {"id": "a", "name": "Ann", "seconds": 1000.0, "joined_at": 50.0, "left_early": True,
                 "rounds_played": 12, "absences": [[1.0, 2.5]], "party": "p", "stats": {"kills": 3.0}, "bot": True},
                {"id": "b"},
            ]},
            {"score": 9.0, "place": 2, "players": [{"id": "c"}]},
        ],
    }  # fmt: skip
    [outcome] = record_results([read_report(sent)], source=make_source(), now=NOW, elsewhere=True)
    assert outcome.error is None
    assert only_result() == sent


def test_where_the_lowest_score_is_the_best(db):
    make_mode("race", "elo", least_is_best=True)
    teams = [{"score": score, "players": [{"id": key}]} for score, key in ((61.5, "a"), (59.25, "b"))]
    sent = {"id": "m", "mode": "race", "ended_at": "2026-05-20T11:20:00Z", "teams": teams}
    record_results([read_report(sent)], source=make_source(), now=NOW)
    placed = [{**team, "place": place} for team, place in zip(teams, (2, 1), strict=True)]
    assert only_result() == {**sent, "teams": placed}


def test_a_result_from_before_the_lowest_score_was_the_best_says_who_won(mode):
    sent = [TeamReport((PlayerReport("a"),), score=5.0), TeamReport((PlayerReport("b"),), score=3.0)]
    record_results([Report("m", "duel", NOW, tuple(sent))], source=make_source(), now=NOW)
    assert "place" not in only_result()["teams"][0]
    Mode.objects.update(least_is_best=True)
    assert [(team["score"], team["place"]) for team in only_result()["teams"]] == [(5.0, 1), (3.0, 2)]


def test_void_matches_only_if_asked_for_and_as_called_off(mode):
    match = record(["a"], ["b"]).record.match
    void([match], by=None, reason="A cheater.", now=NOW)
    assert export() == (
        [], ["Results: 0.", "Left out, as they are void: 1. --void exports them as called off."]
    )  # fmt: skip
    result = only_result(void=True)
    assert (result["id"], result["no_contest"]) == (match.external_id, "A cheater.")


def test_a_walkover_that_was_no_forfeit_goes_out_as_unrated(mode):
    record(["a"], [gone("b")], id="walkover")
    assert "rated" not in only_result()
    void([Forfeit.objects.get()], by=None, reason="The server was down.", now=NOW)
    assert only_result()["rated"] is False


def test_a_walkover_for_a_lobby_that_was_over_goes_out_as_unrated(db):
    lobby, [a, b] = make_lobby(make_queue())
    Lobby.objects.filter(pk=lobby.pk).update(state="cancelled", closed_at=later(3))
    record([a.key], [gone(b.key)], lobby=lobby.pk, now=later(60), ended_at=later(50))
    assert (Match.objects.get().uncounted, Forfeit.objects.count()) == ("walkover", 0)
    assert only_result()["rated"] is False


def test_a_walkover_in_which_absences_tell_that_the_side_that_came_was_never_there(mode):
    record([PlayerReport("a", seconds=0.0, absences=((0.0, 600.0),))], [gone("b")], duration=600.0)
    assert Match.objects.get().uncounted == "walkover"
    players = [team["players"][0] for team in only_result()["teams"]]
    assert [player.get("left_early") for player in players] == [None, True]


def test_who_was_absent_all_the_time_but_did_not_leave_makes_no_walkover(mode):
    absent = PlayerReport("b", seconds=0.0, absences=((0.0, 600.0),))
    record(["a"], [absent], duration=600.0)
    left = {"id": "b", "seconds": 0.0, "absences": [[0.0, 600.0]]}
    assert [only_result()["teams"][1]["players"], Match.objects.get().uncounted] == [[left], ""]


def test_who_became_a_bot_after_a_match_of_theirs_alone_goes_out_as_a_person(mode):
    record(["a"], ["b"])
    record(["c"], ["a", PlayerReport("d", bot=True)])
    mark_as_bots([Player.objects.get(key="b").pk], by=None, reason="A program.", now=NOW)
    results, told = export()
    bots = {one["id"]: "bot" in one for result in results for team in result["teams"] for one in team["players"]}
    assert bots == {"a": False, "b": False, "c": False, "d": True}
    assert told[1].startswith("Bots who go out as people: 1,")


def test_a_match_against_bots_alone_stays_unrated_if_they_are_people_by_now(mode):
    record(["a"], [PlayerReport("b", bot=True)])
    mark_as_people([Player.objects.get(key="b").pk], by=None, reason="A person.", now=NOW)
    result = only_result()
    assert (result["rated"], result["teams"][1]["players"]) == (False, [{"id": "b"}])


def test_merged_players_have_the_key_of_the_one_who_was_kept(mode):
    record(["a"], ["b"])
    kept, merged = Player.objects.get(key="a"), Player.objects.create(
        key="c", name="Cid", search_name="cid", created_at=NOW
    )  # fmt: skip
    record(["c"], ["b"])
    merge_players(kept, merged, by=None, reason="One person.", now=NOW)
    keys = [[result["teams"][0]["players"][0]["id"] for result in export(as_sent=sent)[0]] for sent in (False, True)]
    assert keys == [["a", "a"], ["a", "c"]]


def test_it_says_what_in_the_history_is_no_result(mode):
    players = [record([key], [f"{key}2"]).record.parts[0].player for key in "ab"]
    record(["a"], [gone("b")])
    record_forfeit(mode, lobby="left", teams=[players[:1], players[1:]], player=players[0], reason="Left.", now=NOW)
    bring_along(mode, "veteran,,1400,,10\n")
    assert export()[1] == [
        "Results: 3.",
        "What else moved ratings in duel, and is no result: lobbies forfeited: 1, ratings brought along: 1.",
    ]


def test_of_one_source_in_as_many_queries_however_many_matches(mode, django_assert_num_queries):
    make_source("other")
    for count in (1, 3):
        while Match.objects.count() < count:
            record(["a"], ["b"])
            record(["a"], [gone("b")])
        with django_assert_num_queries(3 + 4 + 5):  # options, bots; matches, parts, forfeits, the end; what else
            results, _ = export("--mode", "duel", "--source", "test")
        assert len(results) == Match.objects.count()
    assert export("--source", "other")[0] == []


def test_it_names_the_sources_if_there_are_several(mode):
    for source in ("b", "a"):
        record_results([make_report(["a"], ["b"], id="same")], source=make_source(source), now=NOW)
    results, told = export()
    assert [result["id"] for result in results] == ["same", "same"]
    assert told[1].startswith("Sources: a, b. An id stands for one match of its source alone")


def test_chunk_after_chunk(mode, monkeypatch):
    monkeypatch.setattr(exporting, "CHUNK", 2)
    for number in range(7):
        record(["a"], ["b"], id=f"m{number}", ended_at=NOW - dt.timedelta(minutes=number // 3))
    assert [result["id"] for result in export()[0]] == ["m6", "m3", "m4", "m5", "m0", "m1", "m2"]


def test_a_file_bears_its_name_once_it_is_whole(mode, tmp_path, monkeypatch):
    record(["a"], ["b"])
    path = tmp_path / "results.jsonl"
    path.write_text("old")

    def fail(*arguments, **options):
        assert len(list(tmp_path.iterdir())) == 2  # the old one, and the one that is being written
        raise ValueError("broken")

    with monkeypatch.context() as patch:
        patch.setattr(exporting, "result_of", fail)
        with pytest.raises(ValueError, match="broken"):
            export(output=path)
    assert [one.read_text() for one in tmp_path.iterdir()] == ["old"]
    export(output=path)
    assert [len(one.read_text().splitlines()) for one in tmp_path.iterdir()] == [1]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--mode", "nosuch"], "There is no mode 'nosuch'."),
        (["--source", "nosuch"], "There is no source 'nosuch'."),
        (["--output", "/nosuch/file"], "/nosuch/file can't be written: No such file or directory."),
    ],
)
def test_what_is_refused(db, options, sentence):
    with pytest.raises(CommandError) as refused:
        export(*options)
    assert str(refused.value) == sentence
