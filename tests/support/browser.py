"""What tests do in a browser, and what they look at on a page."""

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.support.contrast import contrast_violations

PASSWORD = "a long secret"
LOOKS: tuple[tuple[Literal["light", "dark"], int], ...] = (("light", 1440), ("dark", 360))


def log_in(page: Page, site: str, name: str = "fox", password: str = PASSWORD) -> None:
    page.goto(f"{site}/account/login/")
    page.get_by_label("Name or email").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{site}/")


def log_out(page: Page) -> None:
    page.get_by_role("button", name="your menu").click()
    page.get_by_role("button", name="Log out").click()


# Preloading would fetch all style sheets anew, for rules about media that play and screens that turn: we have neither.
# Contrast is examined apart: tests.support.contrast.
RUN = """(within) => axe.run(within ?? document,
  { resultTypes: ['violations'], preload: false, rules: { 'color-contrast': { enabled: false } } })
  .then(results => results.violations)"""

SETTLED = """async (dark) => {
  const frame = () => new Promise(requestAnimationFrame);
  while (matchMedia("(prefers-color-scheme: dark)").matches !== dark) await frame();
  for (let calm = 0, frames = 0; calm < 3 && frames < 600; frames += 1) {
    await frame();
    calm = document.getAnimations().some(each => each instanceof CSSTransition) ? 0 : calm + 1;
  }
}"""


def findings_of(page: Page, within: str | None = None) -> list[tuple[str, str, str, list[Any]]]:
    """Everything that axe finds on the page, be it ever so small: light on a desk, dark on a phone.

    `within`: a selector of the parts to look at; None: the whole page.
    """
    found = []
    page.evaluate(Axe().axe_script)
    for scheme, width in LOOKS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.evaluate(SETTLED, scheme == "dark")
        for each in (*page.evaluate(RUN, within), *contrast_violations(page, (scheme, width), within)):
            nodes = [node["html"][:200] for node in each["nodes"]][:3]
            found.append((scheme, each["id"], each["impact"], nodes))
    return found


def wider(page: Page) -> int:
    """By how much the page is wider than the window."""
    return int(page.evaluate("Math.max(0, document.documentElement.scrollWidth - window.innerWidth)"))


def look(page: Page) -> list[Any]:
    """What keeps people out of a page, or makes it scroll sideways."""
    page.wait_for_load_state()
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [*findings_of(page), *([f"{page.url} is {wide} px too wide"] if wide else [])]
