"""Jobs done at once by threads, each with a database connection of its own."""

import threading
from concurrent.futures import ThreadPoolExecutor

from django.db import connection


def at_once(jobs, workers: int = 8) -> list:
    """What the jobs return, done by threads with a connection each, started together."""
    gate = threading.Barrier(min(workers, len(jobs)))
    waiting = threading.local()

    def run(job):
        if not getattr(waiting, "over", False):
            waiting.over = True
            gate.wait(30)
        return job()

    def closing(job):
        try:
            return run(job)
        finally:
            connection.close()

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(closing, jobs))
