"""The OpenAPI schema: what it says about problems, authentication and objects of all calls."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers

from ranking.api.authentication import MayCall
from ranking.validation.problems import MEDIA_TYPE

F = TypeVar("F", bound=Callable[..., Any])

_MEANINGS = {
    400: "The request is invalid; the answer says what is wrong, and where. Nothing was written.",
    401: "A key or token is needed and missing, or it is unknown, expired or revoked.",
    403: "The caller may not do this: the key lacks the scope, or is for other modes, or a player's token is needed, or"
    " a player hides what is asked for.",
    404: "It doesn't exist, or the caller may not know of it.",
    409: "The request conflicts with the present state; nothing was changed.",
    413: "The request is too large.",
    414: "The address is over 8,000 bytes.",
    415: "The request isn't application/json.",
    429: "Too many requests; wait as long as Retry-After says.",
    503: "The database can't answer at the moment; nothing was changed. Send the request again after Retry-After.",
}

_EVERYWHERE = (401, 413, 414, 429, 503)

_RETRY_AFTER = OpenApiParameter(
    "Retry-After", int, OpenApiParameter.HEADER, required=True, description="Seconds.", response=[429, 503]
)

EXAMPLE = {
    "id": "eu1-48215",
    "mode": "duel",
    "started_at": "2026-01-20T18:00:00Z",
    "ended_at": "2026-01-20T18:13:21Z",
    "teams": [
        {
            "name": "Blue",
            "score": 15,
            "players": [{"id": "p1", "name": "Kestrel", "seconds": 801, "stats": {"kills": 11, "deaths": 4}}],
        },
        {"name": "Amber", "score": 11, "players": [{"id": "p2", "name": "Wren", "seconds": 640, "left_early": True}]},
    ],
}


class FieldErrorSerializer(serializers.Serializer[Any]):
    field = serializers.CharField(help_text="Path, such as teams[1].players[0].seconds.", allow_blank=True)
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """RFC 9457 problem details."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    errors = FieldErrorSerializer(many=True, required=False)  # type: ignore[assignment]


def documented(
    summary: str,
    *,
    description: str,
    operation_id: str,
    answers: dict[int, Any],
    problems: Sequence[int] = (),
    parameters: Sequence[Any] = (),
    **more: Any,
) -> Callable[[F], F]:
    """Describe a view's method in the schema. `problems`: its statuses beside those that all calls may answer."""
    refusals = {
        (status, MEDIA_TYPE): OpenApiResponse(ProblemSerializer, description=_MEANINGS[status])
        for status in sorted({*problems, *_EVERYWHERE})
    }
    return extend_schema(
        operation_id=operation_id,
        summary=summary,
        description=description,
        responses={**answers, **refusals},
        parameters=[*parameters, _RETRY_AFTER],
        **more,
    )


class ApiSchema(AutoSchema):
    """Says of each call who may make it, as its permissions do: by which credentials, and with which scope of a key."""

    def get_auth(self) -> list[dict[str, list[str]]]:
        super().get_auth()  # registers the schemes
        rights = self._rights()
        if rights is None:
            return [{}, {"key": []}, {"token": []}, {"account": []}]
        names = [*(["key"] if rights.scope else []), *(["token", "account"] if rights.players else [])]
        return [{name: []} for name in names]

    def get_extensions(self) -> dict[str, Any]:
        rights = self._rights()
        return {"x-scope": rights.scope} if rights and rights.scope else {}

    def _rights(self) -> MayCall | None:
        """The permission that the call asks for; None if it is open to everybody."""
        found = [permission for permission in self.view.get_permissions() if isinstance(permission, MayCall)]
        return found[0] if found else None


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "ranking.api.authentication.KeyAuthentication"
    name = ["key", "token"]

    def get_security_requirement(self, auto_schema: Any) -> list[dict[str, list[Any]]]:
        return [{name: []} for name in self.name]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, str]]:
        bearer = {"type": "http", "scheme": "bearer"}
        return [
            {**bearer, "description": "A key from `manage.py create_key`, with the scope that `x-scope` names."},
            {**bearer, "description": "A player's token from `POST players/{id}/token/`."},
        ]


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
    """Marks objects that refuse unknown fields."""

    target_class = "ranking.validation.objects.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: str) -> dict[str, Any]:
        mapped: dict[str, Any] = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**mapped, "additionalProperties": False}
