"""Nothing on a page jumps when a part of it is swapped, even where the answer is long in coming.

Browsers excuse what moves within half a second of a click or a key; so the answers here take longer than that.
"""

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, Route

from leaderboards.models import Notice
from leaderboards.people.following import follow_player
from ranking.models import Mode, Player
from tests.support.browser import log_in
from tests.support.factories import make_mode, record

SLOWLY = 0.8  # seconds
OBSERVE = """
window.shifts = [];
window.settled = 0;
const at = (rect) => [rect.x, rect.y, rect.width, rect.height].map(Math.round).join(" ");
const said = ({ node, previousRect, currentRect }) =>
  `${node?.nodeName} #${node?.id} .${node?.className}: ${at(previousRect)} → ${at(currentRect)}`;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) window.shifts.push(entry.value, ...entry.sources.map(said));
  }
}).observe({ type: "layout-shift", buffered: true });
document.addEventListener("htmx:afterSettle", () => { window.settled += 1; });
"""
# The page has loaded; its fonts come after that, and the frame after them shows it as it stays.
LAID_OUT = """
async () => {
  await document.fonts.ready;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  window.shifts = [];
}
"""

Act = Callable[[Page], Any]


def click(selector: str) -> Act:
    return lambda page: page.locator(selector).first.click()


def type_in(selector: str, text: str) -> Act:
    return lambda page: page.locator(selector).press_sequentially(text, delay=20)


def choose(selector: str, value: str) -> Act:
    return lambda page: page.locator(selector).select_option(value)


def fill(selector: str, text: str) -> Act:
    """As who leaves the field."""
    return lambda page: (page.locator(selector).fill(text), page.locator(selector).press("Tab"))


# where, and what is done there, one after the other
SWAPS: list[tuple[str, str, list[Act]]] = [
    ("pages of a board", "/boards/crowd/", [click("#next"), click("#next"), click("#previous"), click("#previous")]),
    ("views of a board", "/boards/team/",
     [click(f"#tab-{to}") for to in ("friends", "global", "around", "distribution", "global")]),
    ("around me", "/boards/crowd/", [click("tr.apart .stretched"), click("#tab-global")]),
    ("regions", "/boards/team/", [click(".regions a + a"), click("#region-all")]),
    ("a rank", "/boards/crowd/", [lambda page: (page.fill("#rank", "72"), page.press("#rank", "Enter"))]),
    (
        "search on a board", "/boards/crowd/",
        [type_in("#q", "p1"), type_in("#q", "-07"), click(".hits .act-follow"), click(".hit-place")],
    ),
    ("nobody found", "/boards/crowd/", [type_in("#q", "xyz"), click(".hits .quiet")]),
    ("friends board", "/boards/crowd/friends/", [click("#next"), click("#previous")]),
    ("older matches", "/players/p0-55/matches/?mode=team", [click(".lines .more a")]),
    ("older notices", "/notifications/", [click(".notices .more a")]),
    ("a notice read", "/notifications/", [click(".told-read"), click(".told-read"), click(".notices-tools button")]),
    ("following", "/players/p1-09/?mode=crowd",
     [click(f".act-{verb}") for verb in ("follow", "unfollow", "follow", "block", "unblock")]),
    ("people", "/people/", [click("#next"), click(".act-unfollow"), click(".act-follow")]),
    ("people found", "/people/", [type_in("#q", "p1-0"), click(".act-follow"), type_in("#q", "7")]),
    ("people blocked", "/people/blocked/", [click(".act-unblock"), click(".act-follow"), click(".act-block")]),
    ("modes compared", "/compare/p0-55/p1-09/?mode=crowd", [click("#mode-second"), click("#mode-crowd")]),
    ("calculator", "/calculator/?preset=quitter",
     [choose("[name=system]", "elo"), click("#do-team"), fill("[name='0.place']", "2"), fill("[name='0.place']", "x"),
      fill("[name='0.place']", ""), fill("[name=duration]", "x")]),
]  # fmt: skip


@pytest.fixture
def full_site(site: str) -> str:
    """The site with more than a page of everything that is paged."""
    viewer, now = Player.objects.get(key="p0-55"), timezone.now()
    for player in Player.objects.filter(key__startswith="p0-").exclude(pk=viewer.pk):
        follow_player(viewer, player, now=now)
    crowd = Mode.objects.get(slug="crowd")
    Notice.objects.bulk_create(
        Notice(player=viewer, mode=crowd, kind="top", occasion=f"{number}", data={"percent": 10}, created_at=now)
        for number in range(30)
    )
    make_mode("second")
    record(["p0-55"], ["p1-09"], mode="second", now=now, ended_at=now)
    return site


@pytest.mark.parametrize("size", [(1440, 900), (360, 800)], ids=["desk", "phone"])
@pytest.mark.parametrize(("what", "where", "acts"), SWAPS, ids=[name for name, *_ in SWAPS])
def test_nothing_jumps(
    page: Page, full_site: str, size: tuple[int, int], what: str, where: str, acts: list[Act]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    log_in(page, full_site)
    page.add_init_script(OBSERVE)
    page.goto(full_site + where)
    page.evaluate(LAID_OUT)
    page.route("**/*", slowly)
    for act in acts:
        settled = page.evaluate("window.settled")
        act(page)
        page.wait_for_function("settled => window.settled > settled", arg=settled)
    page.wait_for_timeout(300)
    assert page.evaluate("window.shifts") == []


def slowly(route: Route) -> None:
    if route.request.headers.get("hx-request"):
        time.sleep(SLOWLY)
    route.continue_()
