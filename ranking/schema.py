"""What the OpenAPI schema can't see by itself."""

from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "ranking.api.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A key from `manage.py create_key`."}


class AccountScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "ranking.api.authentication.AccountAuthentication"
    name = "account"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": "Logged in on the site; what isn't read only wants the header X-CSRFToken, too.",
        }


class StrictObjects(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Objects that refuse unknown fields."""

    target_class = "ranking.validation.objects.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: str) -> dict[str, Any]:
        mapped: dict[str, Any] = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**mapped, "additionalProperties": False}
