"""The bar under the header that tells of the viewer's live ticket, asked for again and again by HTMX."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from matchmaking.operations.navigation import find_navigation


@require_safe
def bar(request: HttpRequest) -> HttpResponse:
    """Render the bar; 204 if it is still as `?was=` says."""
    live = find_navigation(request.user).live
    if live is not None and request.GET.get("was") == live.digest:
        return HttpResponse(status=204)
    response = render(request, "matchmaking/parts/live_bar.html", {"live": live})
    response["Cache-Control"] = "no-store"
    return response
