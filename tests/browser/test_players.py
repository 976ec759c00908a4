"""Players' pages in a browser: a friend found by the middle of their name, charts read by keys, pictures copied."""

import datetime as dt
import re

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from leaderboards.profiles.profiles import load_profile
from ranking.models import STRANGER, Match, Player
from tests.support.browser import look
from tests.support.factories import make_mode, record


def test_a_friend_is_found_by_the_middle_of_their_name(page: Page, site: str) -> None:
    page.goto(f"{site}/calculator/")
    page.get_by_label("Search all players").fill("0-5")
    page.keyboard.press("Enter")
    expect(page.locator(".people li")).to_have_count(10)
    friend = page.locator(".people li").filter(has_text="p0-55")
    expect(friend).to_contain_text("#")
    friend.get_by_role("link", name="p0-55").click()
    expect(page).to_have_url(re.compile(r"/players/p0-55/$"))


def test_on_a_phone_a_button_leads_to_the_search(page: Page, site: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{site}/boards/crowd/")
    page.get_by_role("button", name="Search players").click()
    page.wait_for_url(f"{site}/search/?q=")  # loaded, scripts included
    page.get_by_label("Any part of a name").press_sequentially("1-0")
    expect(page.locator(".people li")).to_have_count(10)


@pytest.fixture
def weeks(site: str) -> str:
    """A site on which p0-55 has played one duel a day for twelve days."""
    make_mode("days", team_size_max=1, description="One a day.")
    now = timezone.now().replace(hour=12, minute=0)
    for days_ago in range(12, 0, -1):
        pair = [["p0-55"], ["b"]] if days_ago % 3 else [["b"], ["p0-55"]]
        record(*pair, mode="days", variant="Harbour", now=timezone.now(), ended_at=now - dt.timedelta(days=days_ago))
    return site


def last_tuesday() -> dt.date:
    today = timezone.now().date()
    return today - dt.timedelta(days=(today.weekday() - 1) % 7 or 7)


def test_the_rating_of_last_tuesday_is_read_by_keyboard(page: Page, weeks: str) -> None:
    profile = load_profile(Player.objects.get(key="p0-55"), "days", access=STRANGER, now=timezone.now())
    assert profile is not None
    assert profile.past is not None
    tuesday = last_tuesday()
    [row] = [row for row in profile.past.curves.rows if row.at.date() == tuesday]
    page.goto(f"{weeks}/players/p0-55/?mode=days")
    chart = page.get_by_role("slider", name="Rating")
    chart.focus()
    for _ in range(12):
        if f"Tue {tuesday.day} " in str(chart.get_attribute("aria-valuetext")):
            break
        page.keyboard.press("ArrowLeft")
    words = str(chart.get_attribute("aria-valuetext"))
    assert (f"Rating {row.rating}" in words, row.result in words) == (True, True)
    expect(page.locator(".chart-readout").first).to_have_text(words)
    page.keyboard.press("Home")
    expect(chart).to_have_attribute("aria-valuenow", "1")
    page.keyboard.press("End")
    expect(chart).to_have_attribute("aria-valuenow", "12")
    assert look(page) == []


def test_a_pointer_and_a_finger_read_it_too(page: Page, weeks: str) -> None:
    page.goto(f"{weeks}/players/p0-55/?mode=days")
    chart = page.get_by_role("slider", name="Rating")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 1, box["y"] + 20)
    expect(chart).to_have_attribute("aria-valuenow", "1")
    chart.dispatch_event("pointerdown", {"clientX": box["x"] + box["width"] - 1, "clientY": box["y"] + 9})
    expect(chart).to_have_attribute("aria-valuenow", "12")


def test_a_shorter_stretch_comes_without_a_new_page(page: Page, weeks: str) -> None:
    page.goto(f"{weeks}/players/p0-55/?mode=days")
    page.evaluate("window.same = true")
    page.get_by_role("link", name="7 days").click()
    expect(page.get_by_role("slider", name="Rating")).to_have_attribute("aria-valuemax", re.compile("6|7"))
    assert page.evaluate("window.same") is True


def test_charts_and_filters_without_javascript(browser: Browser, weeks: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{weeks}/players/p0-55/?mode=days&stretch=7")
    page.get_by_text("As a table").click()
    assert page.locator("#curves-table tbody tr").count() in (6, 7)
    page.get_by_role("link", name="Harbour").first.click()
    page.get_by_role("link", name="Lost", exact=True).click()
    expect(page.locator(".line")).to_have_count(4)
    context.close()


def test_a_match_is_copied_as_a_picture(browser: Browser, weeks: str) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{weeks}/matches/{Match.objects.latest('pk').pk}/")
    page.get_by_role("button", name="Copy picture").click()
    expect(page.locator("#status")).to_have_text(re.compile("copied"))
    context.close()
