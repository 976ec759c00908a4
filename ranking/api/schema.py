"""The OpenAPI schema: what it says about problems, authentication and objects of all calls."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers

from ranking.api.authentication import MayCall
from ranking.api.idempotency import TAKES_KEY
from ranking.api.pagination import QUERY, QuerySerializer
from ranking.api.schema_headers import parameters_of
from ranking.validation.field_codes import FIELD_CODES
from ranking.validation.problems import MEDIA_TYPE

F = TypeVar("F", bound=Callable[..., Any])

_MEANINGS = {
    400: "The request is invalid; the answer says what is wrong, and where. Nothing was written.",
    401: "A key or token is needed and missing, or it is unknown, expired or revoked.",
    403: "The caller may not do this: the key lacks the scope, or is for other modes, or a player's token is needed, or"
    " a player hides what is asked for.",
    404: "It doesn't exist, or the caller may not know of it.",
    408: "The body didn't arrive whole within a minute; nothing was changed.",
    409: "The request conflicts with the present state; nothing was changed.",
    413: "The request is too large.",
    414: "The address is over 8,000 bytes.",
    415: "The request isn't application/json.",
    422: "Another request was sent with this Idempotency-Key before; nothing was done.",
    429: "Too many requests; wait as long as Retry-After says.",
    503: "The database can't answer at the moment; nothing is half written. Send the request again after Retry-After.",
}

_DONE = {200: "Done.", 201: "Made.", 202: "Taken; it will be done later.", 204: "Done. The answer has no body."}
_EVERYWHERE = (401, 408, 413, 414, 429, 503)
_OF_KEPT = (400, 409, 422)  # what the header Idempotency-Key may lead to

# What a key may do, by its scope. The security of each call names the scope that a key needs for it.
SCOPES = {
    "results": "record match results",
    "servers": "register game servers, start lobbies, queue players on their behalf",
    "players": "obtain tokens and claim codes of players",
    "read": "read whether players may queue",
    "ratings:hidden": "see ratings and ranks that a mode doesn't show",
    "moderate": "act for moderators",
    "configure": "change modes and queues",
}

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
    code = serializers.ChoiceField(list(FIELD_CODES), help_text="What is wrong with the field.")
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """RFC 9457 problem details."""

    type = serializers.URLField(help_text="Address of the page about this code.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField(help_text="For programs; it never changes. /api/problems/ lists all.")
    detail = serializers.CharField()
    errors = FieldErrorSerializer(many=True, required=False)  # type: ignore[assignment]
    ticket = serializers.IntegerField(required=False, help_text="With `busy`: the number of the player's live ticket.")


def documented(
    summary: str,
    *,
    description: str,
    operation_id: str,
    answers: dict[int, Any],
    problems: Sequence[int] = (),
    query: type[QuerySerializer] = QuerySerializer,
    meanings: Mapping[int, str] = MappingProxyType({}),
    stores_nothing: bool = False,
    **more: Any,
) -> Callable[[F], F]:
    """Describe a view's method in the schema.

    `answers`: for each status of success a serializer, or an OpenApiResponse to say more than that it is done.
    `query`: the parameters of the address; all others are refused (ApiView.initial).
    `problems`: statuses of refusals beside those that all calls may answer; `meanings`: what they mean here.
    `stores_nothing`: it isn't a write, though it isn't a GET, so that it takes no Idempotency-Key.
    """
    successes = {
        status: answer if isinstance(answer, OpenApiResponse) else OpenApiResponse(answer, description=_DONE[status])
        for status, answer in answers.items()
    }

    def describe(method: F) -> F:
        takes_key = method.__name__ != "get" and not stores_nothing
        statuses = {*problems, *_EVERYWHERE, *(_OF_KEPT if takes_key else ())}
        refusals = {
            (status, MEDIA_TYPE): OpenApiResponse(
                ProblemSerializer, description=meanings.get(status, _MEANINGS[status])
            )
            for status in sorted(statuses)
        }
        own = [] if query is QuerySerializer else [query]
        described: F = extend_schema(
            operation_id=operation_id,
            summary=summary,
            description=description,
            responses={**successes, **refusals},
            parameters=[*own, *parameters_of(takes_key=takes_key, statuses={*answers, *statuses})],
            **more,
        )(method)
        setattr(described, TAKES_KEY, takes_key)
        setattr(described, QUERY, query)
        return described

    return describe


class ApiSchema(AutoSchema):
    """Says of each call who may make it, as its permissions do: by which credentials, and with which scope of a key."""

    def get_auth(self) -> list[dict[str, list[str]]]:
        super().get_auth()  # registers the schemes
        rights = self._rights()
        if rights is None:
            return [{}, {"key": []}, {"token": []}, {"account": []}]
        keys: list[dict[str, list[str]]] = [{"key": [rights.scope]}] if rights.scope else []
        return [*keys, {"token": []}, {"account": []}] if rights.players else keys

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, object] | None:
        """Describe the call, and say in words who may make it: readers of the docs page see no scopes elsewhere."""
        operation: dict[str, object] | None = super().get_operation(*args, **kwargs)
        if operation is not None:
            operation["description"] = f"{operation.get('description', '')}\n\n{_callers(self._rights())}".lstrip()
        return operation

    def get_extensions(self) -> dict[str, object]:
        rights = self._rights()
        return {"x-scope": rights.scope} if rights and rights.scope else {}

    def _rights(self) -> MayCall | None:
        """The permission that the call asks for; None if it is open to everybody."""
        found = [permission for permission in self.view.get_permissions() if isinstance(permission, MayCall)]
        return found[0] if found else None


def _callers(rights: MayCall | None) -> str:
    if rights is None:
        return "For everybody."
    keys = [f"keys with the scope `{rights.scope}`"] if rights.scope else []
    players = ["players (a token, or an account that is logged in)"] if rights.players else []
    return f"For {' and '.join(keys + players)}."


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "ranking.api.authentication.KeyAuthentication"
    name = ["key", "token"]

    def get_security_requirement(self, auto_schema: object) -> list[dict[str, list[object]]]:
        return [{name: []} for name in self.name]

    def get_security_definition(self, auto_schema: object) -> list[dict[str, object]]:
        bearer = {"type": "http", "scheme": "bearer"}
        return [
            {**bearer, "description": f"A key from `manage.py create_key`. Scopes: {_scopes()}.", "x-scopes": SCOPES},
            {**bearer, "description": "A player's token from `POST players/{id}/token/`."},
        ]


def _scopes() -> str:
    return "; ".join(f"`{scope}`: {says}" for scope, says in SCOPES.items())


class AccountScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "ranking.api.authentication.AccountAuthentication"
    name = "account"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
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

    def map_serializer(self, auto_schema: Any, direction: str) -> dict[str, object]:
        mapped: dict[str, object] = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**mapped, "additionalProperties": False}
