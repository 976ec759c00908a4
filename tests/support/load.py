"""Results that game servers send to a running site, and what it has recorded."""

import itertools
import random
import threading
import time

from tests.support.sites import report

CLIENTS = 4


class Load:
    """Game servers that send results until told to stop; `answers` has the last answer to each."""

    def __init__(self, site, name):
        self.site, self.name = site, name
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
            if not self.answers[made["id"]]:
                time.sleep(0.05)

    def unanswered(self):
        return [self.reports[name] for name, status in self.answers.items() if status not in (200, 201)]


RECORDED = """
import json
from ranking.models import Match
print(json.dumps(list(Match.objects.values_list("external_id", flat=True))))
"""
