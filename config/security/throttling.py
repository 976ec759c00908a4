"""The rate limit on requests with a key or a player's token: a DRF throttle for every view of the API.

DRF's views import this module, so this module must not import DRF's views.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.throttling import BaseThrottle

from config.security import limits

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView


class KeyThrottle(BaseThrottle):
    """Limits requests with a key or a player's token, counted by key or token."""

    seconds: int | None = None

    def allow_request(self, request: Request, view: APIView) -> bool:
        if request.auth is not None:
            who = f"{type(request.auth).__name__}-{getattr(request.auth, 'pk', '')}"
            self.seconds = limits.count("key", who, settings.LIMITS["key"])
        return self.seconds is None

    def wait(self) -> float | None:
        return self.seconds
