"""Every page, light and dark, on a phone and a desk: nothing keeps people out, nothing scrolls sideways."""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.conftest import log_in


def pages(team_match: int) -> Iterator[str]:
    yield from ("/", "/boards/crowd/", "/boards/crowd/?rank=60", "/boards/crowd/?q=p1", "/boards/crowd/?q=nobody")
    yield from (
        "/boards/crowd/?rank=x",
        "/players/p0-55/?mode=team",
        "/players/p0-55/?mode=crowd",
        "/players/p0-55/?mode=fun",
    )
    yield from (
        "/boards/crowd/friends/",
        "/boards/team/friends/",
        "/boards/crowd/distribution/",
        "/boards/team/?region=eu",
    )
    yield from ("/people/", "/people/?q=p", "/people/blocked/", "/compare/p0-55/mate/", "/compare/p0-55/b/?mode=team")
    yield from (f"/matches/{team_match}/", f"/matches/{team_match + 1}/", "/account/login/", "/players/nobody/")
    yield "/notifications/"
    yield from ("/calculator/", "/calculator/?preset=free-for-all", "/calculator/?preset=upset&system=x")
    yield "/calculator/?system=two-layer&of=two-layer&sizes=1,1&0.place=x&1.place=2&1.0.sigma=-1&param.mmr=x"


OWN = ("/players/p0-55/", "/account/privacy/", "/account/privacy/leave/", "/account/left/")  # for who has entered


def serious(page: Page) -> list[tuple[str, Any]]:
    found = Axe().run(page).response["violations"]
    return [
        (violation["id"], [node["html"][:200] for node in violation["nodes"]][:3])
        for violation in found
        if violation["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("entered", [False, True])
def test_nothing_keeps_people_out(browser: Browser, site: str, team_match: int, scheme: Any, entered: bool) -> None:
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    if entered:
        log_in(page, site)
    findings = {}
    for url in (*pages(team_match), "/players/secret/", *(OWN if entered else ())):
        if entered and "login" in url:
            continue
        page.goto(site + url)
        for details in page.locator("details").all():
            details.evaluate("details => details.open = true")
        if found := serious(page):
            findings[url] = found
    context.close()
    assert findings == {}


@pytest.mark.parametrize("width", [320, 360, 768, 1440])
def test_nothing_scrolls_sideways(page: Page, site: str, team_match: int, width: int) -> None:
    log_in(page, site)
    page.set_viewport_size({"width": width, "height": 800})
    wide = []
    for url in (*pages(team_match), *OWN):
        if url == "/players/nobody/":
            continue
        page.goto(site + url)
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            wide.append(url)
    assert wide == []
