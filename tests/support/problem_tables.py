"""Writes the tables of docs/problems.md from the codes of problems and of fields.

`manage.py shell -c 'from tests.support.problem_tables import write_page; write_page()'` writes the tables anew.
"""

import re
from collections.abc import Iterable

from django.utils import translation

from ranking.validation.field_codes import FIELD_CODES
from ranking.validation.problems import problem_codes
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "problems.md"
TABLE = re.compile(r"^\|.*\|$(\n^\|.*\|$)*", flags=re.MULTILINE)


def write_tables(page: str) -> str:
    """Return the text of the page with both tables as the code has them now, in English."""
    with translation.override("en"):
        problems = sorted(problem_codes().values(), key=lambda row: row.status)
        rows = [(str(row.status), f"`{row.code}`", str(row.title), str(row.advice)) for row in problems]
        fields = [(f"`{code}`", str(meaning)) for code, meaning in FIELD_CODES.items()]
        tables = iter(
            (
                _table(("status", "code", "when", "what it means, and what to do"), rows),
                _table(("code", "when"), fields),
            )
        )
    return TABLE.sub(lambda _: next(tables), page)


def write_page() -> None:
    PAGE.write_text(write_tables(PAGE.read_text()))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    first, *others = (f"| {' | '.join(line)} |" for line in (head, *rows))
    return "\n".join([first, "|---" * len(head) + "|", *others])
