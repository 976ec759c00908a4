"""Signs messages by the Standard Webhooks specification, with secrets that are derived and stored nowhere.

A secret is an HMAC of the webhook's id and how often its secret was rotated, keyed by the site's secret key. So
somebody who can read the database can't sign, and a backup holds no secret.
"""

import base64
import datetime as dt
import hashlib
import hmac

from django.utils.crypto import salted_hmac

from leaderboards.models import Webhook

OVERLAP = dt.timedelta(days=1)  # after a rotation, the old secret signs too for so long
_PREFIX = "whsec_"


def secret_of(webhook: Webhook, *, rotations_ago: int = 0) -> str:
    """The secret as receivers know it: "whsec_" and base64."""
    value = f"{webhook.pk}:{webhook.rotation - rotations_ago}"
    key = salted_hmac("leaderboards.webhooks", value, algorithm="sha256").digest()
    return _PREFIX + base64.b64encode(key).decode()


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return "v1," and the HMAC-SHA256 of "id.timestamp.body" in base64."""
    key = base64.b64decode(secret.removeprefix(_PREFIX))
    digest = hmac.digest(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256)
    return "v1," + base64.b64encode(digest).decode()


def signature_headers(webhook: Webhook, message_id: str, body: bytes, now: dt.datetime) -> dict[str, str]:
    """The three headers of a message. For a day after a rotation, it is signed with both secrets."""
    secrets = [secret_of(webhook)]
    if webhook.rotated_at is not None and now < webhook.rotated_at + OVERLAP:
        secrets.append(secret_of(webhook, rotations_ago=1))
    timestamp = int(now.timestamp())
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(sign(secret, message_id, timestamp, body) for secret in secrets),
    }
