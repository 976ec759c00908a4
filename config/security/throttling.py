"""The rate limit on requests with a key or a player's token: a DRF throttle for every view of the API.

DRF's views import this module, so this module must not import DRF's views.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.throttling import BaseThrottle

from config.security import limits

_QUOTA = "rate_limit_quota"  # on Django's request

if TYPE_CHECKING:
    from django.http import HttpRequest
    from rest_framework.request import Request
    from rest_framework.views import APIView


def set_quota(request: HttpRequest, quota: limits.Quota | None) -> None:
    """Note what is left of the limit by which this request was counted."""
    setattr(request, _QUOTA, quota)


def quota_headers(request: HttpRequest) -> dict[str, str]:
    """Return the headers RateLimit-*; none for a request that wasn't counted."""
    quota: limits.Quota | None = getattr(request, _QUOTA, None)
    return quota.headers() if quota else {}


class KeyThrottle(BaseThrottle):
    """Limits requests with a key or a player's token, counted by key or token."""

    seconds: int | None = None

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Count the request, and note what is left for the headers. A key's own limit goes before the site's."""
        if request.auth is not None:
            who = f"{type(request.auth).__name__}-{getattr(request.auth, 'pk', '')}"
            limit = getattr(request.auth, "limit", None) or settings.LIMITS["key"]
            quota = limits.take("key", who, limit)
            set_quota(request._request, quota)
            self.seconds = None if quota is None else quota.wait
        return self.seconds is None

    def wait(self) -> float | None:
        return self.seconds
