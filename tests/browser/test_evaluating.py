"""Evaluating a mode in a browser: asked for, watched, read; with JavaScript and without."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from ranking.trials.evaluation_jobs import EVALUATIONS
from tests.support.browser import PASSWORD, look


@pytest.fixture(autouse=True)
def _nothing_in_hand() -> None:
    EVALUATIONS.in_hand = None


def open_evaluation(page: Page, site: str) -> None:
    """Log in, and go from the mode to its evaluation."""
    User.objects.create_superuser("boss", password=PASSWORD)
    page.goto(f"{site}/admin/ranking/mode/")
    page.get_by_label("Name or email").fill("boss")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Team", exact=True).click()
    page.get_by_role("link", name="Evaluate").click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_asked_for_watched_and_read(browser: Browser, site: str, scheme: Any) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": 360, "height": 800})
    complaints: list[str] = []
    context.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page, findings = context.new_page(), []
    open_evaluation(page, site)
    page.get_by_label("Gaussian Elo", exact=True).check()
    page.locator(".candidate summary").nth(1).click()
    findings += look(page)
    page.get_by_role("button", name="Evaluate").click()
    expect(page.get_by_role("heading", name="Waiting for its turn")).to_be_visible()
    findings += look(page)
    EVALUATIONS.work(timezone.now, seconds=60, keep=False)
    expect(page.get_by_role("heading", name="How well results were foreseen")).to_be_visible()
    expect(page.get_by_role("row", name="Gaussian Elo")).to_be_visible()
    findings += look(page)
    page.get_by_role("link", name="Team ratio").click()
    expect(page.locator(".candidate-title")).to_contain_text("Team ratio in force")
    context.close()
    assert (findings, complaints) == ([], [])


def test_without_javascript(browser: Browser, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    open_evaluation(page, site)
    page.get_by_role("button", name="Evaluate").click()
    page.get_by_role("link", name="Look again").click()
    expect(page.get_by_role("heading", name="Waiting for its turn")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("This evaluation was stopped.")).to_be_visible()
    context.close()
