from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboards.accounts.viewer import find_viewer, sight_of
from leaderboards.profiles.comparison import compare_players, find_pair
from leaderboards.views.partial import render_part


@require_safe
def compare(request: HttpRequest, first: str, second: str) -> HttpResponse:
    """Two players, whose keys may hold slashes themselves."""
    pair = find_pair(f"{first}/{second}")
    if pair is None:
        raise Http404("There are no two such players.")
    now = timezone.now()
    compared = compare_players(*pair, request.GET.get("mode", ""), sight=sight_of(request.user), now=now)
    context = {"compared": compared, "board": compared.board, "viewer": find_viewer(request.user), "now": now}
    return render_part(request, "leaderboards/comparison.html", "sides", context)
