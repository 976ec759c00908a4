"""Planning queues in a browser: numbers in, drawings out; nothing that keeps people out of the pages."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, expect

from tests.support.browser import PASSWORD, look


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_planned_and_simulated(browser: Browser, site: str, scheme: Any) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": 360, "height": 800})
    complaints: list[str] = []
    context.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page, findings = context.new_page(), []
    User.objects.create_superuser("boss", password=PASSWORD)
    page.goto(f"{site}/admin/matchmaking/planning/")
    page.get_by_label("Name or email").fill("boss")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="About 48 s")).to_be_visible()
    findings += look(page)
    page.get_by_role("spinbutton", name="Players online").fill("1000")
    page.get_by_role("button", name="Plan", exact=True).click()
    expect(page.get_by_role("heading", name="About 24 s")).to_be_visible()
    page.get_by_role("link", name="A simulation").click()
    for label, value in (("Players online", "30"), ("Hours", "0.2"), ("Players of a team", "2")):
        page.get_by_role("spinbutton", name=label, exact=True).fill(value)
    page.get_by_role("button", name="Simulate").click()
    expect(page.get_by_role("heading", name="In figures")).to_be_visible(timeout=30_000)
    expect(page.get_by_role("img")).to_have_count(4)  # too few matches to say how well skill is known
    findings += look(page)
    context.close()
    assert (findings, complaints) == ([], [])
