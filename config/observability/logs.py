"""Configuration of logs: one line an event, as JSON in the scaled profile, as plain text in the embedded one.

Everything goes through the standard library's loggers, so lines of libraries look like ours. Each line holds what is
bound to the request: its id, and the match that it is about.
"""

from typing import Any

import structlog
from structlog.typing import Processor

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def logging_config(*, json: bool, level: str) -> dict[str, Any]:
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
    last: list[Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if json:
        last += [structlog.processors.dict_tracebacks, structlog.processors.JSONRenderer()]
    else:
        plain = structlog.dev.plain_traceback  # rich would print the values of variables
        last += [structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0, exception_formatter=plain)]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": [*shared, structlog.stdlib.ExtraAdder()],
                "processors": last,
            }
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            # Without Django's own handler, which prints only while debugging. Its line for each 4xx repeats our
            # line about the request.
            "django": {"handlers": [], "propagate": True},
            "django.request": {"level": "ERROR"},
            "_granian": {"handlers": [], "propagate": True},
            # Warnings about a pipeline after an error, which is raised anyway.
            "psycopg": {"level": "ERROR"},
            # They log a line for each message that a worker receives, and each that it has done.
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.app.trace": {"level": "WARNING"},
            "celery.beat": {"level": "WARNING"},
        },
    }
