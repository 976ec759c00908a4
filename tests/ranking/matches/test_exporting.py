"""`manage.py export results`: what comes out goes in again, with nothing lost, and ends with the same ratings."""

import datetime as dt
import json
import random
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from ranking.matches.differences import find_difference
from ranking.matches.exporting import find_bots_alone, find_forfeits
from ranking.matches.forfeits import record_forfeit
from ranking.matches.recording import record_results
from ranking.matches.records import load_records, with_void_reasons
from ranking.matches.sendable_results import result_of
from ranking.models import Change, Forfeit, Match, Mode, Participation, Player, Rating
from ranking.moderation.bots import mark_as_bots, mark_as_people
from ranking.moderation.corrections import correct_match
from ranking.moderation.merges import merge_players
from ranking.moderation.voids import void
from ranking.rerating.reratings import rerate
from ranking.rules.report import PlayerReport, Report, TeamReport
from ranking.validation.match_report import read_report
from tests.support.factories import NOW, make_mode, make_report, make_source, record
from tests.support.replay import alike
from tests.support.reratings import rate_anew

MATCHES = 38  # that go out, of 40 and a correction
SEEDS = [1, 2]
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


SYSTEMS = {
    "elo": (1, 3), "trueskill": (1, 3), "weng-lin": (1, 3), "team-ratio": (1, 3), "two-layer": (1, 3),
    "margin": (1, 3), "glicko-2": (1, 1), "battle-points": (1, 1),
}  # fmt: skip


def live(seed, system, **settings):
    """A mode with a random history, in an order other than that of time, and the matches that are void by moderators."""
    chance, sizes = random.Random(seed), range(SYSTEMS[system][0], SYSTEMS[system][1] + 1)
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
    own = ("source", "id", "mode", "event", "season", "digest", "received_at", "replaces", "late", "mode_state", "lobby")
    matches = {
        match.external_id: {
            field.name: getattr(match, field.name)
            for field in Match._meta.fields
            if field.name not in own and not field.name.startswith("lesson_")
        } | {"is_void": match.is_void, "void_reason": match.void_reason}
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
    settings = {"leave_after_abandon": True} if seed % 2 else {}
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
