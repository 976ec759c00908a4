"""Errors that no view answered: problem details under /api/, pages elsewhere, the policy's headers on all."""

import pytest
from django.contrib.auth.models import User

from tests.support.refusing_databases import read_only

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _failing(settings, client):
    settings.ROOT_URLCONF = "tests.support.failing_urls"
    client.raise_request_exception = False


@pytest.mark.parametrize(
    ("path", "status", "code", "retry"),
    [
        ("/api/crash/", 500, "internal-error", None),
        ("/api/lost/", 503, "database-unavailable", "5"),
        ("/api/v1/nowhere/", 404, "no-such-address", None),
    ],
)
def test_the_api_answers_with_problem_details(client, path, status, code, retry):
    answer = client.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    body = answer.json()
    assert list(body) == ["type", "title", "status", "code", "detail"]
    assert (body["status"], body["code"]) == (status, code)
    assert body["type"] == f"http://testserver/api/problems/{code}/"
    assert "secret" not in answer.text
    assert "10.0.0.5" not in answer.text
    assert answer.get("Retry-After") == retry


@pytest.mark.parametrize(
    ("path", "status", "title", "queries"),
    [("/crash/", 500, "Internal Server Error", 0), ("/lost/", 503, "Service Unavailable", 0)],
)
def test_pages_tell_people_without_asking_the_database(client, django_assert_num_queries, path, status, title, queries):
    with django_assert_num_queries(queries):
        answer = client.get(path)
    assert (answer.status_code, f"<h1>{title}</h1>" in answer.text) == (status, True)


POLICY = {
    "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "frame-ancestors": "'none'",
    "base-uri": "'none'", "form-action": "'self'",
}  # fmt: skip


def test_every_answer_has_the_policy(client):
    paths, given = ("/", "/crash/", "/lost/", "/nowhere/", "/admin/login/", "/api/crash/", "/health/live"), {}
    for path in paths:
        headers = client.get(path).headers
        policy = dict(rule.split(" ", 1) for rule in headers["Content-Security-Policy"].split("; "))
        others = (headers["X-Content-Type-Options"], headers["Referrer-Policy"])
        given[path] = ({name: policy[name] for name in POLICY}, *others)
    assert given == dict.fromkeys(paths, (POLICY, "nosniff", "same-origin"))


def test_a_host_that_isnt_ours_is_refused(client):
    answer = client.get("/", headers={"host": "elsewhere.example"})
    assert (answer.status_code, "elsewhere" in answer.text) == (400, False)


def test_a_page_with_too_many_parameters_is_a_bad_request_wherever_it_leads(client, settings):
    settings.ROOT_URLCONF = "config.urls"
    client.force_login(User.objects.create_superuser("boss"))
    addresses = ("/admin/nowhere/", "/nowhere/")
    many = "&".join(["a=1"] * (settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1))
    answers = {address: client.get(f"{address}?{many}").status_code for address in addresses}
    assert answers == dict.fromkeys(addresses, 400)


@pytest.mark.django_db(transaction=True)
def test_a_form_says_that_the_database_takes_no_writes(client, settings):
    settings.ROOT_URLCONF = "config.urls"
    User.objects.create_user("fox", password="a long secret")
    with read_only():
        answer = client.post("/account/login/", {"login": "fox", "password": "a long secret"})
    assert (answer.status_code, answer.get("Retry-After")) == (503, "5")
