"""The board in a browser: HTMX and without JavaScript, keyboard and phone."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import log_in


def test_paging_keeps_history_and_tells_the_status_line(page: Page, site: str) -> None:
    page.goto(f"{site}/boards/crowd/")
    page.evaluate("window.same = true")  # lost if the page were loaded anew
    page.get_by_role("link", name="Lower").click()
    expect(page.get_by_role("status")).to_have_text("Ranks 51 to 99, 120 players")
    expect(page.locator(".podium")).to_have_count(0)
    assert (page.url, page.title()) == (f"{site}/boards/crowd/?from=51", "Ranks 51–99 · Crowd · Rungs")
    page.get_by_role("link", name="Lower").click()
    expect(page.get_by_role("status")).to_have_text("Ranks 101 to 119, 120 players")
    page.go_back()
    expect(page.locator(".pager b")).to_have_text("51–99")
    page.go_back()
    expect(page.locator(".podium li")).to_have_count(3)
    assert (page.url, page.title()) == (f"{site}/boards/crowd/", "Crowd · Rungs")
    expect(page.locator(".site-head")).to_have_count(1)
    assert page.evaluate("window.same") is True


def test_the_keyboard_stays_where_it_was(page: Page, site: str) -> None:
    page.goto(f"{site}/boards/crowd/")
    page.locator("#next").focus()
    for ranks, focused in [("51–99", "next"), ("101–119", "board")]:  # the last page has no next
        page.keyboard.press("Enter")
        expect(page.locator(".pager b")).to_have_text(ranks)
        expect(page.locator(":focus")).to_have_id(focused)


def test_a_link_works_the_moment_it_is_there(page: Page, site: str) -> None:
    page.goto(f"{site}/boards/crowd/")
    page.evaluate(
        """() => {
          window.same = true; // lost if the page were loaded anew
          const seen = new MutationObserver(() => { seen.disconnect(); document.getElementById("next").click(); });
          seen.observe(document.getElementById("board"), { childList: true });
        }"""
    )
    page.locator("#next").click()
    expect(page.locator(".pager b")).to_have_text("101–119")
    assert page.evaluate("window.same") is True


def test_search_as_one_types(page: Page, site: str) -> None:
    page.goto(f"{site}/boards/crowd/")
    page.get_by_label("Find a player by name").press_sequentially("p1-0")
    expect(page.locator(".hits li")).to_have_count(10)
    assert page.evaluate("document.activeElement.id") == "q"
    page.locator(".hit-place").nth(7).click()
    expect(page.locator("tr.sought th")).to_contain_text("p1-07")
    expect(page.locator("tr.sought")).to_be_in_viewport()


def test_jump_to_a_rank(page: Page, site: str) -> None:
    page.goto(f"{site}/boards/crowd/")
    page.get_by_label("Go to rank").fill("72")
    page.get_by_label("Go to rank").press("Enter")
    expect(page.locator("tbody .c-rank").first).to_have_text("71")


def test_everything_works_without_javascript(browser: Browser, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/boards/crowd/")
    page.get_by_role("link", name="Lower").click()
    expect(page.locator(".pager b")).to_have_text("51–99")
    page.get_by_role("link", name="Higher").click()
    expect(page.locator(".podium li")).to_have_count(3)
    page.get_by_label("Go to rank").fill("72")
    page.get_by_role("button", name="Go").click()
    expect(page.locator("tbody .c-rank").first).to_have_text("71")
    page.get_by_label("Find a player by name").fill("p1-07")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".hits li")).to_have_count(1)
    page.locator(".hit-name").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("p1-07")
    context.close()


def test_the_own_row_is_always_in_sight_and_leads_to_those_around(page: Page, site: str) -> None:
    log_in(page, site)
    page.goto(f"{site}/boards/crowd/")
    own = page.locator("tr.own")
    for _ in range(3):
        expect(own).to_be_in_viewport(ratio=0.9)
        page.mouse.wheel(0, 500)
    page.get_by_role("link", name="show those around me").click()
    expect(page.locator("tr.own")).to_have_count(1)
    expect(page.locator("tr.apart")).to_have_count(0)
    assert "around=p0-55" in page.url
    for _ in range(4):
        expect(page.locator("tr.own")).to_be_in_viewport(ratio=0.9)
        page.mouse.wheel(0, 700)


@pytest.mark.parametrize("width", [360, 390])
def test_rows_stay_rows_on_a_phone(page: Page, site: str, width: int) -> None:
    log_in(page, site)
    page.set_viewport_size({"width": width, "height": 780})
    page.goto(f"{site}/boards/crowd/")
    expect(page.get_by_role("table").get_by_role("row")).to_have_count(1 + 47 + 1)
    expect(page.locator("tr.own")).to_be_in_viewport(ratio=0.9)
    expect(page.get_by_role("columnheader", name="Rating")).to_have_count(1)
    expect(page.get_by_role("cell", name="1 match")).to_have_count(47 + 1)


def test_older_matches_are_added_below(page: Page, site: str) -> None:
    page.goto(f"{site}/players/p0-55/matches/?mode=team")
    expect(page.locator(".line")).to_have_count(20)
    page.get_by_role("link", name="Older matches").click()
    expect(page.locator(".line")).to_have_count(26)
    expect(page.get_by_role("status")).to_have_text("6 older matches shown")
    expect(page.locator(".more")).to_have_count(0)
