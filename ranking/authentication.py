"""`Authorization: Bearer <key>`: who is calling, and with which scopes."""

from typing import Any

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

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


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "ranking.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A key from `manage.py create_key`."}


def has_scope(request: Request, scope: str) -> bool:
    return isinstance(request.auth, Key) and scope in request.auth.scopes


class MayPostResults(BasePermission):
    """A key with the scope `results`."""

    message = "This key lacks the scope 'results'."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return has_scope(request, "results")
