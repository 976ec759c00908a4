"""`Authorization: Bearer <key>`: who is calling, and with which scopes."""

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from ranking.keys import find_key
from ranking.models import Key


class KeyAuthentication(BaseAuthentication):
    """`request.auth` is the Key; without a header the caller is anonymous."""

    def authenticate(self, request: Request) -> tuple[None, Key] | None:
        header = request.headers.get("Authorization")
        if header is None:
            return None
        scheme, _, secret = header.partition(" ")
        if scheme.lower() != "bearer":
            raise AuthenticationFailed("Authenticate by 'Authorization: Bearer <key>'.")
        key = find_key(secret.strip(), now=timezone.now())
        if key is None:
            raise AuthenticationFailed("This key is unknown or revoked.")
        return None, key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def has_scope(request: Request, scope: str) -> bool:
    return isinstance(request.auth, Key) and scope in request.auth.scopes
