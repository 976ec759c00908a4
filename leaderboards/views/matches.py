"""The view of a match's post-game page."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboards.accounts.viewer import find_viewer, read_access_of
from leaderboards.postgame.leavers import load_departures
from leaderboards.postgame.postgame import load_postgame
from ranking.models import Match


@require_safe
def match(request: HttpRequest, pk: int) -> HttpResponse:
    viewer, now = find_viewer(request.user), timezone.now()
    try:
        game = load_postgame(pk, viewer=viewer)
    except Match.DoesNotExist as error:
        raise Http404("There is no such match.") from error
    teams = [side.seats for side in game.sides]
    departures = load_departures(game.match, teams, read_access_of(request), now)
    context = {"game": game, "match": game.match, "departures": departures, "viewer": viewer, "now": now}
    return render(request, "leaderboards/match.html", context)
