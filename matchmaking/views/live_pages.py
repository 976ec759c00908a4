"""Pages that follow what happens: asked for again and again, they answer only where something has changed."""

import zlib
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboards.views.partial import render_part


def render_live(request: HttpRequest, template: str, page: Any, context: dict[str, Any]) -> HttpResponse:
    """The page, or for HTMX its part `live`; nothing, 204, where that is what `?was=` says the reader has.

    `page.facts` are what the part shows, and no more: clocks run in the browser.
    """
    digest = digest_of(page)
    if is_htmx(request) and request.GET.get("was") == digest:
        return HttpResponse(status=204)
    response = render_part(request, template, "live", {**context, "page": page, "digest": digest})
    response["Cache-Control"] = "no-store"
    return response


def render_refusal(
    request: HttpRequest, template: str, page: Any, context: dict[str, Any], problem: str
) -> HttpResponse:
    """The whole page with a sentence on top, 409."""
    context = {**context, "page": page, "digest": digest_of(page), "problem": problem}
    return render(request, template, context, status=409)


def digest_of(page: Any) -> str:
    return f"{zlib.crc32(repr(page and page.facts).encode()):08x}"


def is_htmx(request: HttpRequest) -> bool:
    """Whether HTMX asks, for a page that is open."""
    return bool(getattr(request, "htmx", None))


def go_to(request: HttpRequest, address: str) -> HttpResponse:
    """Elsewhere, from whichever kind of request."""
    if is_htmx(request):
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return HttpResponse(status=302, headers={"Location": address})
