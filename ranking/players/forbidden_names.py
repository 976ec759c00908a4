"""Names that this site forbids: those that hold a word of the file that RUNGS_FORBIDDEN_NAMES names. By default, none.

The file is read once in each process. One that can't be read forbids nothing, so that results are recorded all the
same; the site doesn't start with it (config/checks.py).
"""

from __future__ import annotations

import functools
import logging
from pathlib import Path

from django.conf import settings

from ranking.rules.forbidden_words import BadLine, ForbiddenWords
from ranking.rules.names import BadName, check_name

log = logging.getLogger(__name__)


def find_forbidden(name: str) -> str:
    """The line of the file that forbids the name; "" if none does."""
    path: str = settings.FORBIDDEN_NAMES
    return _find(path, name) if path else ""


def check_allowed(name: str) -> None:
    """Raise BadName for a name that nobody may have, on any site or on this one."""
    check_name(name)
    if word := find_forbidden(name):
        raise BadName(f"This site forbids names with {word!r}.")


def find_fault(path: str) -> str:
    """Why the file can't be read, in a sentence; "" if it can."""
    try:
        _read(path)
    except OSError as error:
        return f"{path} can't be read ({error.strerror})."
    except UnicodeDecodeError:
        return f"{path} isn't text in UTF-8."
    except BadLine as error:
        return f"{path}, {error}"
    return ""


@functools.lru_cache(maxsize=65_536)
def _find(path: str, name: str) -> str:
    return _words(path).find_in(name)


@functools.lru_cache(maxsize=4)
def _words(path: str) -> ForbiddenWords:
    try:
        return _read(path)
    except (OSError, UnicodeDecodeError, BadLine) as error:
        log.error("Forbidden words of names can't be read from %s: %s", path, error)
        return ForbiddenWords([])


def _read(path: str) -> ForbiddenWords:
    return ForbiddenWords(Path(path).read_text(encoding="utf-8-sig").splitlines())
