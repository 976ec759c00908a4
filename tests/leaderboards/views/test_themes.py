"""The theme: a form that works without JavaScript, a cookie, and pages that are drawn in it from the start."""

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
