"""Fitting parameters in a browser: started, watched, read, used; with JavaScript and without."""

from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from ranking.models import FitRun, Mode
from ranking.modes.parameters import changed_params, current_parameters
from ranking.trials.fit_jobs import FITS
from tests.support.browser import PASSWORD, look
from tests.support.factories import make_mode
from tests.support.fit_histories import play_duels, played_by_elo
from tests.support.fit_results import stored_fit


@pytest.fixture(autouse=True)
def _nothing_in_hand() -> None:
    FITS.in_hand = None


def open_fit(page: Page, site: str) -> Mode:
    """Make a mode with a history, log in, and go from the mode to its fits."""
    mode = make_mode("solo", team_size_max=1)
    play_duels(mode, played_by_elo(0.35, np.random.default_rng(1), 1_300, 60))
    User.objects.create_superuser("boss", password=PASSWORD)
    page.goto(f"{site}/admin/ranking/mode/")
    page.get_by_label("Name or email").fill("boss")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Solo", exact=True).click()
    page.get_by_role("link", name="Fit…").click()
    return mode


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_started_watched_read_and_used(browser: Browser, site: str, scheme: Any) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": 390, "height": 800})
    complaints: list[str] = []
    context.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page, findings = context.new_page(), []
    mode = open_fit(page, site)
    page.get_by_label("Bayesian skill (TrueSkill)").check()
    findings += look(page)
    page.get_by_role("button", name="Fit").click()
    expect(page.get_by_role("heading", name="Waiting for its turn")).to_be_visible()
    findings += look(page)
    FITS.work(timezone.now, seconds=120, keep=False)
    expect(page.get_by_role("heading", name="Which system predicts best")).to_be_visible()
    findings += look(page)
    page.get_by_role("link", name="Use these…").first.click()
    findings += look(page)
    page.get_by_label("Why").fill("It predicts better.")
    page.get_by_label("From now on").check()
    page.get_by_role("button", name="Use these").click()
    expect(page.get_by_text("is rated by Gaussian Elo, alpha")).to_be_visible()
    assert changed_params(current_parameters(mode)) == FitRun.objects.get().results[0]["params"]
    context.close()
    assert (findings, complaints) == ([], [])


def test_all_that_a_fit_may_show(browser: Browser, site: str) -> None:
    page = browser.new_page()
    mode = open_fit(page, site)
    run = stored_fit(mode, recommended=False)
    page.goto(f"{site}/admin/ranking/mode/{mode.pk}/fit/{run.pk}/")
    expect(page.get_by_role("heading", name="Elite band")).to_be_visible()
    findings = look(page)
    page.get_by_role("link", name="Use these…").click()
    expect(page.get_by_label("Use these although the fit recommends the defaults")).to_be_visible()
    assert [*findings, *look(page)] == []
    page.close()


def test_without_javascript(browser: Browser, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    open_fit(page, site)
    page.get_by_role("button", name="Fit").click()
    page.get_by_role("link", name="Look again").click()
    expect(page.get_by_role("heading", name="Waiting for its turn")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("This fit was stopped.")).to_be_visible()
    context.close()
