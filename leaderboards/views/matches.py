"""The views of a match's post-game page, of reports from it, and of a forfeit's page."""

import datetime as dt
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from leaderboards.accounts.viewer import find_viewer, read_access_of
from leaderboards.postgame.complaints import reason_words, sides_to_report
from leaderboards.postgame.forfeit import find_own_forfeit, load_forfeit
from leaderboards.postgame.leavers import load_departures
from leaderboards.postgame.next_steps import find_next_steps
from leaderboards.postgame.postgame import load_postgame
from leaderboards.postgame.sharing import find_neighbours
from leaderboards.views.partial import is_as_new, refresh_address, render_part
from ranking.abuse.complaints import MayNotReport, find_reportable, may_report_in, report_player
from ranking.models import Complaint, Forfeit, Match, Player
from ranking.standings.snapshots import newest_id_of_all

SETTLED = dt.timedelta(hours=1)  # after a match its page asks no longer whether it has changed


@require_safe
def match(request: HttpRequest, pk: int) -> HttpResponse:
    if is_as_new(request, newest_id_of_all):
        return HttpResponse(status=204)
    viewer, now, access = find_viewer(request.user), timezone.now(), read_access_of(request)
    try:
        sort, direction = (request.GET.get(name, "") for name in ("sort", "dir"))
        game = load_postgame(pk, viewer=viewer, access=access, now=now, sort=sort, direction=direction)
    except Match.DoesNotExist as error:
        raise Http404("There is no such match.") from error
    departures = load_departures(game.match, game.seats, access, now)
    context = {
        "game": game,
        "match": game.match,
        "departures": departures,
        "own_forfeit": find_own_forfeit(game.match, viewer),
        "own_departure": None if viewer is None else departures.get(viewer.pk),
        "next_steps": find_next_steps(game.match, viewer) if viewer is not None and game.hero is not None else None,
        "neighbours": find_neighbours(game.match, viewer, own=game.hero is not None),
        "site": request.build_absolute_uri("/").rstrip("/"),
        "viewer": viewer,
        "now": now,
        "may_report": game.hero is not None and may_report_in(game.match, now),
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


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, pk: int) -> HttpResponse:
    """The form by which players report others of their match; everybody else is told that there is no such page."""
    viewer, now = find_viewer(request.user), timezone.now()
    played = Match.objects.select_related("mode").filter(pk=pk, participations__player=viewer).first()
    if viewer is None or played is None:
        raise Http404("This isn't a match of the viewer's.")
    given = {name: request.POST.get(name, "").replace("\0", " ") for name in ("player", "reason", "text")}
    if request.method != "POST":  # a link may choose the player
        given["player"] = request.GET.get("player", "").replace("\0", " ")
    chosen = Player.objects.filter(key=given["player"], participations__match=played).first()
    faults: dict[str, str] = {}  # sentences by the field at fault
    if request.method == "POST":
        if chosen is None:
            faults["player"] = str(MayNotReport("player")) if given["player"] else _("Choose a player.")
        if given["reason"] not in dict(Complaint.REASONS):
            faults["reason"] = str(MayNotReport("reason"))
        if chosen is not None and not faults:
            try:
                report_player(played, viewer, chosen, reason=given["reason"], text=given["text"], now=now)
            except MayNotReport as refused:
                faults["text" if refused.code == "text" else "player"] = str(refused)
            else:
                return redirect(f"{reverse('leaderboards:report', args=[pk])}?{urlencode({'sent': chosen.key})}")
    players = find_reportable(played, viewer) if may_report_in(played, now) else []
    if given["player"] and chosen not in players and not faults and players:
        gone = chosen is not None and chosen.anonymised_at is not None
        code = "player" if chosen is None else "yourself" if chosen == viewer else "gone" if gone else "twice"
        faults["player"] = str(MayNotReport(code))
    key = request.GET.get("sent", "").replace("\0", " ")
    sent = Player.objects.filter(key=key, complaints_about__match=played, complaints_about__reporter=viewer)
    context = {
        "match": played,
        "players": players,
        "sides": sides_to_report(played, viewer, players),
        "chosen": chosen if chosen in players else None,
        "reasons": [(code, reason_words(code)) for code, _name in Complaint.REASONS],
        "given": given,
        "faults": faults,
        "problem": " ".join(faults.values()),
        "sent": sent.first(),
        "longest": Complaint.LONGEST,
    }
    return render(request, "leaderboards/report.html", context)
