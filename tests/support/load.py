"""Results that game servers send to a running site, and what it has recorded."""

import itertools
import json
import random
import threading
import time

from tests.support.sites import report

CLIENTS = 4
TAKEN = (200, 201, 202)  # the answers to results that are recorded


class Load:
    """Game servers that send results until told to stop; `answers` has the last answer to each.

    `pause`: seconds between two results of one server.
    """

    def __init__(self, site, name, pause=0.05):
        self.site, self.name, self.pause = site, name, pause
        self.reports, self.answers = {}, {}
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._send, args=(number,)) for number in range(CLIENTS)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _send(self, client):
        rng = random.Random(client)
        for number in itertools.count():
            if self._stop.is_set():
                return
            winner, loser = rng.sample(range(40), 2)
            made = report(f"{self.name}-{client}-{number}", f"player-{winner}", f"player-{loser}")
            self.reports[made["id"]] = made
            self.answers[made["id"]] = self.site.post_result(made)
            time.sleep(self.pause if self.answers[made["id"]] else 0.05)

    def unanswered(self):
        return [self.reports[name] for name, status in self.answers.items() if status not in TAKEN]


RECORDED = """
import json
from ranking.models import Match
print(json.dumps(list(Match.objects.values_list("external_id", flat=True))))
"""


def check_nothing_lost_or_doubled(site, load):
    """Everything answered is there; what wasn't is recorded now or was already; each is there once."""
    answered = {name for name, status in load.answers.items() if status in TAKEN}
    assert set(load.answers.values()) <= {0, 503, *TAKEN}
    recorded = json.loads(site.shell(RECORDED))
    assert answered <= set(recorded)
    assert site.send_again(load.unanswered()) <= {200, 201}
    recorded = json.loads(site.shell(RECORDED))
    assert sorted(name for name in recorded if name.startswith(f"{load.name}-")) == sorted(load.reports)
    assert site.manage("doctor").splitlines()[-1] == "All is well."  # hints of alike matches come before
