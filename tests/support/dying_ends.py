"""`python -m tests.support.dying_ends MODE TIMES`: ends a mode's season again and again, and dies in each phase of it.

Each try is a process of its own, which kills itself at a random statement of its phase, or right after the phase.
Prints, as JSON, how many processes died in each phase. Wants a site's environment.
"""

import functools
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import django

PHASES = ("_take_due", "rate_recorded", "publish_ending", "publish_final", "_open_next", "finish_run", "seal")
STATEMENTS = 10  # of a phase, among which the one is drawn that isn't reached
APART = 0.3  # seconds between two seasons, in which results come in


def die(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dying(phase: Callable[..., Any], after: int) -> Callable[..., Any]:
    """The phase, in which the process dies after this many statements, or at its end."""
    from django.db import connection

    left = iter(range(after, -1, -1))

    def count(execute: Callable[..., Any], *statement: Any) -> Any:
        return execute(*statement) if next(left) else die()

    @functools.wraps(phase)
    def run(*args: Any, **more: Any) -> None:
        with connection.execute_wrapper(count):
            phase(*args, **more)
            die()

    return run


def try_to_end(slug: str, phase: str = "") -> bool:
    """End the mode's season in a new process; True if it died in the phase."""
    from django.db import connections

    from ranking.models import Mode
    from ranking.seasons import ending

    connections.close_all()
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    if phase:
        setattr(ending, phase, dying(getattr(ending, phase), random.randrange(STATEMENTS)))
    ending.end_season(Mode.objects.get(slug=slug))
    os._exit(0)


def end_and_die(slug: str, times: int, died: Counter[str]) -> None:
    """End the current season by a process for each phase that too few have died in, and a last one that lives."""
    from django.utils import timezone

    from ranking.models import Mode, Rerating, Season
    from ranking.seasons.dates import EndRequest, request_end
    from ranking.systems.base import SOFT, ResetRule

    mode = Mode.objects.get(slug=slug)
    request = EndRequest(ResetRule(SOFT, 0.5), skip_late=True)
    request_end(mode, request, by=None, reason="to die meanwhile", now=timezone.now())
    running = Rerating.objects.filter(mode=mode, state=Rerating.RUNNING)
    for phase in [phase for phase in PHASES if died[phase] < times]:
        died[phase] += try_to_end(slug, phase)
        running.update(claimed_until=timezone.now())  # the next needn't wait until the lease of the dead one is over
    try_to_end(slug)
    while running.exists() or Season.objects.filter(mode=mode, current=False, checksum="").exists():
        time.sleep(0.1)  # the site's own jobs were quicker


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    slug, times = sys.argv[1], int(sys.argv[2])
    died = Counter(dict.fromkeys(PHASES, 0))
    for _ in range(4 * times):  # the site's own jobs go through some of the phases
        if min(died[phase] for phase in PHASES) >= times:
            break
        end_and_die(slug, times, died)
        time.sleep(APART)
    sys.stdout.write(json.dumps(died))


if __name__ == "__main__":
    main()
