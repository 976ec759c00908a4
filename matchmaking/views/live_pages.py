"""Renders live pages: the browser asks for them again and again, and gets a new part only if something has changed."""

import json
import zlib
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboards.views.partial import render_part


def render_live(request: HttpRequest, template: str, page: Any, context: dict[str, Any]) -> HttpResponse:
    """Render the page, or for HTMX its part `live`; 204 if the browser has that already (`?was=` is its digest).

    `page.facts` are exactly what the part shows. Clocks aren't among them: they run in the browser.
    """
    digest = digest_of(page)
    if is_htmx(request) and request.GET.get("was") == digest:
        return HttpResponse(status=204)
    response = render_part(request, template, "live", {**context, "page": page, "digest": digest})
    response["Cache-Control"] = "no-store"
    return response


def render_refusal(
    request: HttpRequest, template: str, page: Any, context: dict[str, object], problem: str
) -> HttpResponse:
    """Render the whole page with a sentence about the problem on top, as 409."""
    context = {**context, "page": page, "digest": digest_of(page), "problem": problem}
    response = render(request, template, context, status=409)
    if is_htmx(request):
        response["HX-Retarget"] = response["HX-Reselect"] = "#main"
    return response


def digest_of(page: Any) -> str:
    return f"{zlib.crc32(repr(page and page.facts).encode()):08x}"


def is_htmx(request: HttpRequest) -> bool:
    """True if HTMX sends the request, for a page that is open."""
    return bool(getattr(request, "htmx", None))


def go_to(request: HttpRequest, address: str) -> HttpResponse:
    """Redirect, for a request of HTMX or of the browser.

    HTMX swaps the page's content and keeps the page: a page on which one has clicked may play a sound, a new one not.
    """
    if is_htmx(request):
        whole = {"HX-History-Restore-Request": "true"}
        way = {"path": address, "target": "#main", "select": "#main", "swap": "outerHTML", "headers": whole}
        return HttpResponse(status=204, headers={"HX-Location": json.dumps(way)})
    return HttpResponse(status=302, headers={"Location": address})
