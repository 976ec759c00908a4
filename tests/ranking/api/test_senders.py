"""POST /api/v1/matches/: who may send, and how."""

import json

import pytest
from django.utils import timezone

from ranking.models import Key, Match
from tests.support.api import call, make_key, post_match, result
from tests.support.factories import make_mode
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _duel():
    make_mode()


# --- who may ---------------------------------------------------------------------------------------------


def test_without_a_sound_key_nothing_is_read(subtests):
    for header, sentence in [
        ({}, "This needs a key: 'Authorization: Bearer <key>'."),
        ({"Authorization": "Bearer"}, "The header Authorization holds no key: after 'Bearer' comes the key or token."),
        ({"Authorization": "Bearer nonsense"}, "This key is unknown. See that it was copied whole."),
        ({"Authorization": "Bearer rungs_00000000_x"}, "This key is unknown. See that it was copied whole."),
        ({"Authorization": "Bearer \u00e9\u0000_x_y"}, "This key is unknown. See that it was copied whole."),
        (
            {"Authorization": "Basic eA=="},
            "The word before the key must be Bearer: send 'Authorization: Bearer <key or token>'.",
        ),
        (
            {"Authorization": "rungs_00000000_x"},
            "The word before the key is missing: send 'Authorization: Bearer <key or token>'.",
        ),
    ]:
        with subtests.test(header=header), rolled_back():
            answer = call("POST", "matches/", b"{", **header)
            assert (answer.status, answer.body["detail"]) == (401, sentence)
            assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_revoked_key_is_refused():
    key = make_key()
    Key.objects.update(revoked_at=timezone.now())
    assert post_match(result(), key=key).status == 401


@pytest.mark.parametrize("scopes", [("read",), ("servers", "players"), ("ratings:hidden",)])
def test_a_key_without_the_scope_is_refused(scopes):
    answer = post_match(result(), key=make_key(*scopes))
    assert (answer.status, answer.body["detail"]) == (403, "This key lacks the scope 'results'.")


def test_a_key_bound_to_modes_posts_results_of_those_only():
    key = make_key(modes=[make_mode("ladder")])
    assert [post_match(result(mode=mode), key=key).status for mode in ("duel", "nowhere", "ladder")] == [403, 403, 201]
    assert Match.objects.get().mode.slug == "ladder"


# --- how it is sent ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_other_methods_are_refused(method):
    answer = call(method, "matches/", result(), key=make_key())
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, POST, HEAD, OPTIONS")


def test_other_media_types_are_refused(subtests):
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]:
        with subtests.test(content_type=content_type), rolled_back():
            assert post_match(json.dumps(result()).encode(), content_type=content_type).status == 415


def test_compressed_bodies_are_refused():
    assert post_match(result(), **{"Content-Encoding": "gzip"}).status == 415


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "APPLICATION/JSON"])
def test_json_by_any_spelling_is_read(content_type):
    assert post_match(result(), content_type=content_type).status == 201


def test_a_body_over_a_megabyte_is_refused():
    padded = json.dumps(result()).encode()
    assert post_match(padded.ljust(1_000_001)).status == 413
    assert post_match(padded.ljust(1_000_000)).status == 201


def test_an_address_without_its_slash_is_no_redirect():
    answer = call("POST", "matches", result(), key=make_key())
    assert (answer.status, answer.body["detail"]) == (
        404, "Nothing is at this address. Did you mean /api/v1/matches/? Addresses end with a slash. The addresses of"
        " the API are described at /api/docs/.",
    )  # fmt: skip
