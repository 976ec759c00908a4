"""Signatures by the Standard Webhooks specification, with secrets that are derived and stored nowhere.

A secret is an HMAC of the webhook's number and how often its secret was rotated, keyed by the site's secret key:
whoever reads the database can't sign, and a backup holds no secret.
"""

import base64
import datetime as dt
import hashlib
import hmac

from django.utils.crypto import salted_hmac

from leaderboards.models import Webhook

OVERLAP = dt.timedelta(days=1)  # for so long after a rotation, the old secret signs too
_PREFIX = "whsec_"


def secret_of(webhook: Webhook, *, rotations_ago: int = 0) -> str:
    """The secret as receivers know it: whsec_ and base64."""
    about = f"{webhook.pk}:{webhook.rotation - rotations_ago}"
    key = salted_hmac("leaderboards.webhooks", about, algorithm="sha256").digest()
    return _PREFIX + base64.b64encode(key).decode()


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """v1 and the HMAC-SHA256 of "id.timestamp.body"."""
    key = base64.b64decode(secret.removeprefix(_PREFIX))
    signed = hmac.digest(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256)
    return "v1," + base64.b64encode(signed).decode()


def signature_headers(webhook: Webhook, message_id: str, body: bytes, now: dt.datetime) -> dict[str, str]:
    """The three headers of a message. Soon after a rotation it is signed with both secrets."""
    secrets = [secret_of(webhook)]
    if webhook.rotated_at is not None and now < webhook.rotated_at + OVERLAP:
        secrets.append(secret_of(webhook, rotations_ago=1))
    timestamp = int(now.timestamp())
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(sign(secret, message_id, timestamp, body) for secret in secrets),
    }
