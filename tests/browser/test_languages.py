"""Somebody switches the language and the time zone; German words fit the pages and keep nobody out."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from ranking.models import Season
from tests.support.browser import findings_of, log_in, wider

DONE = (
    "/", "/boards/crowd/", "/boards/crowd/?rank=60", "/boards/crowd/?q=p1", "/boards/crowd/?q=nobody",
    "/boards/crowd/friends/",
    "/boards/crowd/distribution/", "/boards/crowd/tiers/", "/boards/team/?region=eu", "/players/p0-55/?mode=team",
    "/players/p0-55/?mode=crowd", "/players/p0-55/?mode=fun", "/players/p0-55/matches/?mode=team", "/players/secret/",
    "/boards/cup/?season=1", "/players/b/?mode=cup", "/notifications/", "/conduct/", "/people/", "/search/?q=0-5",
    "/account/",
    "/play/", "/party/", "/calculator/", "/compare/p0-55/mate/", "/seasons/", "/account/privacy/", "/help/",
)  # fmt: skip

WIDTHS = (320, 390, 1440)


def test_somebody_switches_language_and_zone(browser: Browser, site: str) -> None:
    now = timezone.now()
    Season.objects.filter(mode__slug="crowd", current=True).update(ends_at=now + dt.timedelta(days=12))
    context = browser.new_context(locale="en-GB", timezone_id="America/New_York")
    page = context.new_page()
    log_in(page, site)
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_role("heading", name="Neueste Matches")).to_be_visible()
    page.get_by_role("link", name="Crowd", exact=True).first.click()
    ends = Season.objects.get(mode__slug="crowd", current=True).ends_at
    assert ends is not None
    local = ends.astimezone(ZoneInfo("America/New_York"))
    expect(page.locator(".eyebrow")).to_contain_text(f"endet am {local.day}. ")
    expect(page.locator(".eyebrow")).to_contain_text(f"{local:%H:%M} (in 12 Tagen)")
    page.goto(f"{site}/account/")
    page.get_by_role("combobox", name="Zeitzone").select_option("Asia/Tokyo")
    page.get_by_role("button", name="Speichern").click()
    page.goto(f"{site}/boards/crowd/")
    expect(page.locator(".eyebrow")).to_contain_text(f"{ends.astimezone(ZoneInfo('Asia/Tokyo')):%H:%M} (in 12 Tagen)")
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator(".eyebrow")).to_contain_text("(in 12 days)")
    context.close()


@pytest.mark.usefixtures("past_season")
def test_german_words_fit(page: Page, site: str) -> None:
    log_in(page, site)
    wide = []
    for address in DONE:
        page.set_viewport_size({"width": WIDTHS[0], "height": 800})
        page.goto(f"{site}{address}{'&' if '?' in address else '?'}lang=de")
        assert page.locator("html").get_attribute("lang") == "de"
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            if wider(page):
                wide.append((address, width))
    assert wide == []


@pytest.mark.usefixtures("past_season")
def test_german_pages_keep_nobody_out(browser: Browser, site: str) -> None:
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    log_in(page, site)
    findings = {}
    for address in DONE:
        page.goto(f"{site}{address}{'&' if '?' in address else '?'}lang=de")
        if found := findings_of(page):
            findings[address] = found
    context.close()
    assert findings == {}
