"""Celery's worker and beat, which touch the file of config/processes/liveness.py. Settings name these two classes."""

from typing import Any

from celery import beat
from celery.worker.consumer import consumer
from kombu import Connection

from config.processes.liveness import kept_alive, touch


class Consumer(consumer.Consumer):
    """The main loop of a worker. While it runs, `heartbeat_sent` comes every two seconds: config/celery.py."""

    def ensure_connected(self, conn: Connection) -> Connection:
        with kept_alive():
            return super().ensure_connected(conn)


class Scheduler(beat.Scheduler):
    """Beat without a file of its own: every job is due after a start."""

    def tick(self, *args: Any, **options: Any) -> float:
        """Send the message that is due, if one is; return the seconds until the next one."""
        touch()
        return super().tick(*args, **options)
