"""A player's own page of switches, in a browser: hiding, taking their data along, leaving."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import log_in


@pytest.mark.parametrize("javascript", [True, False])
def test_hide_take_along_and_leave(browser: Browser, site: str, javascript: bool) -> None:
    context = browser.new_context(java_script_enabled=javascript, accept_downloads=True)
    page = context.new_page()
    log_in(page, site)
    page.goto(f"{site}/players/p0-55/?mode=team")
    page.get_by_role("link", name="Your privacy and data").click()
    switch = page.get_by_role("checkbox", name="Hide my matches")
    switch.focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").filter(has_text="Saved")).to_be_visible()
    expect(switch).to_be_checked()
    assert hidden_from_strangers(browser, site)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    data = json.loads(Path(download.value.path()).read_text())
    assert data["player"]["key"] == "p0-55"
    page.get_by_role("link", name="Leave for good…").click()
    page.get_by_label("Type your name").fill("somebody else")
    page.get_by_role("button", name="Leave for good").click()
    expect(page.get_by_role("alert")).to_contain_text("That isn’t your name")
    page.get_by_label("Type your name").fill("p0-55")
    page.get_by_role("button", name="Leave for good").click()
    expect(page.get_by_role("heading", name="You have left")).to_be_visible()
    expect(page.get_by_role("link", name="Log in")).to_be_visible()
    context.close()


def hidden_from_strangers(browser: Browser, site: str) -> bool:
    stranger = browser.new_page()
    stranger.goto(f"{site}/players/p0-55/?mode=team")
    hidden = stranger.get_by_text("keeps matches and history to themselves").is_visible()
    stranger.close()
    return hidden


def test_a_badge_is_an_image(page: Page, site: str) -> None:
    page.goto(f"{site}/players/p0-55/?mode=crowd")
    page.get_by_text("Badge for other pages").click()
    badge = page.get_by_role("img", name="p0-55 · Crowd")
    # It is loaded once it is in sight.
    assert badge.evaluate("image => image.decode().then(() => image.naturalWidth > 40)")
