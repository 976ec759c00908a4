"""Answering HTMX with a part of a page, everybody else with all of it."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers


def render_part(request: HttpRequest, template: str, part: str, context: Mapping[str, Any]) -> HttpResponse:
    """The partial `part` of a template for HTMX; the whole where it restores history."""
    htmx = getattr(request, "htmx", None)
    partly = htmx is not None and bool(htmx) and not htmx.history_restore_request
    response = render(request, f"{template}#{part}" if partly else template, {**context, "partly": partly})
    patch_vary_headers(response, ["HX-Request", "HX-History-Restore-Request", "Cookie"])
    return response
