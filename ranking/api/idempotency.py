"""The header Idempotency-Key: a write that is sent again is answered again, and done once.

A refusal isn't kept. Nothing was done then, and what stood against it may have passed: the request is tried again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone
from rest_framework.exceptions import APIException, ErrorDetail, ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.authentication import caller
from ranking.database.retries import run_retried
from ranking.models import Key
from ranking.models.access import KeptAnswer
from ranking.operations import idempotency

HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
LONGEST = 255
TAKES_KEY = "takes_idempotency_key"  # on the methods of views that keep their answers
Handler = Callable[..., Response]


class BadKey(ValidationError):
    """The header is malformed."""

    problem_code = "bad-idempotency-key"

    def __init__(self) -> None:
        sentence = f"This must have 1 to {LONGEST} printable ASCII characters."
        super().__init__({HEADER: [ErrorDetail(sentence, "format")]})


class KeyReused(APIException):
    status_code = 422
    default_code = "idempotency-key-reused"
    default_detail = "This Idempotency-Key came with another request before; nothing was done. Choose a new key."


class RequestInFlight(APIException):
    status_code = 409
    default_code = "request-in-flight"
    default_detail = "The same request is being answered at the moment; nothing was done. Send it again."

    def __init__(self, wait: int) -> None:
        super().__init__()
        self.wait = wait


def is_repeatable(request: Request) -> bool:
    """True if the request has the header, and is a key's or a player's. Others have nobody to keep an answer for."""
    return HEADER in request.headers and _caller_of(request) is not None


def _caller_of(request: Request) -> str | None:
    if isinstance(request.auth, Key):
        return f"key-{request.auth.pk}"
    player = caller(request)
    return None if player is None else f"player-{player.pk}"


def answer_once(once_by_itself: bool, handler: Handler, request: Request, *args: object, **kwargs: object) -> Response:
    """Answer a request by its handler, or by the answer that was kept when it came before.

    Raises what the handler raises, and BadKey, RequestInFlight and KeyReused.
    """
    who, key = _caller_of(request), request.headers[HEADER]
    if not 1 <= len(key) <= LONGEST or not all(" " <= character <= "~" for character in key):
        raise BadKey
    try:
        row = idempotency.claim(str(who), key, _digest(request), now=timezone.now())
    except idempotency.InFlight as error:
        raise RequestInFlight(error.wait) from error
    except idempotency.Reused as error:
        raise KeyReused from error
    if row.status is not None:
        return _replay(row)
    keep = partial(_keep, row)
    try:
        if once_by_itself:
            return keep(handler(request, *args, **kwargs))
        return run_retried(partial(_act, handler, request, keep, args, kwargs))
    except Exception:
        idempotency.release(row)
        raise


@transaction.atomic
def _act(handler: Handler, request: Request, keep: Handler, args: Any, kwargs: Any) -> Response:
    """Act and keep the answer, in one transaction."""
    return keep(handler(request, *args, **kwargs))


def _keep(row: KeptAnswer, response: Response) -> Response:
    if response.status_code >= 400:
        idempotency.release(row)
        return response
    body = b"" if response.data is None else JSONRenderer().render(response.data)
    try:
        idempotency.complete(row, response.status_code, body)
    except idempotency.InFlight as error:
        raise RequestInFlight(error.wait) from error
    return response


def _replay(row: KeptAnswer) -> Response:
    try:
        body = idempotency.read_body(row)
    except idempotency.Unreadable as error:
        raise KeyReused("This request was answered before, and the answer can't be read any more.") from error
    return Response(json.loads(body) if body else None, row.status, headers={REPLAYED: "true"})


def _digest(request: Request) -> str:
    """The digest of what is asked: method, address and body. How the JSON is spaced and ordered doesn't matter."""
    body = json.dumps(request.data, sort_keys=True)
    return hashlib.sha256(f"{request.method} {request.get_full_path()}\n{body}".encode()).hexdigest()
