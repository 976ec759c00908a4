"""Addresses and bodies over their limits: refused before anything is looked up, parsed or counted."""

import io
import json
import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from ranking.validation.json_body import MOST_VALUES

pytestmark = pytest.mark.django_db

BULK = "/api/v1/matches/bulk/"


def test_a_long_address_is_refused(client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    paths = ("/compare/", "/static/", "/health/live/", "/?q=", "/nothing?", "/api/v1/players/?q=")
    with django_assert_num_queries(0):
        statuses = {path: client.get(path.ljust(8_001, "x")).status_code for path in paths}
    assert statuses == dict.fromkeys(paths, 414)


def test_the_longest_address_is_answered(client: Client) -> None:
    assert client.get("/?q=".ljust(8_000, "x")).status_code == 200


def test_escapes_count_as_they_are_sent(client: Client) -> None:
    assert client.get("/nothing/" + "%20" * 2_663).status_code == 404
    assert client.get("/nothing/" + "%20" * 2_664).status_code == 414


def test_the_api_answers_with_a_problem(client: Client) -> None:
    response = client.get("/api/v1/players/?q=".ljust(8_001, "x"))
    assert (response.status_code, response.headers["Content-Type"]) == (414, "application/problem+json")
    assert response.json() == {
        "type": "http://testserver/api/problems/address-too-long/", "title": "The address is too long", "status": 414,
        "code": "address-too-long", "detail": "This address is over 8,000 bytes.",
    }  # fmt: skip


def test_people_get_a_page_of_the_site(client: Client) -> None:
    response = client.get("/?q=".ljust(8_001, "x"))
    assert (response.status_code, "8,000" in response.text) == (414, True)
    assert "Content-Security-Policy" in response.headers


def test_the_page_is_in_the_readers_language(client: Client) -> None:
    long = "/?q=".ljust(8_001, "x")
    assert told(client.get(long, headers={"Accept-Language": "de"})) == (414, "de", ["8.000"])
    client.cookies["language"] = "en"
    assert told(client.get(long, headers={"Accept-Language": "de"})) == (414, "en", ["8,000"])
    large = post(client, "/account/login/", 1_000_001, Unread(), accept_language="fr")
    assert told(large) == (413, "en", ["1,000,000"])
    client.cookies["language"] = "de"
    large = post(client, "/account/login/", 1_000_001, Unread())
    assert told(large) == (413, "de", ["1.000.000"])


def told(response: Any) -> tuple[int, str, list[str]]:
    """The status of a page of ours, its language, and the sizes of its sentence, as the language writes them."""
    [language] = re.findall(r'<html lang="(\w+)"', response.text)
    return response.status_code, language, re.findall(r"<p[^>]*>[^<]*?(\d+(?:[.,]\d{3})+)", response.text)


class Unread(io.BytesIO):
    """A body that nobody may read."""

    def read(self, *_: Any) -> bytes:
        raise AssertionError("The body was read.")


def post(client: Client, path: str, length: int | str, body: Any, **headers: str) -> Any:
    extra: dict[str, Any] = {"CONTENT_LENGTH": str(length), "wsgi.input": body}
    return client.post(path, content_type="application/json", headers=headers, **extra)


MOST = {
    "/api/v1/rate/": 1_000_000, "/api/v1/matches/": 1_000_000, BULK: 4_000_000, "/account/login/": 1_000_000,
    "/admin/login/": 1_000_000, "/people/follow/": 1_000_000,
}  # fmt: skip


def test_a_large_body_is_refused(client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    given = {}
    for path, most in MOST.items():
        with django_assert_num_queries(0):
            response = post(client, path, most + 1, Unread(), Authorization="Bearer rungs_00000000_x")
        said = re.findall(r"The request is over ([\d,]+) bytes\.", response.content.decode())
        given[path] = (response.status_code, {*said})
    assert given == {path: (413, {f"{most:,}"}) for path, most in MOST.items()}


def test_a_body_is_read_no_further_than_it_said(client: Client) -> None:
    response = post(client, "/api/v1/rate/", 2, io.BytesIO(b"{}" + b" " * 2_000_000))
    assert (response.status_code, response.json()["errors"][0]["field"]) == (400, "system")


def test_a_body_of_too_many_values_is_refused_unparsed(client: Client) -> None:
    body = b"[" + b"[]," * (MOST_VALUES // 2) + b"0]"
    response = client.post("/api/v1/rate/", body, content_type="application/json")
    assert (response.status_code, response.json()["detail"]) == (413, "The request holds over 400,000 values.")
    assert client.post("/api/v1/rate/", json.dumps([0] * 300_000), content_type="application/json").status_code == 400
