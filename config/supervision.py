"""A process that must not outlive the one that started it."""

import os
import threading
import time


def exit_with_parent(parent: int | None = None, interval: float = 0.5) -> None:
    """End this process at once when its parent dies, however it dies.

    Asking for the parent's id is portable; a supervisor killed with -9 can't tell its children itself.
    `parent` is the id it was started by, which may be gone already; default: whoever is the parent now.
    """
    expected = os.getppid() if parent is None else parent

    def watch() -> None:
        while os.getppid() == expected:
            time.sleep(interval)
        os._exit(1)

    threading.Thread(target=watch, name="exit-with-parent", daemon=True).start()


def exit_with_supervisor() -> None:
    """Under `manage.py serve`, end with the parent; the processes that this one starts will end with this one.

    RUNGS_SUPERVISED holds the id of the process that started this one.
    """
    if parent := os.environ.get("RUNGS_SUPERVISED"):
        exit_with_parent(int(parent))
        os.environ["RUNGS_SUPERVISED"] = str(os.getpid())
