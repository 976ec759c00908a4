from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboards.boardpages import load_page
from leaderboards.boards import get_board
from leaderboards.positions import BadPosition, Position, Top, read_position
from leaderboards.search import find_players
from leaderboards.viewers import find_viewer
from leaderboards.views.partial import render_part
from ranking.models import Season


@require_safe
def board(request: HttpRequest, slug: str) -> HttpResponse:
    now = timezone.now()
    try:
        shown = get_board(slug)
    except Season.DoesNotExist as error:
        raise Http404("There is no board of that name.") from error
    position: Position = Top()
    problem = ""
    try:
        position = read_position(request.GET.dict())
    except BadPosition as bad:
        problem = str(bad)
    viewer = find_viewer(request.user)
    hits = find_players(shown, request.GET.get("q", ""), now)
    page = None if hits else load_page(shown, position, viewer=viewer, now=now, problem=problem)
    context = {"board": shown, "page": page, "hits": hits, "viewer": viewer, "now": now}
    return render_part(request, "leaderboards/board.html", "page", context)
