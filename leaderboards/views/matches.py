"""The views of a match's post-game page, and of a forfeit's."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboards.accounts.viewer import find_viewer, read_access_of
from leaderboards.postgame.forfeit import load_forfeit
from leaderboards.postgame.leavers import load_departures
from leaderboards.postgame.postgame import load_postgame
from ranking.models import Forfeit, Match


@require_safe
def match(request: HttpRequest, pk: int) -> HttpResponse:
    viewer, now = find_viewer(request.user), timezone.now()
    try:
        sort, direction = (request.GET.get(name, "") for name in ("sort", "dir"))
        game = load_postgame(pk, viewer=viewer, sort=sort, direction=direction)
    except Match.DoesNotExist as error:
        raise Http404("There is no such match.") from error
    teams = [side.seats for side in game.sides]
    departures = load_departures(game.match, teams, read_access_of(request), now)
    context = {"game": game, "match": game.match, "departures": departures, "viewer": viewer, "now": now}
    return render(request, "leaderboards/match.html", context)


@require_safe
def forfeit(request: HttpRequest, pk: int) -> HttpResponse:
    try:
        page = load_forfeit(pk, access=read_access_of(request), now=timezone.now())
    except Forfeit.DoesNotExist as error:
        raise Http404("There is no such forfeit.") from error
    context = {"page": page, "viewer": find_viewer(request.user)}
    return render(request, "leaderboards/forfeit.html", context)
