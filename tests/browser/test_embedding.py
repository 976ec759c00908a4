"""docs/embedding.html on another origin: the frame, and `fetch`; origins that the setting doesn't name get neither."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "embedding.html").read_text()


@contextmanager
def community(site: str) -> Iterator[str]:
    """A site of its own that shows the page of the docs; yields its origin."""
    page = PAGE.replace("https://ranks.example.org", site).replace("boards/duel/", "boards/crowd/")
    page = page.replace('mode = "duel"', 'mode = "crowd"').replace('["p1", "p2", "p3"]', '["p1-07", "p0-00", "nobody"]')

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def named(site: str, settings: Any) -> Iterator[str]:
    """The origin of a community that the setting names."""
    with community(site) as origin:
        settings.EMBED_ORIGINS = settings.CORS_ALLOWED_ORIGINS = [origin]
        settings.CORS_URLS_REGEX = settings.READ_API
        yield origin


def test_a_named_origin_shows_the_board_and_reads_the_ranks(page: Page, site: str, named: str) -> None:
    page.goto(named)
    members = page.locator("#members li")
    expect(members).to_have_count(2)
    expect(members.nth(0)).to_contain_text("p0-00: ")
    expect(members.nth(1)).to_contain_text("p1-07: ")
    expect(page.locator("#others")).to_have_text("Not on the board yet: 1")
    frame = page.frame_locator("iframe")
    expect(frame.locator("tbody tr")).to_have_count(10)
    with page.context.expect_page() as opened:
        frame.get_by_role("link", name="p0-00").click()
    expect(opened.value.get_by_role("heading", level=1)).to_contain_text("p0-00")
    assert [cookie["name"] for cookie in page.context.cookies() if cookie["name"] != "zone"] == []


def test_another_origin_gets_neither(browser: Browser, site: str, named: str) -> None:
    with community(site) as other:
        context = browser.new_context()
        page = context.new_page()
        page.goto(other)
        expect(page.locator("#others")).to_contain_text("The ranks can't be read")
        expect(page.locator("#members li")).to_have_count(0)
        expect(page.frame_locator("iframe").locator("tbody tr")).to_have_count(0)
        context.close()
