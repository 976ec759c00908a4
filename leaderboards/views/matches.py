"""The views of a match's post-game page, and of a forfeit's."""

import datetime as dt

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboards.accounts.viewer import find_viewer, read_access_of
from leaderboards.postgame.forfeit import load_forfeit
from leaderboards.postgame.leavers import load_departures
from leaderboards.postgame.postgame import load_postgame
from leaderboards.postgame.sharing import find_neighbours
from leaderboards.views.partial import is_as_new, refresh_address, render_part
from ranking.models import Forfeit, Match
from ranking.standings.snapshots import newest_id_of_all

SETTLED = dt.timedelta(hours=1)  # after a match its page asks no longer whether it has changed


@require_safe
def match(request: HttpRequest, pk: int) -> HttpResponse:
    if is_as_new(request, newest_id_of_all):
        return HttpResponse(status=204)
    viewer, now = find_viewer(request.user), timezone.now()
    try:
        sort, direction = (request.GET.get(name, "") for name in ("sort", "dir"))
        game = load_postgame(pk, viewer=viewer, sort=sort, direction=direction)
    except Match.DoesNotExist as error:
        raise Http404("There is no such match.") from error
    teams = [side.seats for side in game.sides]
    departures = load_departures(game.match, teams, read_access_of(request), now)
    context = {
        "game": game,
        "match": game.match,
        "departures": departures,
        "neighbours": find_neighbours(game.match, viewer, own=game.hero is not None),
        "site": request.build_absolute_uri("/").rstrip("/"),
        "viewer": viewer,
        "now": now,
    }
    if not game.rated or now - game.match.ended_at < SETTLED:
        context["refresh"] = refresh_address(request, newest_id_of_all())
    return render_part(request, "leaderboards/match.html", "page", context)


@require_safe
def forfeit(request: HttpRequest, pk: int) -> HttpResponse:
    try:
        page = load_forfeit(pk, access=read_access_of(request), now=timezone.now())
    except Forfeit.DoesNotExist as error:
        raise Http404("There is no such forfeit.") from error
    context = {"page": page, "viewer": find_viewer(request.user)}
    return render(request, "leaderboards/forfeit.html", context)
