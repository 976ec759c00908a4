"""Imports of ratings and of results survive kill -9 at any moment: the next run goes on with them."""

import datetime as dt
import json
import os
import random
import signal
import subprocess
import sys

import pytest

from tests.support.load import Load, check_nothing_lost_or_doubled
from tests.support.paths import ROOT

pytestmark = pytest.mark.faults

KILLS = int(os.environ.get("IMPORT_KILLS") or 5)
BATCH, MOST_WRITES = 1_000, 8  # lines of a batch; more writes than a batch sends, less than three do
LINES = (3 * KILLS + 1) * BATCH

IMPORTED = """
import json
from ranking.models import Change, Event, Player, Rating, Seed
print(json.dumps([
    Player.objects.filter(key__startswith="brought-").count(),
    Seed.objects.count(),
    Event.objects.filter(kind=Event.SEED).count(),
    Change.objects.filter(kind=Change.SEED).count(),
    Rating.objects.filter(player__key__startswith="brought-").count(),
]))
"""


def written(site):
    counts = json.loads(site.shell(IMPORTED))
    assert len(set(counts)) == 1  # a batch is there whole or not at all
    return counts[0]


def die_in_the_middle(site, writes, *command):
    run = [sys.executable, "-m", "tests.support.dying_imports", str(writes), *command]
    program = subprocess.run(run, cwd=ROOT, env=site.environment, capture_output=True, text=True, check=False)
    assert program.returncode == -signal.SIGKILL, program.stdout + program.stderr


def test_an_import_killed_under_load_goes_on(site, tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text("".join(f"brought-{number},,{800 + number % 1000}.5\n" for number in range(LINES)))
    with Load(site, "beside", pause=0.1) as load:
        done = []
        for writes in [MOST_WRITES, *(random.randint(1, MOST_WRITES) for _ in range(KILLS - 1))]:
            die_in_the_middle(site, writes, "import_ratings", "duel", str(file))
            done.append(written(site))
        said = site.manage("import_ratings", "duel", str(file))
    sys.stdout.write(f"killed at {done} of {LINES} lines\n")
    assert done == sorted(done)
    assert 0 < done[0] <= done[-1] < LINES
    assert said == f"{LINES - done[-1]:,} brought along, {done[-1]:,} known already.\n"
    assert written(site) == LINES
    assert site.manage("import_ratings", "duel", str(file)) == f"0 brought along, {LINES:,} known already.\n"
    assert written(site) == LINES
    check_nothing_lost_or_doubled(site, load)


def test_a_bad_line_is_named_and_nothing_written(site, tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text("other-1,,1000\nother-2,,many\n")
    before = written(site)
    assert site.manage("import_ratings", "duel", str(file), code=1) == (
        f"{file}, line 2: rating is a number such as 1520.5, not 'many'.\n"
        "CommandError: Nothing was written: 1 line can't be brought along.\n"
    )
    assert written(site) == before


RESULTS, MOST_RESULT_WRITES = (3 * KILLS + 1) * 100, 25  # of which a batch of a hundred sends more than ten
HISTORY = """
import json
from ranking.models import Match, Rating
matches = Match.objects.filter(mode__slug="{slug}").order_by("event")
print(json.dumps([
    [[str(each.ended_at), each.late, [team["score"] for team in each.teams]] for each in matches],
    sorted(Rating.objects.filter(mode__slug="{slug}").values_list("player__key", "display_hundredths", "wins")),
]))
"""


def history(site, slug):
    """Its matches in the order in which they were rated, and the ratings."""
    return json.loads(site.shell(HISTORY.format(slug=slug)))


def test_a_table_of_results_killed_half_way_goes_on_in_the_order_of_time(site, tmp_path):
    """Without ids, with days alone, in no order."""
    lot, file = random.Random(7), tmp_path / "table.csv"
    days = [dt.date(2025, 1, 1) + dt.timedelta(days=lot.randrange(90)) for _ in range(RESULTS)]
    rows = [f"knot-{lot.randrange(5)},knot-{5 + lot.randrange(5)},{lot.randrange(3)},1,{day}\n" for day in days]
    file.write_text("player1,player2,score1,score2,date\n" + "".join(rows))
    broken = ["import_matches", str(file), "--mode", "broken", "--create-mode", "elo"]
    counts = []
    for writes in [MOST_RESULT_WRITES, *(random.randint(1, MOST_RESULT_WRITES) for _ in range(KILLS - 1))]:
        die_in_the_middle(site, writes, *broken)
        counts.append(len(history(site, "broken")[0]))
    sys.stdout.write(f"killed at {counts} of {RESULTS} results\n")
    assert counts == sorted(counts)
    assert counts[-1] < RESULTS
    known = counts[-1]
    assert f"{RESULTS - known:,} rated, {known:,} known already, 0 in conflict, 0 refused." in site.manage(*broken)
    site.manage("import_matches", str(file), "--mode", "whole", "--create-mode", "elo")
    assert history(site, "broken") == history(site, "whole")
    assert not any(late for _, late, _ in history(site, "broken")[0])
    assert site.manage("doctor").splitlines()[-1] == "All is well."
