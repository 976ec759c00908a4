"""Requests' ids: taken from a proxy where sane, made otherwise, always answered."""

import pytest

MADE = None


@pytest.mark.django_db
def test_the_answer_has_the_requests_id(client):
    ids = [
        ("7f3c-22.a:1", "7f3c-22.a:1"),
        ("", MADE),
        ("x" * 129, MADE),
        ('a","level":"critical', MADE),
        ("two words", MADE),
    ]
    given = {sent: client.get("/health/live", headers={"X-Request-ID": sent})["X-Request-ID"] for sent, _ in ids}
    made = {sent: MADE for sent, own in given.items() if sent != own and len(own) == 32 and own.isalnum()}
    assert {**given, **made} == dict(ids)
