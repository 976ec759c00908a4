"""Requests' ids: taken from a proxy where sane, made otherwise, always answered."""

import pytest

MADE = None


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("7f3c-22.a:1", "7f3c-22.a:1"),
        ("", MADE),
        ("x" * 129, MADE),
        ('a","level":"critical', MADE),
        ("two words", MADE),
    ],
)
def test_the_answer_has_the_requests_id(client, given, expected):
    answered = client.get("/health/live", headers={"X-Request-ID": given})["X-Request-ID"]
    assert answered == expected or (expected is MADE and len(answered) == 32 and answered.isalnum())
