"""The files and the table of docs/ladders.md."""

import re

from ranking.systems.libraries import GAUSSIAN, GLICKO, LOGISTIC
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "ladders.md").read_text()
_BLOCKS = [re.sub("^ +", "", text, flags=re.M) for text in re.findall(r"```csv\n(.*?)```", PAGE, flags=re.DOTALL)]
FILES = {f"{kind}.csv": text for kind, text in zip((GAUSSIAN, GLICKO, LOGISTIC), _BLOCKS, strict=True)}


def moves() -> dict[str, list[str]]:
    """By library: file, mode, ratings of newcomer, regular and veteran, chances before and after."""
    rows = re.findall(r"^\| `([\w-]+)` \| (`\w+\.csv` .*) \|$", PAGE, flags=re.M)
    return {name: cells.split(" | ") for name, cells in rows}


def numbers_in(file: str) -> list[list[float]]:
    """What the library keeps of each player of a file."""
    _, *lines = FILES[file].splitlines()
    return [[float(cell) for cell in line.split(",")[1:-1]] for line in lines]
