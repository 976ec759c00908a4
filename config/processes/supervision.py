"""Supervision: a child process ends when the process that started it ends."""

import os
import threading
import time


def exit_with_parent(parent: int | None = None, interval: float = 0.5) -> None:
    """End this process as soon as its parent has ended, in whatever way.

    A thread polls the parent's id, which is portable; a parent killed with SIGKILL can't tell its children.
    `parent`: the id of the process that started this one, which may have ended already; default: the present parent.
    """
    expected = os.getppid() if parent is None else parent

    def watch() -> None:
        while os.getppid() == expected:
            time.sleep(interval)
        os._exit(1)

    threading.Thread(target=watch, name="exit-with-parent", daemon=True).start()


def exit_with_supervisor() -> None:
    """End with the process whose id RUNGS_SUPERVISED holds, the parent; without it, nothing happens.

    `manage.py serve` sets it for its children. Child processes of this one end with this one in any case.
    """
    parent = int(os.environ.get("RUNGS_SUPERVISED") or 0)
    if parent and parent != os.getpid():  # it is this process's own id if a worker's pool has no processes
        exit_with_parent(parent)
    os.environ["RUNGS_SUPERVISED"] = str(os.getpid())
