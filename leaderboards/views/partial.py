"""Parts of pages: HTMX gets a part of a page, everybody else the whole page."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers


def render_part(request: HttpRequest, template: str, part: str, context: Mapping[str, Any]) -> HttpResponse:
    """Render the partial `part` for HTMX; render the whole template for others, and when HTMX restores history."""
    htmx = getattr(request, "htmx", None)
    partly = htmx is not None and bool(htmx) and not htmx.history_restore_request
    response = render(request, f"{template}#{part}" if partly else template, {**context, "partly": partly})
    patch_vary_headers(response, ["HX-Request", "HX-History-Restore-Request", "Cookie"])
    return response
