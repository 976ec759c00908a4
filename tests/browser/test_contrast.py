"""Axe examines the contrast of what looks the same once; what looks different anywhere is examined."""

import pytest
from playwright.sync_api import Page

from tests.support import contrast
from tests.support.browser import findings_of

HEAD = (
    "<!doctype html><html lang=en><title>Rungs</title><style>.pale, .pale-at-odd:nth-child(odd) { color: #ccc }</style>"
)
MENU = "<nav><a href=/>Home</a></nav>"
GOOD = f"{MENU}<main><h1>Board</h1><ul><li>Fox</li><li>Owl</li></ul></main>"
ENABLED = "<p><label for=age class=pale>Age</label></p><p><input id=age></p>"
DISABLED = ENABLED.replace("<input", "<input disabled")
COVERED = "<div style='position: absolute; inset: 0; z-index: 1; background: white'></div>"


@pytest.fixture(autouse=True)
def _nothing_examined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contrast, "_good", {})


def is_pale(page: Page, body: str) -> bool:
    """Does axe find so in both looks, and nothing else?"""
    page.set_content(HEAD + body)
    found = [rule for _, rule, *_ in findings_of(page)]
    assert found in ([], ["color-contrast"] * 2)
    return bool(found)


@pytest.mark.parametrize(
    ("good", "pale"),
    [
        (GOOD, GOOD.replace("<h1>", "<p class=pale>Pale</p><h1>")),
        (GOOD, GOOD.replace("<li>Owl", "<li class=pale>Owl")),
        (GOOD, GOOD.replace("<li>Owl", "<li>Owl</li><li class=pale-at-odd>Wren")),
        (GOOD, GOOD.replace("<ul>", "<ul style='background: #333'>")),
        (GOOD, GOOD.replace("<main>", "<main style='opacity: 0.3'>")),
        (GOOD.replace("<ul>", "<ul class=pale hidden>"), GOOD.replace("<ul>", "<ul class=pale>")),
        (GOOD.replace("<ul>", DISABLED + "<ul>"), GOOD.replace("<ul>", ENABLED + "<ul>")),
        (GOOD.replace("<ul>", "<ul class=pale>") + COVERED, GOOD.replace("<ul>", "<ul class=pale>")),
    ],
    ids=["new", "a row", "by its place", "before a colour", "through a parent", "shown", "enabled", "uncovered"],
)
def test_what_looks_different_is_examined(page: Page, good: str, pale: str) -> None:
    assert [is_pale(page, body) for body in (good, good, pale, pale)] == [False, False, True, True]


def test_what_looks_the_same_is_examined_once(page: Page) -> None:
    """Other words and addresses make no difference: all of it is known, and none is examined."""
    assert not is_pale(page, GOOD)
    known = {look: {*keys} for look, keys in contrast._good.items()}
    assert [len(keys) for keys in known.values()] == [7, 7]  # the items of the list look the same
    assert not is_pale(page, GOOD.replace("Fox", "Kestrel").replace("href=/", "href=/boards/"))
    assert contrast._good == known
