"""docs/architecture.md draws the packages as the imports are; it and docs/glossary.md name files that exist."""

import re

import pytest

from tests.support.package_diagram import PAGE, diagram, draw_pictures
from tests.support.paths import ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text()
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| `([^`|]+)` \|$", flags=re.MULTILINE)
FILE = re.compile(r"`((?:ranking|leaderboards|matchmaking|config|docs|tests)/[\w./]+)`")


def test_the_pictures_are_drawn_from_the_imports():
    assert PAGE.read_text() == draw_pictures(PAGE.read_text())
    assert PAGE.read_text().count("```mermaid") == 4


def test_an_arrow_that_a_longer_way_implies_is_left_out():
    arrows = re.findall(r"(\w+) --> (\w+)", diagram("ranking"))
    assert (("moderation", "rerating") in arrows, ("moderation", "models") in arrows) == (True, False)


@pytest.mark.parametrize("document", ["architecture.md", "glossary.md"])
def test_every_file_that_is_named_exists(document):
    names = FILE.findall((ROOT / "docs" / document).read_text())
    assert len(names) > 20
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_no_word_of_the_glossary_stands_twice():
    words = [word for row in ROW.findall(GLOSSARY) for word in row[0].split(", ")]
    assert len(words) > 60
    assert sorted(set(words)) == sorted(words)


def test_every_row_of_the_glossary_tells_a_word_in_a_sentence_and_names_its_owner():
    rows = [line for line in GLOSSARY.splitlines() if line.startswith("| ") and not line.startswith("| word |")]
    assert len(rows) == len(ROW.findall(GLOSSARY))
    assert [row for row in ROW.findall(GLOSSARY) if not row[1].endswith(".")] == []
