"""The site's menus, the theme, and pages that follow what is published."""

import datetime as dt

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from ranking.models import Mode
from ranking.standings.publishing import publish
from tests.support.browser import log_in, look
from tests.support.factories import record

PHONE = {"width": 390, "height": 844}


def test_the_site_has_a_menu_on_a_phone(page: Page, site: str) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{site}/")
    menu = page.get_by_role("navigation", name="Main")
    expect(menu).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    expect(menu.get_by_role("link")).to_have_text(["Crowd", "Team", "Seasons", "Calculator", "Help", "API"])
    assert look(page) == []
    page.set_viewport_size(PHONE)
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    menu.get_by_role("link", name="Team").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Team")


def test_the_account_has_one_menu(page: Page, site: str) -> None:
    log_in(page, site)
    page.get_by_role("button", name="your menu").click()
    assert look(page) == []
    page.get_by_role("link", name="Your player page").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("p0-55")


@pytest.mark.parametrize("scripts", [True, False])
def test_the_theme_is_kept_and_needs_no_scripts(browser: Browser, site: str, scripts: bool) -> None:
    context = browser.new_context(java_script_enabled=scripts, color_scheme="light")
    page = context.new_page()
    page.goto(f"{site}/boards/crowd/?rank=60")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    page.get_by_role("button", name="Dark").click()
    assert page.url == f"{site}/boards/crowd/?rank=60"
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    if scripts:
        assert page.evaluate(paper) == "rgb(13, 16, 21)"
        assert look(page) == []
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="System").click()
    expect(page.locator("html[data-theme]")).to_have_count(0)
    context.close()


def test_an_open_board_moves_and_keeps_focus_and_scroll(page: Page, site: str) -> None:
    page.goto(f"{site}/boards/crowd/")
    page.locator(".board tbody a").nth(20).focus()
    page.evaluate("window.scrollTo(0, 700); window.same = true")
    focused = page.evaluate("document.activeElement.getAttribute('href')")
    before = page.locator(".refresh").get_attribute("hx-get")
    now = timezone.now() + dt.timedelta(seconds=1)
    record(*[[f"p1-{place:02}"] for place in range(60)], mode="crowd", now=now, ended_at=now)
    publish(Mode.objects.get(slug="crowd"), now=now)
    page.wait_for_timeout(2_100)  # a process goes on with what it has read for so long
    page.evaluate("document.querySelector('.refresh').dispatchEvent(new Event('refresh'))")
    expect(page.locator(".refresh")).not_to_have_attribute("hx-get", str(before))
    expect(page.locator(".step-1 .step-name")).to_contain_text("p1-00")
    assert page.evaluate("[window.same, window.scrollY, document.activeElement.getAttribute('href')]") == [
        True,
        700,
        focused,
    ]
    expect(page.get_by_role("status")).to_have_text("")
