"""Tracebacks as text: without the values of variables, without secrets, and not longer than a page.

Values of variables are left out, because they hold passwords and keys. A longer text is cut in its middle: a traceback
begins with where the work came from and ends with the error.
"""

import sys
import threading
import traceback
from collections.abc import Callable
from types import TracebackType

MOST_CHARACTERS = 6_000
CUT = " … [cut here] … "
_READ_FOR_EACH_KEPT = 4  # characters that are searched for secrets, so that a huge message costs little

Redact = Callable[[str], str]


def format_exception(error: BaseException, redact: Redact) -> str:
    """Return the traceback of an exception and of its causes."""
    text = "".join(traceback.TracebackException.from_exception(error, capture_locals=False).format())
    return shorten(text.rstrip("\n"), redact)


def shorten(text: str, redact: Redact, most: int = MOST_CHARACTERS) -> str:
    """Return the text without secrets, of at most `most` characters.

    A secret that the first cut splits lies in the middle, so the second cut removes its halves.
    """
    return cut_middle(redact(cut_middle(text, _READ_FOR_EACH_KEPT * most)), most)


def cut_middle(text: str, most: int) -> str:
    """Return the text, or its beginning and end with a note between them."""
    if len(text) <= most:
        return text
    kept = max(0, most - len(CUT))
    return text[: kept - kept // 2] + CUT + text[len(text) - kept // 2 :]


def print_uncaught(redact: Redact) -> None:
    """Print the exceptions that end a process or a thread of it in the same way."""

    def in_process(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if isinstance(error, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        sys.stderr.write(format_exception(error.with_traceback(trace), redact) + "\n")

    def in_thread(event: threading.ExceptHookArgs) -> None:
        if event.exc_value is not None and not isinstance(event.exc_value, SystemExit):
            name = event.thread.name if event.thread else "unknown"
            sys.stderr.write(f"Exception in thread {name}:\n{format_exception(event.exc_value, redact)}\n")

    sys.excepthook, threading.excepthook = in_process, in_thread
