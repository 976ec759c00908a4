"""Answers that are the same for everybody: shared caches keep them, and who has one already is told so."""

import hashlib
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control


def shared_answer(
    request: HttpRequest, shown: object, make: Callable[[], HttpResponse], *, max_age: int
) -> HttpResponseBase:
    """Return 304 if the client has it, 412 if its condition fails, else what `make` returns; `max_age` in seconds.

    `shown`: all that the answer depends on; its `repr` is hashed for the ETag. A refusal isn't for shared caches.
    """
    etag = f'"{hashlib.sha256(repr(shown).encode()).hexdigest()[:32]}"'
    response = get_conditional_response(request, etag=etag) or make()
    response["ETag"] = etag
    if response.status_code in (200, 304):
        patch_cache_control(response, public=True, max_age=max_age)
    return response
