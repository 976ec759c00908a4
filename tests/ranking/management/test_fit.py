"""`manage.py fit`: tables and JSON of files and modes, refusals as sentences, what --write stores."""

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from ranking.models import FitRun
from ranking.modes.parameters import changed_params, current_parameters
from ranking.trials.core.fits import Fits
from tests.support.factories import make_mode
from tests.support.fit_histories import duel_lines, play_duels, played_by_elo

pytestmark = pytest.mark.django_db
HISTORY = played_by_elo(0.35, np.random.default_rng(1), 1_300, 60)
AS_IT_IS = played_by_elo(0.07, np.random.default_rng(2), 1_300, 60)


def run(*arguments):
    out = StringIO()
    call_command("fit", *map(str, arguments), stdout=out)
    return out.getvalue()


def status(*arguments):
    with pytest.raises(CommandError) as refused:
        run(*arguments)
    return refused.value.returncode, str(refused.value)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "duels.jsonl"
    path.write_text("\n".join(duel_lines(HISTORY)))
    return path


@pytest.fixture
def mode():
    mode = make_mode(team_size_max=1)
    play_duels(mode, HISTORY)
    return mode


def test_a_table_for_each_system_and_a_ranking(file, capsys):
    text = run("duel", "--matches", file, "--system", "elo", "trueskill")
    assert "1,300 matches, of which 434 decided ones are held out" in capsys.readouterr().err
    assert "alpha         0.07" in text
    assert "gain +0.0" in text
    assert "elo, fitted" in text
    assert "no longer a fair test; 0 fits are stored for this mode so far" in text


def test_files_and_the_mode_give_the_same_numbers(file, mode):
    of_file = json.loads(run("duel", "--matches", file, "--system", "elo", "--json"))
    of_mode = json.loads(run("duel", "--json"))
    for result in (*of_file["results"], *of_mode["results"]):
        del result["over_time"]
    assert of_file["results"] == of_mode["results"]


def test_writing_stores_a_candidate_and_changes_nothing_else(mode):
    run("duel", "--write")
    stored = FitRun.objects.get()
    assert (stored.state, stored.results[0]["recommended"], stored.used) == ("done", True, [])
    assert changed_params(current_parameters(mode)) == {}
    assert "1 fit is stored" in run("duel")


def test_what_is_not_recommended_is_written_only_if_it_is_wanted_anyway(capsys):
    play_duels(make_mode(team_size_max=1), AS_IT_IS)
    assert "keep the defaults" in run("duel")
    returncode, message = status("duel", "--write")
    assert (returncode, "--anyway" in message) == (1, True)
    assert FitRun.objects.count() == 0
    run("duel", "--write", "--anyway")
    assert FitRun.objects.get().results[0]["recommended"] is False


def test_breaking_off_prints_the_best_so_far(file, monkeypatch, capsys):
    steps = Fits.run

    def broken_off(fits):
        for number, step in enumerate(steps(fits)):
            if number == 60:
                raise KeyboardInterrupt
            yield step

    monkeypatch.setattr(Fits, "run", broken_off)
    out = StringIO()
    with pytest.raises(CommandError, match=r"Broken off\."):
        call_command("fit", "duel", "--matches", str(file), "--system", "trueskill", stdout=out)
    assert "the best so far, not judged" in out.getvalue()
    assert "temperature" in out.getvalue()


def test_the_last_matches_and_the_first_parameters_alone(file):
    answer = json.loads(run("duel", "--matches", file, "--system", "margin", "--max", 1, "--limit", 1_250, "--json"))
    result = answer["results"][0]
    assert (result["matches"], [row["name"] for row in result["rows"]]) == (1_250, ["sigma"])


REFUSED = [
    (["chess"], 2, "There is no mode 'chess'."),
    (["duel", "--system", "chess", "--matches", "FILE"], 2, "There is no rating system 'chess'; choose one of"),
    (["duel", "--system", "elo:beta=0", "--matches", "FILE"], 2, "elo: parameter beta must be greater than 0, not 0."),
    (["duel", "--matches", "no.jsonl"], 2, "no.jsonl: No such file or directory."),
    (["duo", "--matches", "FILE"], 1, "There is no match of duo in the files. They have matches of duel (1,300)."),
    (["duel", "--matches", "FILE", "--limit", "900"], 1, "A fit needs 400 decided matches in the last third of the"),
    (["duel", "--matches", "FILE", "--system", "team-ratio"], 1, "Not everything could be fitted; see above."),
    (["duel", "--matches", "FILE", "--write"], 2, "There is no mode 'duel'."),
]


@pytest.mark.parametrize(("arguments", "code", "sentence"), REFUSED)
def test_refusals_are_sentences(file, arguments, code, sentence):
    returncode, message = status(*(str(file) if argument == "FILE" else argument for argument in arguments))
    assert (returncode, message.startswith(sentence)) == (code, True), message
