"""`manage.py evaluate`: the figures of files and of a mode, every complaint a sentence, exit status 0, 1 or 2."""

import datetime as dt
import json
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from ranking.matches.forfeits import record_forfeit
from ranking.models import Match, Participation, Player, Rating, Seed
from ranking.moderation.voids import void
from ranking.modes.parameters import current_parameters, system_of
from ranking.rules.report import PlayerReport
from ranking.systems.base import SOFT, ResetRule
from ranking.systems.conversion import convert_skill
from ranking.systems.registry import SYSTEMS, get_system
from ranking.trials.histories import count_matches, last_sequence, mode_history
from tests.support.factories import NOW, make_mode, record
from tests.support.past_matches import replay_chunks
from tests.support.paths import SHARED
from tests.support.replay import alike
from tests.support.seasons import bring_along, end

DATA = SHARED / "data"
PLAIN = ["team-ratio", "two-layer", "elo", "trueskill", "weng-lin", "margin"]


def line(number, winner="a", loser="b", minute=None, **more):
    teams = [{"score": 8, "players": [{"id": name} for name in winner]},
             {"score": 4, "players": [{"id": name} for name in loser]}]  # fmt: skip
    ended_at = f"2004-08-06T18:{number if minute is None else minute:02}:00Z"
    return {"id": f"m{number}", "mode": "duel", "ended_at": ended_at, "teams": teams, **more}


@pytest.fixture
def write(tmp_path):
    def write(*lines, name="matches.jsonl"):
        path = tmp_path / name
        path.write_text("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines))
        return path

    return write


def run(*arguments):
    out = StringIO()
    call_command("evaluate", *map(str, arguments), stdout=out)
    return out.getvalue()


def evaluate(*arguments):
    return json.loads(run(*arguments, "--json"))


def test_a_row_of_json_for_each_system_that_can_rate(write):
    found = evaluate(write(line(1), line(2)))
    assert [row["system"] for row in found] == list(SYSTEMS)
    assert list(found[0]) == [
        "system", "matches", "decided", "error", "error_half", "log_loss", "brier", "slope", "inflation", "seconds",
        "difference", "experience", "upsets", "course",
    ]  # fmt: skip
    elo = found[2]
    assert (elo["matches"], elo["decided"], elo["error"], elo["error_half"]) == (2, 2, 50.0, 25.0)


def test_the_table(write):
    first, second = run(write(line(1), line(2)), "--system", "elo").splitlines()
    assert (
        first.split()
        == "system matches decided error % error½ % log-loss difference Brier slope inflation seconds".split()
    )
    assert second.split()[:10] == ["elo", "2", "2", "50.00", "25.00", "0.6594", "–", "0.2331", "–", "+0.00"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["FILE", "--system", "elo", "trueskill"],
        ["--system", "elo", "trueskill", "FILE"],
        ["--system", "elo", "--system", "trueskill", "FILE"],
        ["--system", "elo", "FILE", "--system", "trueskill", "elo"],
    ],
)
def test_systems_and_files_in_any_order(write, arguments):
    path = write(line(1))
    found = evaluate(*[path if one == "FILE" else one for one in arguments])
    assert [row["system"] for row in found] == ["elo", "trueskill"]


def test_results_are_taken_in_time_order_over_all_files(write):
    """a beats b three times; told backwards and cut in two, the later wins are foreseen all the same."""
    whole = evaluate(write(line(1), line(2), line(3, "b", "a")), "--system", "elo")
    cut = [write(line(3, "b", "a"), name="one"), write(line(2), line(1), name="two")]
    told_backwards = evaluate(*cut, "--system", "elo")
    for rows in (whole, told_backwards):
        rows[0].pop("seconds")
    assert told_backwards == whole


def test_bad_lines_are_named_and_do_not_stop_the_rest(write, capsys):
    lone = line(4, teams=[{"score": 1, "players": [{"id": "a"}]}])
    teams = line(5)["teams"]
    unplaced = line(5, teams=[{**teams[0], "place": 1}, teams[1]])
    path = write(line(1), "{", line(2, rounds=-1), "", lone, unplaced, line(6))
    out = StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("evaluate", str(path), "--system", "elo", "--json", stdout=out)
    assert caught.value.returncode == 1
    assert json.loads(out.getvalue())[0]["matches"] == 2
    complaints = [said.removeprefix(f"{path}, ") for said in capsys.readouterr().err.splitlines() if "line" in said]
    assert [said.split(":")[0] for said in complaints] == ["line 2", "line 3", "line 5", "line 6"]
    assert complaints[2:] == [
        "line 5: teams: A match needs at least two teams.",
        "line 6: teams[1].place: Either every team has a place or none has.",
    ]


def test_an_id_counts_once(write, capsys):
    found = evaluate(write(line(1), line(2), line(1)), "--system", "elo")
    assert [row["matches"] for row in found] == [2]
    with pytest.raises(CommandError):
        run(write(line(1), line(2), line(1, rounds=3)), "--system", "elo")
    assert "line 3: id: Another result before this one has the id 'm1'." in capsys.readouterr().err


def test_a_system_that_cannot_rate_the_results_is_left_out_with_a_sentence(write, capsys):
    path = write(line(1, "ab", "cd"))
    assert [row["system"] for row in evaluate(path)] == PLAIN
    said = capsys.readouterr().err
    assert f"glicko-2 is left out. {path}, line 1: " in said
    with pytest.raises(CommandError, match="Not everything") as caught:
        run(path, "--system", "elo", "glicko-2")
    assert caught.value.returncode == 1


def test_leaving_is_read_as_when_recording(write):
    """Absent for longer than the grace: b's team of one left whole, and lost by its own doing."""
    teams = [{"place": 2, "players": [{"id": "a"}]}, {"place": 1, "players": [{"id": "b", "absences": [[0, 200]]}]}]
    left = evaluate(write(line(1), line(2, teams=teams, duration=900)), "--system", "elo")
    stayed = evaluate(write(line(1), line(2)), "--system", "elo")
    assert left[0]["log_loss"] == stayed[0]["log_loss"]


@pytest.mark.parametrize(
    ("arguments", "sentence", "status"),
    [
        ([], "Name files of results, or a mode by --mode", 2),
        (["FILE", "--mode", "duel"], "Name files of results, or a mode by --mode", 2),
        (["FILE", "--system", "chess"], "There is no rating system 'chess'; choose one of team-ratio", 2),
        (["/nowhere.jsonl"], "/nowhere.jsonl: No such file or directory", 2),
        (["--mode", "nowhere"], "There is no mode 'nowhere'", 2),
        (["EMPTY"], "empty is empty. A line that works", 2),
    ],
)
@pytest.mark.django_db
def test_refusals(write, arguments, sentence, status):
    paths = {"FILE": write(line(1)), "EMPTY": write("", name="empty")}
    with pytest.raises(CommandError, match=sentence) as caught:
        run(*[paths.get(one, one) for one in arguments])
    assert caught.value.returncode == status


def drop(mode, dropper, other, lobby):
    teams = [[Player.objects.get(key=key)] for key in (dropper, other)]
    record_forfeit(mode, lobby=lobby, teams=teams, player=teams[0][0], reason="left", now=NOW)


def play_a_history(system, size=1):
    mode = make_mode(system=system, team_size_max=size)
    for number, (winner, loser) in enumerate(["ab", "bc", "ca", "ab", "cb", "ba"]):
        leaver = PlayerReport(id=loser, left_early=number == 2, seconds=60.0 * number, stats={"kills": number})
        record([winner], [leaver], duration=600.0, places=(1, 1) if number == 4 else (1, 2))
        if number in (1, 5):
            drop(mode, "c", "b", f"lobby {number}")
    record(["a"], ["b"], mode=make_mode("other").slug)
    return mode


@pytest.mark.django_db
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_modes_history_replays_to_what_was_lived(system):
    mode = play_a_history(system)
    found = replay_chunks(system_of(current_parameters(mode)), mode_history(mode, until=last_sequence(mode), size=2))
    lived = {str(row.player_id): row.state for row in Rating.objects.filter(mode=mode)}
    assert alike({player: state for (_, player), state in found.states.items()}, lived)


@pytest.mark.django_db
@pytest.mark.parametrize("system", SYSTEMS)
def test_ends_of_seasons_reset_ratings_as_they_did(system):
    mode, hour = play_a_history(system), dt.timedelta(hours=1)
    for number, (factor, winner, loser) in enumerate([(0.5, "a", "b"), (0.8, "b", "d"), (0.3, "c", "a")], 1):
        end(mode, at=NOW + 2 * number * hour, reset=ResetRule(SOFT, factor))
        if number == 2:
            drop(mode, "c", "b", "lobby of season 3")
        then = NOW + (2 * number + 1) * hour
        record([winner], [loser], now=then, ended_at=then)
    found = replay_chunks(system_of(current_parameters(mode)), mode_history(mode, until=last_sequence(mode), size=2))
    lived = {}
    for row in Rating.objects.filter(mode=mode).order_by("season"):
        lived[str(row.player_id)] = row.state
    assert alike({player: state for (_, player), state in found.states.items()}, lived)


@pytest.mark.django_db
@pytest.mark.parametrize("system", SYSTEMS)
def test_players_begin_with_the_ratings_that_they_brought_along(system):
    mode, hour = play_a_history(system), dt.timedelta(hours=1)
    bring_along(mode, "d,,1150,,40\n", now=NOW)
    record(["d"], ["a"])
    end(mode, at=NOW + hour, reset=ResetRule(SOFT, 0.5))
    bring_along(mode, "a,,1200\nb,,1300\n", now=NOW + 2 * hour)
    record(["a"], ["b"], now=NOW + 3 * hour, ended_at=NOW + 3 * hour)
    found = replay_chunks(system_of(current_parameters(mode)), mode_history(mode, until=last_sequence(mode), size=2))
    lived = {str(row.player_id): row for row in Rating.objects.filter(mode=mode).order_by("season")}
    assert alike(
        {player: state for (_, player), state in found.states.items()},
        {player: row.state for player, row in lived.items()},
    )
    d = str(Player.objects.get(key="d").pk)
    assert found.matches["duel", d] == lived[d].known_matches == 41


@pytest.mark.django_db
def test_another_system_begins_with_equally_strong_ratings():
    mode = make_mode(system="elo", team_size_max=1)
    bring_along(mode, "a,,31.25\nb,,12\nc,,25\n")
    seeds = {str(row.player_id): row.state for row in Seed.objects.all()}
    old, new = get_system("elo"), get_system("trueskill")
    found = replay_chunks(new, mode_history(mode, until=last_sequence(mode), size=10))
    assert {player: state for (_, player), state in found.states.items()} == {
        player: new.to_state(convert_skill(old.from_state(state), old, new)) for player, state in seeds.items()
    }


@pytest.mark.django_db
def test_a_modes_history_is_read_in_chunks_of_four_queries(django_assert_num_queries):
    mode = play_a_history("elo")
    until = last_sequence(mode)
    assert count_matches(mode, until) == 6
    for size, queries in ((6, 8), (2, 16)):
        with django_assert_num_queries(queries):
            chunks = list(mode_history(mode, until=until, size=size))
        assert [sum(not past.dropper for past in chunk) for chunk in chunks] == [*[size] * (6 // size), 0]
        assert sum(bool(past.dropper) for chunk in chunks for past in chunk) == 2
    first = next(mode_history(mode, until=until, size=1))[0]
    assert count_matches(mode, until - 1) in (5, 6)
    assert first.where.startswith("match ")


@pytest.mark.django_db
def test_void_matches_are_no_history():
    mode = play_a_history("elo")
    until = last_sequence(mode)
    void([Match.objects.filter(mode=mode).order_by("event").first()], by=None, reason="Cheated.", now=NOW)
    read = [past for chunk in mode_history(mode, until=until, size=2) for past in chunk if not past.dropper]
    assert len(read) == count_matches(mode, until) == 5


@pytest.mark.django_db
def test_a_modes_history_is_evaluated():
    play_a_history("elo")
    (found,) = evaluate("--mode", "duel", "--system", "elo")
    assert (found["matches"], found["decided"]) == (6, 5)


@pytest.mark.django_db
def test_a_modes_own_system_is_evaluated_with_its_parameters():
    make_mode(params={"alpha": 5})
    record(["a"], ["b"])
    record(["a"], ["b"])
    strong = evaluate("--mode", "duel", "--system", "elo")[0]["log_loss"]
    assert strong < 0.5  # 0.6594 by the default


def test_a_picture(write, tmp_path):
    run(write(line(1), line(2)), "--plot", tmp_path / "plot.svg", "--system", "elo", "trueskill")
    picture = (tmp_path / "plot.svg").read_text()
    assert picture.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert picture.count('role="img"') == 2


PUBLISHED = [
    ("halo2-head-to-head", "trueskill", 4_028, 32.91),
    ("halo2-large-team", "trueskill", 600, 36.99),
    ("halo2-head-to-head", "elo", 4_028, 33.81),
    ("halo2-large-team", "elo", 600, 38.16),
    ("halo2-head-to-head", "margin", 4028, 31.40),
    ("halo2-head-to-head", "margin:practice_in_defeat=true", 4028, 31.03),
    ("halo2-large-team", "margin", 600, 35.03),
    ("halo2-large-team", "margin:impact_stat=score", 600, 31.12),
]


@pytest.mark.parametrize(("name", "system", "matches", "error"), PUBLISHED)
def test_known_figures_of_real_histories(name, system, matches, error):
    path = DATA / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"{path.name} is not part of the product and not beside this checkout")
    (found,) = evaluate(path, "--system", system)
    assert found["matches"] == matches
    assert found["error"] == pytest.approx(error, abs=0.005)


def test_a_system_is_evaluated_with_parameters(write):
    path = write(line(1), line(2, "b", "a"), line(3))
    plain, faster = evaluate(path, "--system", "elo", "elo:alpha=0.3")
    assert (plain["system"], faster["system"]) == ("elo", "elo:alpha=0.3")
    assert plain["log_loss"] != faster["log_loss"]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("elo:alpha", "elo: give parameters as name=value, and 'alpha' isn't."),
        ("elo:alpha=much", "elo: parameter alpha must be a number, not 'much'."),
        ("elk:alpha=1", f"There is no rating system 'elk'; choose one of {', '.join(SYSTEMS)}."),
    ],
)
def test_parameters_that_are_refused(write, asked, sentence):
    with pytest.raises(CommandError, match=re.escape(sentence)) as refused:
        evaluate(write(line(1)), "--system", asked)
    assert refused.value.returncode == 2


@pytest.mark.django_db
def test_a_history_that_cannot_be_read_ends_in_a_sentence():
    make_mode()
    record(["a"], ["b"])
    Participation.objects.filter(player__key="b").delete()  # as nothing but a hand in the database does it
    with pytest.raises(CommandError, match=r"^A history can't hold match 0: .* or a team has none\.$") as refused:
        run("--mode", "duel", "--system", "elo")
    assert refused.value.returncode == 1
