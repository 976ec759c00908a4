"""The calculator in a browser: figures follow what is entered, by HTMX and without JavaScript."""

from playwright.sync_api import Browser, Page, expect


def test_figures_follow_and_the_keyboard_stays(page: Page, site: str) -> None:
    page.goto(f"{site}/calculator/?preset=quitter")
    expect(page.locator("#o-0-0 b")).to_have_text("23.00")
    page.evaluate("window.same = true")  # lost if the page were loaded anew
    page.locator("#f-0-0-rating").fill("30")
    page.keyboard.press("Tab")
    page.keyboard.type("80")
    expect(page.locator("#o-0-0 .calc-before")).to_have_text("30.00")
    expect(page.locator(":focus")).to_have_id("f-0-0-seconds")
    assert page.locator(":focus").input_value() == "80"
    assert "0.0.rating=30" in page.url
    page.reload()
    expect(page.locator("#o-0-0 .calc-before")).to_have_text("30.00")


def test_faults_come_and_go(page: Page, site: str) -> None:
    page.goto(f"{site}/calculator/?preset=upset")
    page.get_by_label("Rating", exact=True).first.fill("high")
    page.keyboard.press("Tab")
    expect(page.locator("#o-0-0")).to_contain_text("“high” is no number.")
    page.get_by_label("Rating", exact=True).first.fill("1500")
    page.keyboard.press("Tab")
    expect(page.locator("#o-0-0 .calc-before")).to_have_text("1,500")
    expect(page.locator("#calculator")).not_to_contain_text("is no number")


def test_another_system_keeps_the_strengths(page: Page, site: str) -> None:
    page.goto(f"{site}/calculator/?preset=upset")
    page.get_by_label("Rating system").focus()
    page.get_by_label("Rating system").select_option("battle-points")
    expect(page.locator("#o-0-0 .calc-before")).to_have_text("900")
    expect(page.locator("#f-0-0-deviation")).to_have_count(0)
    expect(page.locator(":focus")).to_have_id("system")


def test_players_and_teams_come_and_go(page: Page, site: str) -> None:
    page.goto(f"{site}/calculator/?preset=newcomers")
    page.get_by_role("button", name="Add a player to Team B").click()
    expect(page.locator("#f-1-2-name")).to_be_visible()
    expect(page.locator(":focus")).to_have_id("do-add-1")
    page.get_by_role("button", name="Add a team").click()
    expect(page.get_by_role("heading", name="Team C")).to_be_visible()
    page.get_by_role("button", name="Remove B3").click()
    expect(page.locator("#f-1-2-name")).to_have_count(0)
    page.get_by_role("button", name="Remove Team C").click()
    expect(page.get_by_role("heading", name="Team C")).to_have_count(0)


def test_nothing_shifts_when_figures_change(page: Page, site: str) -> None:
    page.goto(f"{site}/calculator/?preset=quitter")
    top = "document.querySelector('#comparison').getBoundingClientRect().top + window.scrollY"
    before = page.evaluate(top)
    page.locator("#f-1-0-rating").fill("99.99")
    page.keyboard.press("Tab")
    expect(page.locator("#o-1-0 .calc-before")).to_have_text("99.99")
    assert page.evaluate(top) == before


def test_all_of_it_works_without_javascript(browser: Browser, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/")
    page.get_by_role("link", name="Calculator").first.click()
    page.get_by_text("Examples of other games").click()
    page.get_by_role("link", name="An upset, one on one").click()
    page.locator("#f-0-0-rating").fill("1600")
    page.keyboard.press("Enter")  # calculates, and presses no other button
    expect(page.locator("#o-0-0 .calc-before")).to_have_text("1,600")
    page.get_by_role("button", name="Add a team").click()
    expect(page.locator("#problem")).to_contain_text("Glicko-2 rates results of exactly 2 teams")
    page.get_by_label("Rating system").select_option("elo")
    page.get_by_role("button", name="Calculate").click()
    expect(page.locator("#o-2-0 b")).to_be_visible()
    page.locator("#f-2-0-left").check()
    page.get_by_role("button", name="Calculate").click()
    expect(page.locator("#f-2-0-left")).to_be_checked()
    page.locator(".calc-why summary").last.click()
    expect(page.locator("#y-2-0")).to_contain_text("Leaving early")
    context.close()
