"""`manage.py rate`: the stateless calculator, which reads and writes JSON lines and needs no database."""

import json
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ranking.systems.calculation import rate_line

EXAMPLE = """\
a line:
  {"system": "team-ratio", "params": {}, "duration": 801, "teams": [
    {"place": 1, "players": [{"id": "a", "skill": {"rating": "21.84"}, "seconds": 801}]},
    {"place": 2, "players": [{"id": "b", "skill": null}]}]}

exit status: 0 every line was rated, 1 some were refused, 2 wrong usage or an unreadable file
"""


class Command(BaseCommand):
    help = "Rate matches and store nothing: a JSON object a line in, an answer a line out, in the same order."
    requires_system_checks = ()  # arithmetic needs no working site

    def add_arguments(self, parser: CommandParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EXAMPLE
        parser.add_argument("file", nargs="?", metavar="FILE", default="-", help="JSON lines; - is standard input")

    def handle(self, *, file: str, **options: object) -> None:
        name = "standard input" if file == "-" else file
        try:
            with _open(file) as lines:
                count, failed, first = self._answer(lines)
        except OSError as error:
            raise CommandError(f"{name} can't be read: {error.strerror or error}", returncode=2) from error
        if failed:
            raise CommandError(f"{failed} of {count} lines were refused, the first is line {first} of {name}.")

    def _answer(self, lines: Iterable[bytes]) -> tuple[int, int, int]:
        """Answer each line that isn't blank; return the counts of lines and of refused ones, and the first refusal."""
        count = failed = first = 0
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            answer = answer_line(line, number)
            count += 1
            if "error" in answer:
                failed += 1
                first = first or number
            self.stdout.write(json.dumps(answer, allow_nan=False))
            self.stdout.flush()  # the writer of our input may wait for the answer
        return count, failed, first


def answer_line(line: bytes, number: int) -> dict[str, object]:
    """The answer to one line of a file; a line that isn't JSON is named by its number."""
    try:
        fields = json.loads(line.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        return {"error": f"Line {number} isn't UTF-8."}
    except RecursionError:
        return {"error": f"Line {number} is nested too deeply."}
    except ValueError as error:
        return {"error": f"Line {number} isn't JSON: {error}."}
    return rate_line(fields)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _open(file: str) -> AbstractContextManager[Iterable[bytes]]:
    return nullcontext(sys.stdin.buffer) if file == "-" else open(file, "rb")
