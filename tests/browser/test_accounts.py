"""Accounts in a browser: from signing up to one's own player, with JavaScript and without; nothing keeps people out."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect

from tests.support.api import call, make_key
from tests.support.browser import PASSWORD, findings_of, log_in, log_out
from tests.support.pages import ENTRANCE

INSIDE = ["", "claim", "email", "password/change", "2fa", "connections", "reauthenticate", "logout"]


def code_of(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


@pytest.fixture(params=[True, False], ids=["with JavaScript", "without"])
def visitor(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=request.param)
    yield context.new_page()
    context.close()


def test_from_signing_up_to_ones_own_player(visitor: Page, site: str) -> None:
    visitor.goto(f"{site}/account/login/?next=/boards/crowd/")
    visitor.get_by_role("link", name="Create an account").click()
    visitor.get_by_label("Username").fill("newfox")
    visitor.get_by_label("Email").fill("newfox@example.org")
    visitor.get_by_label("Password").fill("another long secret")
    visitor.get_by_role("button", name="Create account").click()
    visitor.wait_for_url(f"{site}/boards/crowd/")
    visitor.get_by_role("button", name="newfox").click()
    visitor.get_by_role("link", name="Account").click()
    visitor.get_by_label("Code").fill("aaaa bbbb")
    visitor.get_by_role("button", name="Link").click()
    expect(visitor.get_by_role("alert")).to_contain_text("This code isn’t known.")
    code = call("POST", "players/p0-41/claim-code/", key=make_key("players")).body["code"]
    visitor.get_by_label("Code").fill(code.lower())
    visitor.get_by_role("button", name="Link").click()
    expect(visitor.get_by_text("Welcome, p0-41: your matches are yours now.")).to_be_visible()
    expect(visitor.locator(".site-head .account-name")).to_have_text("p0-41")
    visitor.goto(f"{site}/boards/crowd/")
    expect(visitor.locator("tr.own")).to_contain_text("p0-41")
    log_out(visitor)
    expect(visitor.get_by_role("banner").get_by_role("link", name="Log in")).to_be_visible()


def test_a_second_factor_from_its_making_to_its_use(page: Page, site: str) -> None:
    log_in(page, site)
    page.goto(f"{site}/account/2fa/")
    page.get_by_role("link", name="Set up an authenticator app").click()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("img.qr")).to_have_js_property("complete", True)
    assert page.locator("img.qr").evaluate("image => image.naturalWidth") > 0
    secret = page.locator("code.secret").inner_text()
    page.get_by_label("Authenticator code").fill(code_of(secret))
    page.get_by_role("button", name="Turn it on").click()
    expect(page.locator(".recovery li")).to_have_count(10)
    recovery = page.locator(".recovery li").first.inner_text()
    log_out(page)
    page.goto(f"{site}/account/login/")
    page.get_by_label("Name or email").fill("fox")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_label("Code").fill(recovery)
    page.get_by_role("button", name="Log in").click()
    expect(page.locator(".site-head .account-name")).to_have_text("p0-55")


def second_factor_pages(page: Page, site: str) -> Iterator[str]:
    """Addresses that want a second factor, or to be asked for."""
    yield f"{site}/account/2fa/totp/activate/"
    TOTP.activate(User.objects.get(username="fox"), generate_totp_secret())
    for path in ("2fa", "2fa/totp/deactivate", "2fa/recovery-codes/generate", "2fa/reauthenticate"):
        yield f"{site}/account/{path}/"


def wide(page: Page) -> bool:
    page.set_viewport_size({"width": 320, "height": 800})
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_people_out(page: Page, site: str, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    addresses = [f"{site}/account/{path}/" for path in ENTRANCE]
    findings = dict(faults(page, addresses))
    log_in(page, site)
    findings |= faults(page, [f"{site}/account/{path}/".replace("//", "/").replace(":/", "://") for path in INSIDE])
    page.goto(f"{site}/account/reauthenticate/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()
    findings |= faults(page, second_factor_pages(page, site))
    assert findings == {}


def faults(page: Page, addresses: Any) -> dict[str, Any]:
    """What axe finds, and whether it scrolls sideways on the smallest phone, by address."""
    found = {}
    for address in addresses:
        page.goto(address)
        assert page.locator("main h1").count() == 1, address
        if problems := [*findings_of(page), *(["wide"] if wide(page) else [])]:
            found[page.url] = problems
    return found


def test_a_wrong_form_tells_where_and_keeps_people_in(page: Page, site: str) -> None:
    page.goto(f"{site}/account/signup/")
    page.get_by_label("Username").fill("fox")
    page.get_by_label("Email").fill("x@example.org")
    page.get_by_label("Password").fill("123")
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_label("Username")).to_have_accessible_description(
        "You log in with it. Boards show your player’s name, from the game. "
        "Somebody has that name already. Choose another."
    )
    assert findings_of(page) == []
