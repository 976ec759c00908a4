"""`/api/schema/`: the API as an OpenAPI document, which each process makes once: it changes with a release only."""

from __future__ import annotations

import functools
import gzip
import hashlib
import threading
from dataclasses import dataclass

from django.http import HttpResponse, HttpResponseBase
from django.utils import translation
from django.utils.cache import get_conditional_response, patch_vary_headers
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from ranking.api.base import ApiView

MAX_AGE = 60  # seconds
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Document:
    """JSON, plain and by gzip, and its entity tag."""

    plain: bytes
    compressed: bytes
    tag: str


def openapi_document() -> Document:
    """Return the document. The first call makes it: a quarter of a second of processor time."""
    with _lock:  # drf-spectacular registers its extensions at first use, in a way that isn't made for threads
        return _make_document()


@functools.cache
def _make_document() -> Document:
    with translation.override("en"):
        schema = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    plain = OpenApiJsonRenderer().render(schema, renderer_context={})
    return Document(plain, gzip.compress(plain, mtime=0), f'W/"{hashlib.sha256(plain).hexdigest()[:16]}"')


@extend_schema(exclude=True)
class OpenApiView(ApiView):
    checks_query = False  # tools add their own, such as ?format=json

    def get(self, request: Request) -> HttpResponseBase:
        document = openapi_document()
        packed = "gzip" in request.headers.get("Accept-Encoding", "")
        headers = {"ETag": document.tag, "Cache-Control": f"public, max-age={MAX_AGE}"}
        if packed:
            headers["Content-Encoding"] = "gzip"
        body = document.compressed if packed else document.plain
        response = HttpResponse(body, content_type=OpenApiJsonRenderer.media_type, headers=headers)
        patch_vary_headers(response, ["Accept-Encoding"])
        return get_conditional_response(request._request, etag=document.tag, response=response) or response
