"""The operators' page of queues, for people who may enter the admin."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboards.accounts.viewer import find_viewer
from matchmaking.operations.page import load_operator_page
from matchmaking.views.live_pages import render_live


@require_safe
def queues(request: HttpRequest) -> HttpResponse:
    """Show all queues, and one in full. The URL configuration lets only admins in."""
    context = {"viewer": find_viewer(request.user)}
    return render_live(
        request, "matchmaking/queues.html", load_operator_page(request.GET.get("mode", ""), timezone.now()), context
    )
