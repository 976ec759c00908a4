"""The end of a season survives kill -9 in each of its phases, while results come in and people look at boards."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest

from tests.support.dying_ends import PHASES
from tests.support.load import Load, check_nothing_lost_or_doubled
from tests.support.paths import ROOT
from tests.support.servers import wait_until

pytestmark = pytest.mark.faults

KILLS = int(os.environ.get("PHASE_KILLS") or 5)  # a phase

SEASONS = """
import json
from django.db.models import Count
from ranking.models import Change, Event, Match, Season, Snapshot
archived = Season.objects.filter(current=False)
resets = Change.objects.live().filter(kind=Change.RESET)
print(json.dumps({
    "archived": archived.count(),
    "ends": Event.objects.filter(kind=Event.SEASON_END).count(),
    "final": sorted(Snapshot.objects.filter(final=True, region="").values_list("season__number", flat=True)),
    "sealed": archived.exclude(checksum="").count(),
    "current": list(Season.objects.filter(current=True).values_list("number", "state")),
    "reset": resets.count(),
    "reset twice": resets.values("player", "season").annotate(n=Count("pk")).filter(n__gt=1).count(),
    "waiting": Match.objects.filter(event=None).count(),
}))
"""


class Visitor:
    """Somebody who looks at the boards of the first and the current season all the while; `answers`: the statuses."""

    def __init__(self, site):
        self.site, self.answers = site, []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _look(self):
        while not self._stop.is_set():
            for address in ("/boards/duel/", "/boards/duel/?season=1", "/api/v1/boards/duel/"):
                self.answers.append(self.site.get(address)[0])
            time.sleep(0.05)


def die_in_each_phase(site, times):
    command = [sys.executable, "-m", "tests.support.dying_ends", "duel", str(times)]
    program = subprocess.run(command, cwd=ROOT, env=site.environment, capture_output=True, text=True, check=False)
    assert program.returncode == 0, program.stdout + program.stderr
    return json.loads(program.stdout)


def test_an_end_killed_in_each_phase_under_load(site):
    begun = time.monotonic()
    with Load(site, "ended", pause=0.1) as load, Visitor(site) as visitor:
        assert wait_until(lambda: 201 in list(load.answers.values()))
        died = die_in_each_phase(site, KILLS)
        while 202 not in list(load.answers.values()) and time.monotonic() - begun < 600:
            die_in_each_phase(site, 1)  # on a quick machine an end may be over before a result comes
    sys.stdout.write(f"{died} in {time.monotonic() - begun:.0f} s, {len(visitor.answers)} pages\n")
    assert all(died[phase] >= KILLS for phase in PHASES)
    assert set(visitor.answers) == {200}
    assert 202 in load.answers.values()
    check_nothing_lost_or_doubled(site, load)
    found = json.loads(site.shell(SEASONS))
    ended = found["archived"]
    assert found == {
        "archived": ended, "ends": ended, "final": list(range(1, ended + 1)), "sealed": ended,
        "current": [[ended + 1, "running"]], "reset": found["reset"], "reset twice": 0, "waiting": 0,
    }  # fmt: skip
    assert ended >= KILLS
    assert found["reset"] > 0
