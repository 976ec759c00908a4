"""Simulations as operators call them, and what they show."""

import io
import json
import os
import signal

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from matchmaking.simulation import charts, reports
from matchmaking.simulation._waits import PLAYED, STILL, Wait
from matchmaking.simulation.reports import wait_row
from matchmaking.simulation.run import Simulation
from matchmaking.simulation.scenarios import Scenario
from matchmaking.simulation.tables import table
from tests.support.evenings import simulate

QUICK = ("--online", "24", "--hours", "0.2", "--team-size", "2", "--match-minutes", "2", "--placement", "1")


def run(*options):
    out = io.StringIO()
    call_command("simulate", *options, stdout=out)
    return out.getvalue()


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_nobody_of_the_top_waits_ten_minutes_under_loose_filters(seed):
    report = simulate(Scenario(online=160, hours=1.2, from_hour=0.4, match_minutes=6.0, placement=2, seed=seed))
    rows = {row.of: row for row in report.waits}
    for of in ("percentile 99–100", "best 2 % by true skill"):
        assert rows[of].waits > 5
        assert rows[of].longest < 600


def test_strategies_stand_side_by_side(tmp_path):
    picture = tmp_path / "evening.svg"
    lines = run(*QUICK, "--strategy", "fifo", "skill", "--plot", str(picture)).splitlines()
    assert [cell.strip() for cell in lines[0].split("|")] == ["", "", "fifo", "skill", ""]
    assert len({len(line) for line in lines}) == 1
    assert run(*QUICK, "--strategy", "fifo", "skill").splitlines() == lines
    drawing = picture.read_text()
    assert drawing.count('class="plot"') == len(charts.HEADINGS)
    assert "script" not in drawing


def test_systems_stand_side_by_side():
    heading = run(*QUICK, "--system", "elo", "team-ratio").splitlines()[0]
    assert [cell.strip() for cell in heading.split("|")] == ["", "", "elo", "team-ratio", ""]


def test_everything_for_programs():
    [one] = json.loads(run(*QUICK, "--json"))
    report = simulate(Scenario(online=24, hours=0.2, team_size=2, match_minutes=2.0, placement=1))
    assert one == json.loads(json.dumps(report.as_json()))
    assert (one["hours"], one["scenario"]["online"], len(one["moments"])) == (0.2, 24, 12)


def test_free_for_all_has_no_favourites():
    report = simulate(
        Scenario(strategy="fifo", system="elo", online=60, hours=0.2, team_size=1, team_count=6, match_minutes=2.0)
    )
    assert report.matches > 5
    assert (report.quality.favourite, report.quality.truly, report.chances) == (None, None, ())
    assert [bool(drawn) for drawn in charts.charts([report])] == [True, True, True, False, True]
    assert "| favourite’s chance, truly " in table([report])


def test_it_can_be_stopped_and_reports_what_it_has(monkeypatch):
    play, ticks = Simulation.go_on, []

    def go_on(self):
        ticks.append(1)
        if len(ticks) == 50:
            os.kill(os.getpid(), signal.SIGINT)
        return play(self)

    monkeypatch.setattr(Simulation, "go_on", go_on)
    before, out = signal.getsignal(signal.SIGINT), io.StringIO()
    with pytest.raises(CommandError) as stopped:
        call_command("simulate", *QUICK, "--strategy", "fifo", "skill", "--json", stdout=out)
    assert (stopped.value.returncode, len(ticks)) == (1, 50)
    assert [one["hours"] for one in json.loads(out.getvalue())] == [pytest.approx(100 / 3600)]
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(("options", "sentence"), [
    (("--online", "3"), "3 players online never fill a match of 8."),
    (("--system", "chess"), "There is no rating system 'chess'"),
    ((*QUICK, "--system", "elo", "team-ratio", "trueskill", "--strategy", "fifo", "skill", "--plot", "a.svg"),
     "A picture shows 4 evenings at most, not 6."),
    ((*QUICK, "--plot", "/nowhere/a.svg"), "/nowhere/a.svg: No such file or directory."),
])  # fmt: skip
def test_refuses_in_a_sentence(options, sentence):
    with pytest.raises(CommandError) as refusal:
        run(*options)
    assert sentence in str(refusal.value)
    assert refusal.value.returncode == 2


def test_nearest_ranks(subtests):
    for seconds, row in [
        ([], (0, 0, None, None, None)),
        ([5.0], (1, 0, 5.0, 5.0, 5.0)),
        ([float(n) for n in range(1, 101)], (100, 0, 50.0, 95.0, 100.0)),
        ([4.0, 1.0, 3.0, 2.0], (4, 0, 2.0, 4.0, 4.0)),
    ]:  # fmt: skip
        with subtests.test(seconds=seconds, row=row):
            found = wait_row("x", [Wait(1, 50, 1, each, 0.0, PLAYED) for each in seconds])
            assert (found.waits, found.still, found.median, found.p95, found.longest) == row


def test_those_still_waiting_count_with_what_they_have_waited():
    found = wait_row("x", [Wait(1, 50, 1, 5.0, 0.0, PLAYED), Wait(2, 50, 1, 90.0, 0.0, STILL)])
    assert (found.waits, found.still, found.longest) == (2, 1, 90.0)


def test_percentiles_off():
    values = reports.np.array([1, 2, 2, 9])
    assert reports._percentiles(values).tolist() == [12.5, 50.0, 50.0, 87.5]
