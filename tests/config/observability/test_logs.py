"""Lines of logs: no values of variables, no secrets, bounded."""

import json
import logging
from itertools import product

import pytest
import structlog

from config.observability.logs import MOST_BYTES, logging_config
from config.observability.redaction import Redactor
from config.observability.tracebacks import CUT
from tests.support.log_lines import caught_logs

SECRET = ("pw", "in", "a", "variable")  # joined at work, so that no line of the source has it

log = logging.getLogger("rungs.test")


def fail(password: str) -> None:
    inner = {"password": password}
    raise RuntimeError(f"no answer after {len(inner)} attempt")


def fail_deep(depth: int) -> None:
    if depth:
        return fail_deep_too(depth - 1)
    raise RuntimeError("the error itself")


def fail_deep_too(depth: int) -> None:
    fail_deep(depth)


@pytest.mark.parametrize("as_json", [True, False])
def test_the_line_of_an_error_has_its_traceback_and_no_variables(as_json):
    with caught_logs(json=as_json) as text:
        try:
            fail("-".join(SECRET))
        except RuntimeError:
            log.exception("It failed.")
    line = text.getvalue()
    assert "-".join(SECRET) not in line
    assert ("RuntimeError: no answer after 1 attempt" in line, "in fail" in line) == (True, True)


def test_a_line_is_bounded():
    messages = {"short": "short", "long": "x" * 1_000_000, "zeros": "\0" * 50_000, "newlines": "ä\n" * 30_000}
    cases, given = [*product(messages, (True, False))], {}
    for name, as_json in cases:
        fields = {f"field{number}": messages[name] for number in range(40)}
        with caught_logs(json=as_json) as text:
            try:
                fail_deep(300)
            except RuntimeError as error:
                error.add_note(messages[name])
                structlog.get_logger("rungs.test").error(messages[name], exc_info=True, **fields)
        line = text.getvalue().removesuffix("\n")
        is_cut = CUT.strip() in (json.loads(line)["exception"] if as_json else line)
        given[name, as_json] = (len(line.encode()) <= MOST_BYTES, is_cut)
    assert given == dict.fromkeys(cases, (True, True))


def test_a_long_traceback_keeps_its_beginning_and_its_end():
    with caught_logs(json=True) as text:
        try:
            fail_deep(300)
        except RuntimeError:
            log.exception("It failed.")
    exception = json.loads(text.getvalue())["exception"]
    assert exception.startswith("Traceback (most recent call last):\n")
    assert exception.endswith("\nRuntimeError: the error itself")
    assert CUT in exception


@pytest.mark.parametrize("as_json", [True, False])
def test_what_libraries_attach_to_a_line_is_left_out(as_json):
    with caught_logs(json=as_json) as text:
        log.warning("Internal Server Error: %s", "/x/", extra={"request": "<WSGIRequest: GET '/x/?code=S3CRET'>"})
    assert ("/x/" in text.getvalue(), "S3CRET" in text.getvalue()) == (True, False)


def test_a_line_names_its_fields():
    with caught_logs(json=True) as text:
        structlog.get_logger("rungs.test").warning("cache_gone", reason="down", seconds=5.0, port=None)
    line = json.loads(text.getvalue())
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "cache_gone", "logger": "rungs.test", "level": "warning", "reason": "down",
                    "seconds": 5.0, "port": None}  # fmt: skip


def test_debug_lines_are_our_own_only():
    loggers = logging_config(json=True, level="DEBUG", redact=Redactor([]))
    assert loggers["root"]["level"] == "INFO"
    debugging = {name for name, logger in loggers["loggers"].items() if logger.get("level") == "DEBUG"}
    assert debugging == {"rungs", "config", "matchmaking", "leaderboards", "ranking"}
