"""An import of ratings survives kill -9 at any moment, while results come in: the next run goes on with it."""

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


def die_in_the_middle(site, file, writes):
    command = [sys.executable, "-m", "tests.support.dying_imports", "duel", str(file), str(writes)]
    program = subprocess.run(command, cwd=ROOT, env=site.environment, capture_output=True, text=True, check=False)
    assert program.returncode == -signal.SIGKILL, program.stdout + program.stderr
    return written(site)


def test_an_import_killed_under_load_goes_on(site, tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text("".join(f"brought-{number},,{800 + number % 1000}.5\n" for number in range(LINES)))
    with Load(site, "beside", pause=0.1) as load:
        done = [die_in_the_middle(site, file, MOST_WRITES)]
        done += [die_in_the_middle(site, file, random.randint(1, MOST_WRITES)) for _ in range(KILLS - 1)]
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
