from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from matchmaking.operations.navigation import find_navigation


@require_safe
def bar(request: HttpRequest) -> HttpResponse:
    """What is under the header of every other page, for HTMX: nothing, 204, where it is as `?was=` says."""
    live = find_navigation(request.user).live
    if live is not None and request.GET.get("was") == f"{live.mode.slug}-{live.state}":
        return HttpResponse(status=204)
    response = render(request, "matchmaking/parts/live_bar.html", {"live": live})
    response["Cache-Control"] = "no-store"
    return response
