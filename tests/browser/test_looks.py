"""Every page, light and dark, on a phone and a desk: nothing keeps people out, nothing scrolls sideways."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page

from tests.browser.conftest import log_in
from tests.browser.places import ENTRANCE, OWN, empty, full, moderating


def findings_of(page: Page) -> list[tuple[str, str, list[Any]]]:
    """Everything that axe finds on the page, be it ever so small."""
    found = Axe().run(page).response["violations"]
    return [(each["id"], each["impact"], [node["html"][:200] for node in each["nodes"]][:3]) for each in found]


def findings_on(page: Page, site: str, addresses: Iterable[str]) -> dict[str, Any]:
    """By address, with everything that folds unfolded."""
    findings = {}
    for address in addresses:
        page.goto(site + address)
        for details in page.locator("details").all():
            details.evaluate("details => details.open = true")
        if found := findings_of(page):
            findings[address] = found
    return findings


@pytest.fixture(params=["light", "dark"])
def page_in(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A page in either scheme."""
    context = browser.new_context(color_scheme=request.param, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("entered", [False, True])
def test_nothing_keeps_people_out(page_in: Page, site: str, team_match: int, entered: bool) -> None:
    if entered:
        log_in(page_in, site)
    addresses = (*full(team_match), *(OWN if entered else (f"/account/{name}/" for name in ENTRANCE)))
    assert findings_on(page_in, site, addresses) == {}


@pytest.mark.parametrize("entered", [False, True])
def test_nothing_keeps_people_out_of_an_empty_site(page_in: Page, empty_site: str, entered: bool) -> None:
    if entered:
        log_in(page_in, empty_site)
    assert findings_on(page_in, empty_site, empty()) == {}


def test_nothing_keeps_moderators_out(page_in: Page, site: str) -> None:
    User.objects.filter(username="fox").update(is_staff=True, is_superuser=True)
    log_in(page_in, site)
    assert findings_on(page_in, site, moderating()) == {}


@pytest.mark.parametrize("width", [320, 360, 768, 1440])
def test_nothing_scrolls_sideways(page: Page, site: str, team_match: int, width: int) -> None:
    log_in(page, site)
    page.set_viewport_size({"width": width, "height": 800})
    wide = []
    for url in (*full(team_match), *OWN):
        if url == "/players/nobody/":
            continue
        page.goto(site + url)
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            wide.append(url)
    assert wide == []
