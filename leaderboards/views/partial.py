"""Parts of pages: HTMX gets a part of a page, everybody else the whole page; open pages ask whether they are old."""

from collections.abc import Callable, Mapping

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language


def render_part(request: HttpRequest, template: str, part: str, context: Mapping[str, object]) -> HttpResponse:
    """Render the partial `part` for HTMX; render the whole template for others, and when HTMX restores history."""
    htmx = getattr(request, "htmx", None)
    partly = htmx is not None and bool(htmx) and not htmx.history_restore_request
    response = render(request, f"{template}#{part}" if partly else template, {**context, "partly": partly})
    patch_vary_headers(response, ["HX-Request", "HX-History-Restore-Request", "Cookie"])
    return response


def is_as_new(request: HttpRequest, newest: Callable[[], int | None]) -> bool:
    """True if HTMX asks for what is newer than the snapshot `?since=`, and that is still the newest.

    The answer is then 204, before anything else is read: open pages ask every half minute.
    """
    if "since" not in request.GET or not getattr(request, "htmx", None):
        return False
    snapshot = newest()
    return snapshot is not None and request.GET["since"] == str(snapshot)


def refresh_address(request: HttpRequest, newest: int | None) -> str:
    """The address at which an open page asks for what is newer than this snapshot.

    It names the page's language, so that the answer needs no account to know it.
    """
    parameters = request.GET.copy()
    parameters["lang"] = get_language() or settings.LANGUAGE_CODE
    parameters["since"] = str(newest or 0)
    return f"{request.path}?{parameters.urlencode()}"
