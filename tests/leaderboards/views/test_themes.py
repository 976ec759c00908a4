"""The theme: a form that works without JavaScript, a cookie, and pages that are drawn in it from the start."""

import re

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db
DARK, LIGHT = '<html lang="en" data-theme="dark">', '<html lang="en" data-theme="light">'


def page(client: Client) -> str:
    return client.get("/seasons/").content.decode()


def test_a_stranger_chooses_a_theme_and_pages_come_in_it(client: Client) -> None:
    assert '<html lang="en">' in page(client)
    answer = client.post("/theme/", {"theme": "dark", "next": "/seasons/?before=1"})
    assert answer["Location"] == "/seasons/?before=1"
    body = page(client)
    assert (DARK in body, '<meta name="color-scheme" content="dark">' in body) == (True, True)
    client.post("/theme/", {"theme": "light"})
    assert LIGHT in page(client)
    client.post("/theme/", {"theme": "system"})
    assert '<html lang="en">' in page(client)
    assert '<meta name="color-scheme" content="light dark">' in page(client)


@pytest.mark.parametrize("theme", ["", "pink", '"><script>'])
def test_other_themes_are_the_system(client: Client, theme: str) -> None:
    client.post("/theme/", {"theme": "dark"})
    client.post("/theme/", {"theme": theme})
    client.cookies["theme"] = theme
    assert '<html lang="en">' in page(client)


@pytest.mark.parametrize("address", ["", "https://example.org/", "//example.org/", "javascript:alert(1)"])
def test_the_way_back_stays_on_the_site(client: Client, address: str) -> None:
    assert client.post("/theme/", {"theme": "dark", "next": address})["Location"] == "/"


def test_error_pages_know_the_theme(client: Client) -> None:
    client.post("/theme/", {"theme": "dark"})
    assert DARK in client.get("/nothing/").content.decode()


def test_pages_of_errors_before_any_view_know_the_theme(client: Client) -> None:
    client.cookies["theme"] = "dark"
    body = client.get("/?" + "x" * 9_000).text
    assert (DARK in body, '<meta name="color-scheme" content="dark">' in body) == (True, True)


def test_the_docs_of_the_api_know_the_theme(client: Client) -> None:
    assert '<html lang="en">' in client.get("/api/docs/").text
    client.cookies["theme"] = "light"
    assert LIGHT in client.get("/api/docs/").text


@pytest.mark.parametrize(("theme", "sheets"), [("dark", ["theme-dark"]), ("light", ["theme-light"]), ("system", [])])
def test_the_admin_has_the_theme_of_the_site(admin_client: Client, theme: str, sheets: list[str]) -> None:
    admin_client.post("/theme/", {"theme": theme})
    body = admin_client.get("/admin/").text
    assert re.findall(r"css/(theme-[a-z]+)[.a-z0-9]*\.css", body) == sheets
    assert f'value="{theme}" aria-pressed="true"' in body
    assert "theme.js" not in body
