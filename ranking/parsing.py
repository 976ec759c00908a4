"""Reading request bodies: strict JSON, of bounded size."""

import json
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser

LARGEST_BODY = 1_000_000  # bytes
LARGEST_BULK = 10_000_000


class TooLarge(APIException):
    status_code = 413
    default_code = "too_large"


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("an object names a field twice")
    return read


def read_json(text: str | bytes) -> Any:
    """JSON without NaN, infinities and repeated names; raises ValueError with a sentence."""
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_duplicates)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


class StrictJSONParser(BaseParser):
    """A view may allow larger bodies by its attribute `largest_body`."""

    media_type = "application/json"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        largest = getattr((parser_context or {}).get("view"), "largest_body", LARGEST_BODY)
        body = stream.read(largest + 1)
        if len(body) > largest:
            raise TooLarge(f"The request is over {largest:,} bytes.")
        try:
            return read_json(body)
        except ValueError as error:  # UnicodeDecodeError is one
            raise ParseError(f"This isn't JSON: {error}.") from error
