"""docs/architecture.md draws packages and walks along modules as imports are; it and the glossary name real files."""

import re

import pytest

from tests.support.package_diagram import APPS, PAGE, Picture, import_graph, picture_of, pictures_on
from tests.support.paths import ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text()
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| `([^`|]+)` \|$", flags=re.MULTILINE)
FILE = re.compile(r"`((?:ranking|leaderboards|matchmaking|config|docs|tests)/[\w./]+)`")


def test_the_pictures_show_the_imports():
    """`python -m tests.support.package_diagram` draws them anew."""
    wrong = {
        (app, part, name)
        for app, picture in zip(APPS[::-1], pictures_on(PAGE.read_text()), strict=True)
        for part, drawn, imported in zip(Picture._fields, picture, picture_of(app), strict=True)
        for name in drawn ^ imported
    }
    assert wrong == set()


def test_an_arrow_that_a_longer_way_implies_is_left_out():
    arrows = picture_of("ranking").arrows
    assert (("moderation", "rerating") in arrows, ("moderation", "models") in arrows) == (True, False)


def test_each_module_of_a_walk_is_imported_by_one_before_it():
    walks = re.findall(r"^The way: (.+?)\.[ \n]", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    ways = [[name.removesuffix(".py").replace("/", ".") for name in FILE.findall(walk)] for walk in walks]
    lost = [
        module
        for way in ways
        for place, module in enumerate(way)
        if place and not import_graph().find_modules_that_directly_import(module) & {*way[:place]}
    ]
    assert lost == []
    result, board = map(len, ways)
    assert (2 < result <= 8, 2 < board <= 6) == (True, True)


def test_inner_modules_are_imported_by_their_package_alone():
    """A module whose name begins with an underscore belongs to its package; migrations of all apps share two."""
    graph = import_graph()
    inner = {module: module.rpartition("._")[0] for module in graph.modules if "._" in module}
    inner = {module: package for module, package in inner.items() if not package.endswith(".migrations")}
    assert len(inner) > 40
    outside = {
        f"{importer} imports {module}"
        for module, package in inner.items()
        for importer in graph.find_modules_that_directly_import(module)
        if not f"{importer}.".startswith(f"{package}.")
    }
    assert outside == set()


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
