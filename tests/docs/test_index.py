"""docs/README.md leads to every page, and no page leads to nowhere."""

import re
from pathlib import Path

from tests.support.paths import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
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


def test_every_link_leads_somewhere():
    lost = []
    for page in [*ROOT.glob("*.md"), *PAGES]:
        lost += [(page, target) for target in links_of(page) if not target.exists()]
        anchors = re.findall(r"\]\(([^)\s:#]*\.md)?#([\w-]+)\)", page.read_text())
        lost += [
            (page, f"{file}#{name}")
            for file, name in anchors
            if name not in anchors_of((page.parent / file) if file else page)
        ]
    assert lost == []


def test_pictures_are_small():
    assert [path.name for path in (DOCS / "pictures").iterdir() if path.stat().st_size > LARGEST] == []
