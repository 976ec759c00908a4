"""The API's docs page under the site's own policy: it renders, and the browser blocks nothing."""

import pytest
from playwright.sync_api import Page, expect


@pytest.mark.django_db(transaction=True)
def test_the_docs_render_and_nothing_is_blocked(page: Page, live_server) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("requestfailed", lambda request: said.append(request.url))
    page.goto(f"{live_server.url}/api/docs/")
    expect(page.get_by_role("heading", name="Rungs")).to_be_visible()
    schema = page.request.get(f"{live_server.url}/api/schema/?format=json").json()
    calls = [call for part in ("paths", "webhooks") for methods in schema[part].values() for call in methods]
    expect(page.locator(".opblock")).to_have_count(len(calls))
    page.get_by_text("Record a match result").click()
    expect(page.get_by_role("button", name="Try it out")).to_be_visible()
    assert said == []
