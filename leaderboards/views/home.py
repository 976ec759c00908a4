"""The view of the home page."""

from allauth.account.adapter import get_adapter
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboards.accounts.viewer import find_viewer
from leaderboards.home.first_steps import find_first_steps
from leaderboards.home.page import load_home
from leaderboards.views.partial import is_as_new, refresh_address, render_part
from ranking.standings.snapshots import newest_id_of_all


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    if is_as_new(request, newest_id_of_all):
        return HttpResponse(status=204)
    viewer = find_viewer(request.user)
    shown = load_home(viewer, timezone.now())
    modes = [card.board.mode for card in shown.cards]
    context = {
        "home": shown,
        "viewer": viewer,
        "first_steps": find_first_steps(viewer, shown.own, modes, has_account=request.user.is_authenticated),
        "signup_open": get_adapter().is_open_for_signup(request),
        "refresh": refresh_address(request, shown.newest),
    }
    return render_part(request, "leaderboards/home.html", "page", context)
