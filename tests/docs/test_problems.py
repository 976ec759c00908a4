"""docs/problems.md has every code of problems and of fields, as the code has them."""

import re

from ranking.validation.field_codes import FIELD_CODES
from ranking.validation.problems import problem_codes
from tests.support.problem_tables import PAGE, write_tables

TEXT = PAGE.read_text()


def test_the_tables_are_written_from_the_code():
    """tests/support/problem_tables.py says how to write them anew."""
    assert write_tables(TEXT) == TEXT


def test_each_code_has_a_row_with_its_status():
    rows = re.findall(r"^\| (\d+) \| `([a-z-]+)` \| \S.* \| \S.* \|$", TEXT, flags=re.MULTILINE)
    assert {code: int(status) for status, code in rows} == {row.code: row.status for row in problem_codes().values()}
    assert len(rows) == len(problem_codes())


def test_each_code_of_a_field_has_a_row():
    assert re.findall(r"^\| `([a-z]+)` \| \S.* \|$", TEXT, flags=re.MULTILINE) == list(FIELD_CODES)
