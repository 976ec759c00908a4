from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboards.postgame import load_postgame
from leaderboards.viewers import find_viewer
from ranking.models import Match


@require_safe
def match(request: HttpRequest, pk: int) -> HttpResponse:
    viewer = find_viewer(request.user)
    try:
        game = load_postgame(pk, viewer=viewer)
    except Match.DoesNotExist as error:
        raise Http404("There is no such match.") from error
    return render(
        request, "leaderboards/match.html", {"game": game, "match": game.match, "viewer": viewer, "now": timezone.now()}
    )
