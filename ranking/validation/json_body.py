"""Reads request bodies: strict JSON of limited size."""

import json
import math
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import APIException, ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser

from ranking.wording.translation import gettext, number_text

LARGEST_BODY = 1_000_000  # bytes
LARGEST_BULK = 4_000_000  # 500 results of 6v6 with every optional field, a dozen stats a player, take 3.6 MB
MOST_VALUES = 400_000  # of a body; each takes up to 200 bytes of memory
_LONGEST_NUMBER = 400  # digits; Python converts such integers quickly, and back to text without an error


class BodyTooLarge(APIException):
    status_code = 413
    default_code = "too-large"


def too_large(largest: int) -> str:
    """Return the sentence that refuses a body of more bytes."""
    return gettext("The request is over %(number)s bytes.") % {"number": number_text(largest)}


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _no_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError(f"an object names the field {_repeated(pairs)[:64]!a} twice")
    return fields


def _repeated(pairs: list[tuple[str, object]]) -> str:
    """Return the first name that an earlier pair has, too."""
    seen: set[str] = set()
    return next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]


def _integer(digits: str) -> float:
    """Return the integer; infinity if it is absurdly long, so that the field's own check refuses it by name."""
    return int(digits) if len(digits) <= _LONGEST_NUMBER else math.inf


def read_json(text: str | bytes) -> object:
    """Parse JSON in UTF-8; raises ValueError with a sentence. NaN, infinities and repeated names are refused."""
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
        return json.loads(decoded, parse_constant=_no_constant, parse_int=_integer, object_pairs_hook=_no_duplicates)
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} isn't UTF-8") from error
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


class StrictJSONParser(BaseParser):
    """DRF's parser of request bodies. A view may allow larger bodies by its attribute `largest_body`."""

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
            raise BodyTooLarge(too_large(largest))
        if sum(body.count(mark) for mark in (b",", b"[", b"{")) > MOST_VALUES:
            raise BodyTooLarge(f"The request holds over {MOST_VALUES:,} values.")
        try:
            return read_json(body)
        except ValueError as error:
            raise ParseError(f"This isn't JSON: {error}.") from error
