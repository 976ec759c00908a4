"""The OpenAPI schema: complete, and kept by every call, whatever is sent."""

import pytest
import schemathesis
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from config.wsgi import application
from tests.api import make_key
from tests.factories import make_mode, record

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


def test_the_schema_is_valid_and_without_warnings(capsys):
    call_command("spectacular", validate=True, fail_on_warn=True)
    assert capsys.readouterr().err == ""


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/docs/", "/api/docs/?script="])
def test_the_docs_hold_nothing_inline(path):
    response = Client().get(path)
    page = response.content.decode()
    assert response.status_code == 200
    assert ("<style" in page, "style=" in page, "<script>" in page) == (False, False, False)


@pytest.fixture
def _one_connection():
    """Requests leave the test's transaction open, as they do with Django's own client."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def api(db, _one_connection):
    make_mode()
    match = record(["a", "b"], ["c", "d"]).play.match
    schema = schemathesis.openapi.from_wsgi("/api/schema/?format=json", application)
    schema.known = {"mode": "duel", "id": "a", "number": str(match.pk)}
    schema.key = make_key("results", "ratings:hidden")
    return schema


@schemathesis.pytest.from_fixture("api").parametrize()
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_call_breaks_the_schema(case):
    """Half of the calls are about what exists."""
    known = case.operation.schema.known
    if len(str(case.query)) % 2:
        case.path_parameters.update({name: known[name] for name in case.path_parameters})
    case.call_and_validate(headers={"Authorization": f"Bearer {case.operation.schema.key}"}, checks=CHECKS)
