"""docs/limits.md: each number is the one in the code, or the default of its environment variable."""

import datetime as dt
import re
from importlib import import_module

from django.utils.module_loading import import_string

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "limits.md").read_text()
ROWS = re.findall(r"^\| (.+?) \| ([\d,]+)(?: (\w+))? \| .*? \| `([\w.]+)` \|$", PAGE, flags=re.MULTILINE)
SECONDS = {"seconds": 1, "second": 1, "minutes": 60, "hour": 3_600, "day": 86_400, "days": 86_400}
SETTINGS = (ROOT / "config" / "settings.py").read_text()


def value_in(place: str) -> float | dt.timedelta:
    """The number or time at a place: an environment variable's default, or a constant of a module."""
    if place.startswith("RUNGS_"):
        [default] = re.findall(rf'env\.number\("{place}", ([\d_]+)', SETTINGS)
        return int(default)
    module, _, name = place.rpartition(".")
    if module.rpartition(".")[2][0].isupper():  # a class
        value: float | dt.timedelta = getattr(import_string(module), name)
    else:
        value = getattr(import_module(module), name)
    return value


def test_every_row_with_a_number_names_its_place():
    numbered = [line for line in PAGE.splitlines() if re.match(r"\| .+ \| \d", line)]
    assert len(ROWS) == len(numbered) > 45


def test_a_limit_is_what_the_code_has():
    wrong = {}
    for name, number, unit, place in ROWS:
        said, value = int(number.replace(",", "")), value_in(place)
        seconds = said * SECONDS.get(unit, 1)
        allowed = [dt.timedelta(seconds=seconds)] if isinstance(value, dt.timedelta) else [said, seconds]
        if value not in allowed:
            wrong[name, place] = (f"{number} {unit}", value)
    assert wrong == {}


def test_every_limit_of_requests_a_minute_is_there():
    places = {row[3] for row in ROWS}
    assert set(re.findall(r'"(RUNGS_LIMIT_\w+)"', SETTINGS)) <= places
