"""Signatures by the Standard Webhooks specification."""

import datetime as dt

import pytest

from leaderboards.models import Webhook
from leaderboards.webhooks.signing import OVERLAP, secret_of, sign, signature_headers
from tests.support.factories import NOW


def test_a_signature_is_the_specifications() -> None:
    # Computed with `openssl dgst -sha256 -mac HMAC` from the key and the text that are written here.
    secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
    assert sign(secret, "match-rated_1", 1779278400, b'{"a":1}') == "v1,DYfpLvULGDTKHNf1BQhO1w0O+xcb3FcbZvw4UI09pms="


def test_secrets_differ_by_webhook_rotation_and_site(settings) -> None:
    made = {secret_of(Webhook(pk=pk, rotation=rotation)) for pk in (1, 2) for rotation in (0, 1)}
    settings.SECRET_KEY = "another"
    made |= {secret_of(Webhook(pk=1, rotation=0))}
    assert len(made) == 5


@pytest.mark.parametrize(
    ("since", "signatures"), [(None, 1), (dt.timedelta(), 2), (OVERLAP - dt.timedelta(seconds=1), 2), (OVERLAP, 1)]
)
def test_for_a_day_both_secrets_sign(since: dt.timedelta | None, signatures: int) -> None:
    hook = Webhook(pk=1, rotation=1, rotated_at=None if since is None else NOW - since)
    said = signature_headers(hook, "x", b"", NOW)["webhook-signature"].split(" ")
    secrets = [secret_of(hook), secret_of(hook, rotations_ago=1)][:signatures]
    assert said == [sign(secret, "x", int(NOW.timestamp()), b"") for secret in secrets]
