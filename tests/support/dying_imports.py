"""`python -m tests.support.dying_imports WRITES COMMAND …`: imports by a command, and dies instead of that write.

The process kills itself when it would send so many statements that write. Wants a site's environment.
"""

import itertools
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import django

WRITING = ("INSERT", "WITH RECURSIVE")


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.core.management import call_command
    from django.db import connection

    writes, command = int(sys.argv[1]), sys.argv[2:]
    sent = itertools.count(1)

    def count(execute: Callable[..., Any], statement: str, *more: Any) -> Any:
        if statement.startswith(WRITING) and next(sent) == writes:
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(statement, *more)

    with connection.execute_wrapper(count):
        call_command(*command)


if __name__ == "__main__":
    main()
