"""docs/languages.md names the catalogues and formats that there are, and commands that run."""

import re
import shutil
import subprocess
import sys

import pytest
from django.conf import settings
from django.utils import translation

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "languages.md").read_text()


def section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """The cells of a table's rows, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_each_language_has_the_file_that_is_named() -> None:
    (pattern,) = re.findall(r"`(locale/<language>/[\w/]+\.po)`", section("Catalogues"))
    languages = [code for code, _ in settings.LANGUAGES if code != "en"]
    assert [(ROOT / pattern.replace("<language>", code)).exists() for code in languages] == [True] * len(languages)


@pytest.mark.parametrize("row", rows(section("A third language")))
def test_formats_are_as_the_page_says(row: list[str]) -> None:
    context, english, german = (cell.strip("`") for cell in row)
    with translation.override("en"):
        assert translation.pgettext(context, english) == english
    with translation.override("de"):
        assert translation.pgettext(context, english) == german


@pytest.mark.skipif(shutil.which("xgettext") is None, reason="needs the programs of gettext")
def test_the_check_runs_as_written() -> None:
    (command,) = re.findall(r"^\.venv/bin/python (manage\.py messages --check)$", PAGE, flags=re.MULTILINE)
    done = subprocess.run([sys.executable, *command.split()], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout == f"Complete: {', '.join(code for code, _ in settings.LANGUAGES if code != 'en')}.\n"


def test_files_that_are_named_exist() -> None:
    names = re.findall(r"`((?:config|ranking|tests)/[\w/]+\.py)`", PAGE)
    assert len(names) > 2
    assert [name for name in names if not (ROOT / name).exists()] == []
