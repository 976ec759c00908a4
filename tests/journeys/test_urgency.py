"""A long job that doesn't end holds up neither matches nor boards, and its process ends when it has nothing to do."""

import os
import signal

import pytest
from django.conf import settings

from config.celery import LONG
from tests.support.servers import SCALED, wait_until
from tests.support.sites import report

pytestmark = pytest.mark.faults

LONG_ONES = 1 + settings.CELERY_WORKER_CONCURRENCY if SCALED else 1  # a worker and its pool

QUEUE_TWO = """
from django.utils import timezone
from matchmaking.models import Queue
from matchmaking.queues.queueing import queue_player
from ranking.models import Mode, Player
queue = Queue.objects.create(mode=Mode.objects.get(slug="duel"), team_size=1)
for key in ("urgent-1", "urgent-2"):
    player = Player.objects.create(key=key, name=key, search_name=key, created_at=timezone.now())
    queue_player(player, queue, now=timezone.now())
"""
SETTLED = """
from ranking.models import JobRun
print({"find-doubled-matches", "drop-old-tickets"} <= set(JobRun.objects.values_list("task", flat=True)))
"""
FORMED = "from matchmaking.models import Lobby; print(Lobby.objects.count())"


def long_processes(site):
    return site.processes("worker" if SCALED else "jobs", LONG)


def niceness(process):
    return os.getpriority(os.PRIO_PROCESS, process)


def test_ticks_and_boards_go_on_while_long_jobs_hang(fresh_site):
    assert wait_until(lambda: [niceness(process) for process in long_processes(fresh_site)] == [19] * LONG_ONES, 90)
    # What is due at the start is over: a process that is stopped while it writes would keep SQLite's lock.
    assert wait_until(lambda: fresh_site.shell(SETTLED) == "True", 180)
    held = long_processes(fresh_site)
    urgent = [process for process in fresh_site.processes() if process not in held]
    assert {niceness(process) for process in urgent} == {niceness(os.getpid())}
    for process in held:
        os.kill(process, signal.SIGSTOP)
    assert fresh_site.post_result(report("urgent", "Kestrel", "Wren")) == 201
    fresh_site.shell(QUEUE_TWO)
    assert wait_until(lambda: fresh_site.shell(FORMED) == "1")
    assert wait_until(lambda: "Kestrel" in fresh_site.get("/boards/duel/")[1])
    assert long_processes(fresh_site) == held


@pytest.mark.skipif(SCALED, reason="of the embedded profile")
def test_the_process_of_long_jobs_comes_with_work_and_ends_a_minute_after_it(fresh_site):
    assert wait_until(lambda: len(long_processes(fresh_site)) == 1, 90)
    first = long_processes(fresh_site)
    assert wait_until(lambda: long_processes(fresh_site) == [], 120)
    assert fresh_site.post_result(report("rerated", "Kestrel", "Wren")) == 201
    fresh_site.manage("shell", "--no-imports", "-v0", "-c", (
        "from django.utils import timezone; from ranking.models import Mode;"
        "from ranking.rerating.reratings import request_rerating;"
        "request_rerating(Mode.objects.get(slug='duel'), reason='test', now=timezone.now())"
    ))  # fmt: skip
    assert wait_until(lambda: len(long_processes(fresh_site)) == 1)
    assert long_processes(fresh_site) != first
    done = "from ranking.models import Rerating; print(Rerating.objects.get().state)"
    assert wait_until(lambda: fresh_site.shell(done) == "done")


@pytest.mark.skipif(SCALED, reason="of the embedded profile")
def test_a_process_of_long_jobs_that_is_killed_is_started_again(fresh_site):
    assert wait_until(lambda: len(long_processes(fresh_site)) == 1, 90)
    (killed,) = long_processes(fresh_site)
    os.kill(killed, signal.SIGKILL)
    assert fresh_site.post_result(report("again", "Kestrel", "Wren")) == 201
    fresh_site.shell(
        "from django.utils import timezone; from ranking.models import Mode;"
        "from ranking.trials.runs import ask_for_evaluation;"
        "ask_for_evaluation(Mode.objects.get(slug='duel'), [], by=None, now=timezone.now())"
    )
    assert wait_until(lambda: long_processes(fresh_site) not in ([], [killed]))
    assert fresh_site.process.poll() is None
