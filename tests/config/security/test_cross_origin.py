"""Pages of other sites read the public API if RUNGS_EMBED_ORIGINS names them, and nothing else."""

import pytest
from django.test import Client

from tests.support.factories import make_mode, record

OURS, OTHER = "https://clan.example", "https://other.example"

pytestmark = pytest.mark.django_db


@pytest.fixture
def origins(settings):
    settings.EMBED_ORIGINS = settings.CORS_ALLOWED_ORIGINS = [OURS]
    settings.CORS_URLS_REGEX = settings.READ_API
    make_mode()
    record(["p1"], ["p2"])


def allowed(path: str, origin: str, method: str = "GET", **headers: str) -> dict[str, str]:
    response = Client().generic(method, path, headers={"Origin": origin, **headers})
    return {
        name.title(): value for name, value in response.headers.items() if name.lower().startswith("access-control-")
    }


def test_the_origins_of_the_setting_read_what_everybody_may_read(origins):
    read = {path: allowed(path, OURS).get("Access-Control-Allow-Origin") for path in (
        "/api/v1/boards/duel/", "/api/v1/boards/duel/players/?id=p1", "/api/v1/players/p1/", "/api/v1/matches/",
        "/api/v1/boards/nope/",
        "/", "/boards/duel/", "/admin/", "/api/v1/health/ready", "/account/", "/embed/boards/duel/",
    )}  # fmt: skip
    assert read == {path: OURS if "/v1/" in path and "health" not in path else None for path in read}
    response = Client().get("/api/v1/boards/duel/", headers={"Origin": OURS})
    assert "origin" in response["Vary"].lower().split(", ")
    assert "Access-Control-Allow-Credentials" not in response.headers


def test_other_origins_read_nothing(origins):
    others = (
        OTHER,
        "null",
        "http://clan.example",
        "https://clan.example:8443",
        "https://x.clan.example",
        OURS + ".evil.example",
    )
    assert {origin: allowed("/api/v1/boards/duel/", origin) for origin in others} == {key: {} for key in others}


def test_a_preflight_allows_neither_writing_nor_credentials(origins):
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    allows = allowed("/api/v1/matches/", OURS, "OPTIONS", **asks)
    assert allows["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert not {"Access-Control-Allow-Credentials"} & allows.keys()
    assert allows.get("Access-Control-Allow-Headers", "") == ""


def test_without_origins_no_answer_changes():
    make_mode()
    assert allowed("/api/v1/boards/duel/", OURS) == {}
    response = Client().get("/api/v1/boards/duel/", headers={"Origin": OURS})
    assert "origin" not in response["Vary"].lower()
    assert Client().options("/api/v1/boards/duel/", headers={"Origin": OURS}).headers["Content-Type"] != ""
