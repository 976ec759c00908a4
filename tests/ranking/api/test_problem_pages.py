"""The pages about problems: one for each code, and one for all, in the reader's language."""

import html
import re

import pytest
from django.test import Client

from ranking.validation.field_codes import FIELD_CODES
from ranking.validation.problems import problem_codes
from tests.support.api import call

pytestmark = pytest.mark.django_db


def test_each_code_has_its_page(subtests):
    for code in problem_codes():
        for language in ["en", "de"]:
            with subtests.test(language=language, code=code):
                response = Client().get(f"/api/problems/{code}/", headers={"Accept-Language": language})
                assert (response.status_code, f'<html lang="{language}"' in response.text) == (200, True)
                assert f"<code>{code}</code>" in response.text
                assert "`" not in re.sub(r"<meta.*?>", "", response.text)


def test_german_is_german():
    texts = [Client().get("/api/problems/", headers={"Accept-Language": name}).text for name in ("en", "de")]
    headings = [re.findall(r"<h3>.*?</h3>", text) for text in texts]
    assert [len(found) for found in headings] == [len(problem_codes())] * 2
    assert set(headings[0]) & set(headings[1]) == set()


def test_the_list_links_to_every_page():
    text = Client().get("/api/problems/").text
    assert set(re.findall(r'href="/api/problems/([a-z-]+)/"', text)) == problem_codes().keys()


def test_the_page_of_invalid_requests_has_the_codes_of_fields():
    text = html.unescape(Client().get("/api/problems/invalid-request/").text)
    assert [name for name in FIELD_CODES if f"<code>{name}</code>" not in text] == []


def test_a_problem_leads_to_its_page():
    address = call("GET", "players/nobody/").body["type"]
    assert Client().get(address).status_code == 200


def test_an_unknown_code_has_no_page():
    assert Client().get("/api/problems/nonsense/").status_code == 404


def test_a_page_is_only_read():
    assert Client().post("/api/problems/not-found/").status_code == 405


def test_a_page_costs_what_the_frame_of_the_site_costs(django_assert_num_queries):
    Client().get("/api/problems/not-found/")
    with django_assert_num_queries(1):  # the modes of the navigation
        Client().get("/api/problems/not-found/")
