"""What a browser with an empty cache and no cookies receives for a page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, CDPSession


@dataclass(frozen=True, slots=True)
class Load:
    """A request of the page; `size`: bytes of its answer as they were sent, head included."""

    address: str
    encoding: str
    size: int


def first_visit(
    browser: Browser, address: str, before: Callable[[CDPSession], None] | None = None
) -> tuple[list[Load], float]:
    """Load a page in a new context; returns all it loads, and the seconds to its largest contentful paint."""
    with browser.new_context(viewport={"width": 390, "height": 844}, ignore_https_errors=True) as context:
        page = context.new_page()
        session = context.new_cdp_session(page)
        loads = _watch(session)
        if before:
            before(session)
        page.add_init_script(_WATCH_PAINTS)
        answer = page.goto(address, wait_until="networkidle", timeout=120_000)
        if not (answer and answer.ok):
            raise AssertionError(f"{address} answers {answer.status if answer else 'nothing'}")
        return loads, page.evaluate(_LARGEST_PAINT) / 1e3


_WATCH_PAINTS = """
window.paints = [];
new PerformanceObserver((list) => window.paints.push(...list.getEntries().map((entry) => entry.startTime)))
  .observe({ type: "largest-contentful-paint", buffered: true });
"""
_LARGEST_PAINT = """
() => new Promise((done) => {
  const look = () => (window.paints.length ? done(Math.max(...window.paints)) : setTimeout(look, 50));
  look();
})
"""


def _watch(session: CDPSession) -> list[Load]:
    """A list that grows with each answer that has come to its end."""
    answers: dict[str, tuple[str, str]] = {}
    loads: list[Load] = []

    def respond(event: dict[str, Any]) -> None:
        heads = {name.lower(): value for name, value in event["response"]["headers"].items()}
        answers[event["requestId"]] = (event["response"]["url"], heads.get("content-encoding", ""))

    def finish(event: dict[str, Any]) -> None:
        if event["requestId"] in answers:
            loads.append(Load(*answers[event["requestId"]], int(event["encodedDataLength"])))

    session.on("Network.responseReceived", respond)
    session.on("Network.loadingFinished", finish)
    session.send("Network.enable")
    return loads
