"""What the site would log, caught in this process: the settings' own formatter, writing to memory."""

import io
import logging
import logging.config
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import structlog

from config.observability.logs import logging_config
from config.observability.redaction import Redactor


@contextmanager
def caught_logs(*, json: bool, secrets: Iterable[str] = (), level: str = "INFO") -> Iterator[io.StringIO]:
    """All that is logged meanwhile; `secrets` are those that the settings would know."""
    structlog.contextvars.clear_contextvars()
    text = io.StringIO()
    before = structlog.get_config()
    config = logging_config(json=json, level=level, redact=Redactor(secrets))
    described = config["formatters"]["line"]
    formatter = described.pop("()")(**described)
    handler = logging.StreamHandler(text)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield text
    finally:
        root.removeHandler(handler)
        structlog.configure(**before)
