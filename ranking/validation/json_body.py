"""Reading request bodies: strict JSON, of bounded size."""

import json
import math
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import APIException, ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser

LARGEST_BODY = 1_000_000  # bytes
LARGEST_BULK = 10_000_000
_LONGEST_NUMBER = 400  # digits; what Python reads quickly and repeats without complaint


class BodyTooLarge(APIException):
    status_code = 413
    default_code = "too_large"


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object names the field {twice[:64]!a} twice")
    return read


def _whole(digits: str) -> float:
    """A whole number; one that nobody could mean is infinite, so that its field is named."""
    return int(digits) if len(digits) <= _LONGEST_NUMBER else math.inf


def read_json(text: str | bytes) -> Any:
    """JSON in UTF-8, without NaN, infinities and repeated names; raises ValueError with a sentence."""
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
        return json.loads(decoded, parse_constant=_no_constant, parse_int=_whole, object_pairs_hook=_no_duplicates)
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} isn't UTF-8") from error
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


class StrictJSONParser(BaseParser):
    """A view may allow larger bodies by its attribute `largest_body`."""

    media_type = "application/json"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        context = parser_context or {}
        if "request" in context and context["request"].headers.get("Content-Encoding", "identity") != "identity":
            raise UnsupportedMediaType("compressed")
        largest = getattr(context.get("view"), "largest_body", LARGEST_BODY)
        body = stream.read(largest + 1)
        if len(body) > largest:
            raise BodyTooLarge(f"The request is over {largest:,} bytes.")
        try:
            return read_json(body)
        except ValueError as error:
            raise ParseError(f"This isn't JSON: {error}.") from error
