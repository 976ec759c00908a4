"""Every page, light and dark, on a phone and a desk: nothing keeps people out, nothing scrolls sideways."""

from collections.abc import Iterable, Iterator
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Browser, Page

from ranking.models import Season
from tests.support.browser import findings_of, log_in
from tests.support.pages import ENTRANCE, OWN, PAST, empty, full, moderating

PARTS = 3  # of the admin, so that no worker has all of it


def findings_on(page: Page, site: str, addresses: Iterable[str]) -> dict[str, Any]:
    """By address, with everything that folds unfolded."""
    findings = {}
    for address in addresses:
        page.goto(site + address)
        page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
        if found := findings_of(page):
            findings[address] = found
    return findings


@pytest.fixture
def calm_page(browser: Browser) -> Iterator[Page]:
    """A page on which nothing moves: what changes its colour has it at once."""
    context = browser.new_context(reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("entered", [False, True])
def test_nothing_keeps_people_out(calm_page: Page, site: str, team_match: int, entered: bool) -> None:
    if entered:
        log_in(calm_page, site)
    addresses = (*full(team_match), *(OWN if entered else (f"/account/{name}/" for name in ENTRANCE)))
    assert findings_on(calm_page, site, addresses) == {}


@pytest.mark.usefixtures("past_season")
@pytest.mark.parametrize("entered", [False, True])
def test_nothing_keeps_people_out_of_past_seasons(calm_page: Page, site: str, entered: bool) -> None:
    if entered:
        log_in(calm_page, site)
    assert findings_on(calm_page, site, PAST) == {}


@pytest.mark.parametrize("entered", [False, True])
def test_nothing_keeps_people_out_of_an_empty_site(calm_page: Page, empty_site: str, entered: bool) -> None:
    if entered:
        log_in(calm_page, empty_site)
    assert findings_on(calm_page, empty_site, empty()) == {}


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_keeps_moderators_out(calm_page: Page, site: str, part: int) -> None:
    User.objects.filter(username="fox").update(is_staff=True, is_superuser=True)
    log_in(calm_page, site)
    assert findings_on(calm_page, site, [*moderating()][part::PARTS]) == {}


def states_of_docs(page: Page, site: str) -> Iterator[tuple[str, str | None]]:
    """The API's docs, from folded to a request sent and the dialog of keys, each with the part that changed.

    The page is long: axe takes seconds for the whole of it.
    """
    unfolded, dialog = ".opblock.is-open", ".modal-ux"
    page.goto(f"{site}/api/docs/")
    page.wait_for_selector(".opblock")
    yield "folded", None
    unfold(page, "/api/v1/modes/", "get")
    yield "one unfolded", unfolded
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    page.wait_for_selector(".live-responses-table")
    yield "sent", unfolded
    for path, method in (("/api/v1/matches/", "post"), ("/api/v1/boards/{mode}/", "get"), ("/api/v1/rate/", "post")):
        unfold(page, path, method)
    page.get_by_role("button", name="Try it out").first.click()
    page.get_by_role("button", name="Execute").first.click()
    page.wait_for_selector(".validation-errors")
    yield "several unfolded, one filled in badly", unfolded
    page.locator(".tablinks:text('Schema')").nth(1).click()
    yield "a schema", unfolded
    page.locator(".models .json-schema-2020-12-accordion").first.click()
    yield "a schema of all", ".models"
    page.locator(".btn.authorize").click()
    page.wait_for_selector(".modal-ux")
    yield "keys asked for", dialog
    page.get_by_label("Value:").last.fill("key")
    page.locator(".modal-ux button.authorize").last.click()
    yield "a key given", dialog


def unfold(page: Page, path: str, method: str) -> None:
    block = page.locator(f".opblock-{method}").filter(has=page.locator(f"[data-path='{path}']"))
    block.locator(".opblock-summary-control").click()
    block.locator(".responses-table .microlight").first.wait_for()


def test_nothing_keeps_people_out_of_the_docs(calm_page: Page, site: str) -> None:
    states = states_of_docs(calm_page, site)
    found = {state: (findings_of(calm_page, part), is_wide(calm_page)) for state, part in states}
    assert {state: said for state, said in found.items() if said != ([], False)} == {}


def is_wide(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


WIDTHS = (320, 360, 768, 1440)
SIDEWAYS = 2  # parts, so that no worker has all of it


@pytest.mark.usefixtures("past_season")
@pytest.mark.parametrize("part", range(SIDEWAYS))
def test_nothing_scrolls_sideways(page: Page, site: str, team_match: int, part: int) -> None:
    """A page is loaded once: no script of ours asks how wide the window is."""
    log_in(page, site)
    wide = []
    for url in [*full(team_match), *OWN, *PAST][part::SIDEWAYS]:
        if url == "/players/nobody/":
            continue
        page.set_viewport_size({"width": WIDTHS[0], "height": 800})
        page.goto(site + url)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            if is_wide(page):
                wide.append((url, width))
    assert wide == []


@pytest.mark.usefixtures("past_season")
def test_a_season_ends_in_the_time_of_the_reader(browser: Browser, site: str) -> None:
    ends_at = Season.objects.get(mode__slug="cup", current=True).ends_at
    assert ends_at is not None
    for zone in ("Asia/Tokyo", "America/New_York"):
        context = browser.new_context(timezone_id=zone)
        page = context.new_page()
        page.goto(f"{site}/boards/cup/")
        local = ends_at.astimezone(ZoneInfo(zone))
        year = "" if local.year == timezone.now().astimezone(ZoneInfo(zone)).year else f" {local.year}"
        eyebrow = page.locator(".eyebrow").inner_text()
        assert f"ends {local:%-d %b}{year}, {local:%H:%M} (in 12 days)" in eyebrow
        context.close()
