"""docs/README.md leads to every page, each role's page begins with a task, and no page leads to nowhere."""

import re
from pathlib import Path

import pytest

from tests.support.paths import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
ROLES = re.findall(r"^\| [a-z ]+ \| \[[^]]+\]\((\S+)\)", (DOCS / "README.md").read_text(), flags=re.MULTILINE)
LARGEST = 600_000  # bytes of a picture


def links_of(page: Path) -> list[Path]:
    """What the links and pictures of a page lead to, without addresses of other sites."""
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.DOTALL)
    targets = (target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target)
    return [(page.parent / target).resolve() for target in targets if target]


def anchors_of(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_index_leads_to_every_page():
    seen, left = set(), [DOCS / "README.md"]
    while left:
        page = left.pop()
        if page in seen:
            continue
        seen.add(page)
        for target in links_of(page):
            left += sorted(target.glob("*.md")) if target.is_dir() else [target] if target.suffix == ".md" else []
    assert [page.relative_to(ROOT) for page in PAGES if page not in seen] == []


@pytest.mark.parametrize("document", [ROOT / "README.md", *PAGES], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document):
    assert [target for target in links_of(document) if not target.exists()] == []
    anchors = re.findall(r"\]\(([^)\s:#]*\.md)?#([\w-]+)\)", document.read_text())
    lost = [
        (file, name) for file, name in anchors if name not in anchors_of(document.parent / file if file else document)
    ]
    assert lost == []


@pytest.mark.parametrize(
    "file", [*ROLES, "engines/README.md", "engines/unity.md", "engines/godot.md", "engines/unreal.md"]
)
def test_a_roles_page_begins_with_a_task(file):
    _, first, *_ = (DOCS / file).read_text().split("\n\n")
    assert re.match(r"(\*\*)?Task: ", first)


def test_there_are_six_roles():
    assert ROLES == ["integrating.md", "moderating.md", "operating.md", "playing.md", "choosing.md", "contributing.md"]


def test_pictures_are_small():
    assert [path.name for path in (DOCS / "pictures").iterdir() if path.stat().st_size > LARGEST] == []
