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


@pytest.mark.parametrize("width", [360, 1440])
def test_nothing_keeps_moderators_out(page_in: Page, site: str, width: int) -> None:
    page_in.set_viewport_size({"width": width, "height": 800})
    User.objects.filter(username="fox").update(is_staff=True, is_superuser=True)
    log_in(page_in, site)
    assert findings_on(page_in, site, moderating()) == {}


def states_of_docs(page: Page, site: str) -> Iterator[str]:
    """The API's docs, from folded to a request sent and the dialog of keys."""
    page.goto(f"{site}/api/docs/")
    page.wait_for_selector(".opblock")
    yield "folded"
    unfold(page, "/api/v1/modes/", "get")
    yield "one unfolded"
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    page.wait_for_selector(".live-responses-table")
    yield "sent"
    for path, method in (("/api/v1/matches/", "post"), ("/api/v1/boards/{mode}/", "get"), ("/api/v1/rate/", "post")):
        unfold(page, path, method)
    page.get_by_role("button", name="Try it out").first.click()
    page.get_by_role("button", name="Execute").first.click()
    page.wait_for_selector(".validation-errors")
    yield "several unfolded, one filled in badly"
    page.locator(".tablinks:text('Schema')").nth(1).click()
    yield "a schema"
    page.locator(".models .model-box-control").first.click()
    yield "a schema of all"
    page.locator(".btn.authorize").click()
    page.wait_for_selector(".modal-ux")
    yield "keys asked for"
    page.get_by_label("Value:").last.fill("key")
    page.locator(".modal-ux button.authorize").last.click()
    yield "a key given"


def unfold(page: Page, path: str, method: str) -> None:
    block = page.locator(f".opblock-{method}").filter(has=page.locator(f"[data-path='{path}']"))
    block.locator(".opblock-summary-control").click()
    block.locator(".responses-table .microlight").first.wait_for()


@pytest.mark.parametrize("width", [360, 1440])
def test_nothing_keeps_people_out_of_the_docs(page_in: Page, site: str, width: int) -> None:
    page_in.set_viewport_size({"width": width, "height": 800})
    found = {state: (findings_of(page_in), is_wide(page_in)) for state in states_of_docs(page_in, site)}
    assert {state: said for state, said in found.items() if said != ([], False)} == {}


def is_wide(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


@pytest.mark.parametrize("width", [320, 360, 768, 1440])
def test_nothing_scrolls_sideways(page: Page, site: str, team_match: int, width: int) -> None:
    log_in(page, site)
    page.set_viewport_size({"width": width, "height": 800})
    wide = []
    for url in (*full(team_match), *OWN):
        if url == "/players/nobody/":
            continue
        page.goto(site + url)
        if is_wide(page):
            wide.append(url)
    assert wide == []
