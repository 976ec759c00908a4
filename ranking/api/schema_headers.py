"""The headers of calls in the OpenAPI schema: quotas, repeated writes and how long to wait.

Every answer may tell what is left of a limit. A write takes the header Idempotency-Key, and its answer tells if it was
kept from an earlier request (ranking/api/idempotency.py).
"""

from collections.abc import Collection, Iterator
from typing import Any

from drf_spectacular.utils import OpenApiParameter

from ranking.api.idempotency import HEADER, LONGEST, REPLAYED

KEPT = (200, 201, 202, 204)  # statuses of answers that are kept and sent again
_ALWAYS_WAITS, _MAY_WAIT = (429, 503), (409,)
_QUOTA = {
    "RateLimit-Limit": "How many requests a minute the caller may make. Missing if there is no limit.",
    "RateLimit-Remaining": "How many of them are left until the limit begins anew.",
    "RateLimit-Reset": "Seconds until it begins anew.",
}
_WAIT = "Seconds to wait before the request is sent again."
_WHOLE = {"type": "integer", "minimum": 0}
_HEADERS = "#/components/headers/"


def parameters_of(*, takes_key: bool, statuses: Collection[int]) -> Iterator[OpenApiParameter]:
    """Yield the headers that a call takes and that its answers of these statuses have.

    `takes_key`: it takes the header Idempotency-Key.
    """
    for name, says in _QUOTA.items():
        yield _answered(name, _WHOLE, says, statuses)
    yield _answered("Retry-After", _WHOLE, _WAIT, [each for each in statuses if each in _ALWAYS_WAITS], required=True)
    if takes_key:
        yield _answered("Retry-After", _WHOLE, f"{_WAIT} Only with `request-in-flight`.", _MAY_WAIT)
        says = f"The request with the same {HEADER} came before; this is its answer again."
        yield _answered(REPLAYED, {"type": "string", "enum": ["true"]}, says, KEPT)
        yield OpenApiParameter(
            HEADER,
            {"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": "^[ -~]+$"},
            OpenApiParameter.HEADER,
            description=(
                "The same request with the same value, sent again within a day, is answered again and done once."
                " For keys and players."
            ),
        )


def _answered(
    name: str, schema: dict[str, object], says: str, statuses: Collection[int], *, required: bool = False
) -> OpenApiParameter:
    return OpenApiParameter(
        name, schema, OpenApiParameter.HEADER, required=required, description=says, response=list(statuses)
    )


def share_headers(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Make a component of each header, which answers and calls refer to: a postprocessing hook of drf-spectacular.

    A header that is required in some answers only keeps its own words in the others.
    """
    components = result["components"]
    headers, parameters = components.setdefault("headers", {}), components.setdefault("parameters", {})
    operations = [operation for path in result["paths"].values() for operation in path.values()]
    for operation in operations:
        for answer in operation["responses"].values():
            for name, header in answer.get("headers", {}).items():
                if headers.setdefault(name, header) == header:
                    answer["headers"][name] = {"$ref": _HEADERS + name}
        for index, parameter in enumerate(operation.get("parameters", ())):
            if parameter["name"] == HEADER:
                parameters[HEADER] = parameter
                operation["parameters"][index] = {"$ref": f"#/components/parameters/{HEADER}"}
    return result
