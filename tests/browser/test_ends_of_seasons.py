"""A season's end from both sides: a moderator ends it by the preview, and a player begins the next one."""

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from ranking.models import Mode, Season
from ranking.seasons.ending import end_season
from ranking.standings.publishing import publish
from tests.support.browser import PASSWORD, findings_of, log_in
from tests.support.factories import record


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_a_moderator_ends_a_season_and_a_player_starts_anew(browser: Browser, site: str, scripts: bool) -> None:
    mode = Mode.objects.get(slug="team")
    Mode.objects.filter(pk=mode.pk).update(placement_matches=5, placement_after_reset=3)
    mode.refresh_from_db()
    context = browser.new_context(java_script_enabled=scripts)
    _end_by_the_preview(context.new_page(), site, mode, axe=scripts)
    assert end_season(mode) is not None  # the job that comes every few seconds
    context.clear_cookies()
    page = context.new_page()
    log_in(page, site)
    _see_what_was_won(page, site, axe=scripts)
    _start_anew(page, site, mode)
    context.close()


def _end_by_the_preview(page: Page, site: str, mode: Mode, *, axe: bool) -> None:
    User.objects.create_superuser("boss", password=PASSWORD)
    page.goto(f"{site}/admin/")
    page.get_by_label("Name or email").fill("boss")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.goto(f"{site}/admin/ranking/mode/{mode.pk}/change/")
    page.get_by_role("link", name="End the season…").click()
    expect(page.get_by_text("Champions as of now")).to_be_visible()
    page.get_by_label("Ratings").select_option("hard")
    page.get_by_role("button", name="Show this reset").click()
    table = page.locator(".question table").first
    expect(table.locator("caption")).to_have_text("The best, now and then")
    assert len(set(table.locator("tbody td:nth-of-type(2)").all_text_contents())) == 1  # everybody is a newcomer
    if axe:
        assert findings_of(page) == []
    page.get_by_label("Ratings").select_option("soft")
    page.get_by_label("Factor").fill("0.5")
    page.get_by_label("Name of the next season").fill("Winter")
    page.get_by_label("Without waiting for late results").check()
    page.locator("[name=reason]").fill("The year is over.")
    page.get_by_role("button", name="End the season").click()
    expect(page.locator(".messagelist .success")).to_be_visible()


def _see_what_was_won(page: Page, site: str, *, axe: bool) -> None:
    page.goto(f"{site}/boards/team/?season=1")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Team")
    expect(page.locator(".podium, table").first).to_be_visible()
    page.goto(f"{site}/players/p0-55/?mode=team")
    expect(page.get_by_text("Best: #1 in Season 1").first).to_be_visible()
    page.get_by_role("link", name="Season 1").first.click()
    if axe:
        assert findings_of(page) == []
    page.goto(f"{site}/boards/team/")
    expect(page.get_by_text("Winter").first).to_be_visible()


def _start_anew(page: Page, site: str, mode: Mode) -> None:
    now = timezone.now()
    record(["p0-55", "mate"], ["b", "c"], mode="team", now=now, ended_at=now)
    publish(mode, now=now)
    page.goto(f"{site}/players/p0-55/?mode=team")
    expect(page.get_by_text("1 of 3 placement matches").first).to_be_visible()
    for _ in range(2):
        record(["p0-55", "mate"], ["b", "c"], mode="team", now=now, ended_at=now)
    publish(mode, now=now)
    page.goto(f"{site}/boards/team/")
    expect(page.locator("[aria-current=true], .own").first).to_be_visible()
    assert Season.objects.get(mode=mode, current=True).name == "Winter"
