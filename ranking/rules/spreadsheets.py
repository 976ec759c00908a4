"""CSV text that spreadsheets open. Pure."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from io import StringIO

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a text begins that a spreadsheet would take for a formula


def csv_text(lines: Iterable[Iterable[object]]) -> str:
    """Return lines of cells as CSV. A text that a spreadsheet would take for a formula gets an apostrophe before it."""
    file = StringIO()
    csv.writer(file).writerows([[_escape_formula(cell) for cell in line] for line in lines])
    return file.getvalue()


def _escape_formula(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
