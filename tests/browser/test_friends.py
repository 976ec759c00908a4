"""Following in a browser: three people are found and followed, a result moves the friends board, who hides vanishes."""

from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from leaderboards.models import Following
from leaderboards.people.following import unfollow_player
from ranking.models import Mode, Player
from ranking.standings.publishing import publish
from tests.support.browser import log_in
from tests.support.factories import record


def names(page: Page) -> list[str]:
    """Who is on the board, best first."""
    return page.locator(".podium .step-name a, .board tbody .c-name a").all_inner_texts()


def start_alone() -> None:
    for following in Following.objects.select_related("follower", "followed"):
        unfollow_player(following.follower, following.followed)


def test_follow_three_play_and_see_it_change_and_somebody_hide(page: Page, site: str) -> None:
    start_alone()
    log_in(page, site)
    page.goto(f"{site}/boards/crowd/friends/")
    expect(page.get_by_role("heading", name="Follow somebody")).to_be_visible()
    page.get_by_label("Find people by name").fill("p0-5")
    page.get_by_role("button", name="Find people").click()
    page.evaluate("window.same = true")  # lost if a page were loaded anew
    for key in ("p0-50", "p0-56", "p0-58"):
        page.get_by_role("button", name=f"Follow {key}").click()
        expect(page.get_by_role("button", name=f"Following {key}, unfollow")).to_be_visible()
        expect(page.get_by_role("status")).to_have_text(f"You follow {key} now")
        expect(page.get_by_role("button", name=f"Following {key}, unfollow")).to_be_focused()
    assert page.evaluate("window.same") is True
    page.goto(f"{site}/boards/crowd/friends/")
    assert names(page) == ["p0-50", "p0-55", "p0-56", "p0-58"]
    record(*[[f"p0-{number}"] for number in (58, *range(57), 57, 59)], mode="crowd", now=timezone.now(),
           ended_at=timezone.now())  # fmt: skip
    publish(Mode.objects.get(slug="crowd"), now=timezone.now())
    page.reload()
    assert names(page)[-1] != "p0-58"
    Player.objects.filter(key="p0-56").update(hides_from_friends=True)
    page.reload()
    assert "p0-56" not in names(page)
    assert len(names(page)) == 3


def test_the_own_row_is_in_sight_on_every_board(page: Page, site: str) -> None:
    viewer = Player.objects.get(key="p0-55")
    for other in Player.objects.filter(key__startswith="p1-"):
        Following.objects.create(follower=viewer, followed=other, since=timezone.now())
    log_in(page, site)
    page.set_viewport_size({"width": 390, "height": 780})
    for address in (
        "/boards/crowd/",
        "/boards/crowd/friends/",
        "/boards/crowd/friends/?rank=1",
        "/boards/team/?region=eu",
    ):
        page.goto(site + address)
        own = page.locator("tr.own, .step.own")
        expect(own).to_have_count(1)
        for _ in range(3):
            page.mouse.wheel(0, 600)
        if "team" not in address:
            expect(own).to_be_in_viewport(ratio=0.9)


def test_tabs_swap_in_place_and_keep_history(page: Page, site: str) -> None:
    log_in(page, site)
    page.goto(f"{site}/boards/team/")
    page.evaluate("window.same = true")
    own_region = "Europe your region"
    for tab, address in (("Friends", "friends/"), ("Distribution", "distribution/"), (own_region, "?region=eu")):
        if tab == own_region:
            page.locator("#tab-global").click()
            expect(page.get_by_role("link", name="Everywhere")).to_have_attribute("aria-current", "true")
            page.wait_for_url(f"{site}/boards/team/")
        page.get_by_role("link", name=tab, exact=True).click()
        page.wait_for_url(f"{site}/boards/team/{address}")
        expect(page.get_by_role("link", name=tab, exact=True)).to_have_attribute("aria-current", "page")
    page.go_back()
    page.wait_for_url(f"{site}/boards/team/")
    assert page.evaluate("window.same") is True


def test_following_works_without_javascript(browser: Browser, site: str) -> None:
    start_alone()
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    log_in(page, site)
    page.goto(f"{site}/boards/crowd/?q=p1-07")
    page.get_by_role("button", name="Follow p1-07").click()
    expect(page.get_by_role("button", name="Following p1-07, unfollow")).to_be_visible()
    page.goto(f"{site}/people/")
    page.get_by_role("button", name="Following p1-07, unfollow").click()
    expect(page.get_by_role("heading", name="You follow nobody yet")).to_be_visible()
    context.close()
