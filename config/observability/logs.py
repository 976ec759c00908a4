"""Configuration of logs: one line an event, as JSON in the scaled profile, as plain text in the embedded one.

Everything goes through the standard library's loggers, so lines of libraries look like ours. Each line holds what is
bound to the request: its id, and the match that it is about. A line holds no secrets, no values of variables, and at
most MOST_BYTES; what libraries attach to their lines (`extra`: whole requests, arguments of jobs) is left out.
"""

import sys

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from config.observability.redaction import Redactor
from config.observability.tracebacks import MOST_CHARACTERS, cut_middle, format_exception, shorten
from config.storage.poolers import cure_of

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
MOST_BYTES = 10_000  # of a line; a traceback in plain text counts as one
_OURS = ("rungs", "config", "matchmaking", "leaderboards", "ranking")
_MOST_FIELDS = 20
_MOST_CHARACTERS = {"exception": MOST_CHARACTERS, "event": 2_000}  # of a field
_MOST_OTHERWISE = 500
_DIVISORS = (1, 2, 4, 8, 16, 32)  # by which fields are shortened further, until the line is short enough


class _Readable:
    """Makes the fields of an event plain text without secrets: the exception becomes its traceback."""

    def __init__(self, redact: Redactor) -> None:
        self._redact = redact

    def __call__(self, logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
        error = event.pop("exc_info", None)
        if isinstance(error, tuple):
            error = error[1]
        elif error and not isinstance(error, BaseException):
            error = sys.exc_info()[1]
        fields = {key: self._plain(key, value) for key, value in list(event.items())[:_MOST_FIELDS]}
        if not error:
            return fields
        cure = cure_of(error)
        return {**fields, **({"cure": cure} if cure else {}), "exception": format_exception(error, self._redact)}

    def _plain(self, key: str, value: object) -> object:
        if value is None or isinstance(value, bool | int | float):
            return value
        return shorten(str(value), self._redact, _most_of(key))


class _Bounded:
    """Renders a line of at most MOST_BYTES."""

    def __init__(self, render: Processor) -> None:
        self._render = render

    def __call__(self, logger: WrappedLogger, name: str, event: EventDict) -> str:
        for divisor in _DIVISORS:
            line = self._render(logger, name, {key: _cut(key, value, divisor) for key, value in event.items()})
            text = line if isinstance(line, str) else str(line)
            if len(text.encode(errors="backslashreplace")) <= MOST_BYTES:
                break
        return text


def _most_of(key: str) -> int:
    return _MOST_CHARACTERS.get(key, _MOST_OTHERWISE)


def _cut(key: str, value: object, divisor: int) -> object:
    return cut_middle(value, _most_of(key) // divisor) if isinstance(value, str) else value


def logging_config(*, json: bool, level: str, redact: Redactor) -> dict[str, object]:
    """Return Django's LOGGING, and configure structlog to log through it."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    render: Processor = (
        structlog.processors.JSONRenderer() if json else structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)
    )
    last = [structlog.stdlib.ProcessorFormatter.remove_processors_meta, _Readable(redact), _Bounded(render)]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": shared,
                "processors": last,
            }
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": "INFO" if level == "DEBUG" else level},
        "loggers": {
            # DEBUG is for our own lines: libraries write parameters of SQL and addresses with keys in them.
            **{name: {"level": level} for name in _OURS},
            # Without Django's own handler, which prints only while debugging. Its line for each 4xx repeats our
            # line about the request.
            "django": {"handlers": [], "propagate": True},
            "django.request": {"level": "ERROR"},
            "_granian": {"handlers": [], "propagate": True},
            # They log a line for each message that a worker receives, and each that it has done.
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.worker.request": {"level": "WARNING"},  # dropped messages, which note_dropped counts and logs
            "celery.app.trace": {"level": "WARNING"},
            "celery.beat": {"level": "WARNING"},
        },
    }
