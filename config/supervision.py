"""A process that must not outlive the one that started it."""

import os
import threading
import time


def exit_with_parent(interval: float = 0.5) -> None:
    """End this process at once when its parent dies, however it dies.

    Asking for the parent's id is portable; a supervisor killed with -9 can't tell its children itself.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(interval)
        os._exit(1)

    threading.Thread(target=watch, name="exit-with-parent", daemon=True).start()
