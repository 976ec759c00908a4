"""Logs: one line an event. JSON in the scaled profile, readable lines in the embedded one.

Everything goes through the standard library's loggers, so that libraries' lines look like ours; what is bound
to the request (its id, the match it is about) stands in each.
"""

from typing import Any

import structlog
from structlog.typing import Processor

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def logging_config(*, json: bool, level: str) -> dict[str, Any]:
    """Django's LOGGING; also makes structlog's own loggers end there."""
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
        plain = structlog.dev.plain_traceback  # rich prints what variables hold
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
            # Django's own handler prints only while debugging; its line for each 4xx repeats the request's.
            "django": {"handlers": [], "propagate": True},
            "django.request": {"level": "ERROR"},
            "_granian": {"handlers": [], "propagate": True},
            # What follows in a pipeline from an error that is raised anyway.
            "psycopg": {"level": "ERROR"},
            # A line for each message that a worker receives and each that it has done.
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.app.trace": {"level": "WARNING"},
            "celery.beat": {"level": "WARNING"},
        },
    }
