"""A player's season on one page, and the page that explains seasons to players."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboards.accounts.viewer import find_viewer, read_access_of
from leaderboards.profiles.career import load_season_results
from leaderboards.seasons.champions import load_last_seasons
from leaderboards.seasons.rules import load_season_rules
from leaderboards.summaries.sharing import preview_of_season
from leaderboards.summaries.summary import load_summary
from leaderboards.views.players import no_such_player
from ranking.players.players import find_player


@require_safe
def season(request: HttpRequest, key: str, slug: str, number: int) -> HttpResponse:
    shown = None if "\0" in key else find_player(key)
    if shown is None:
        return no_such_player(request, key)
    if shown.key != key:  # merged into another
        return redirect(reverse("leaderboards:season", args=[shown.key, slug, number]))
    summary = load_summary(shown, slug, number, access=read_access_of(request), now=timezone.now())
    if summary is None:
        raise Http404("They didn't play in that season.")
    context = {
        "summary": summary,
        "place": summary.place,
        "board": summary.board,
        "preview": preview_of_season(summary.place),
        "site": request.build_absolute_uri("/").rstrip("/"),
        "viewer": find_viewer(request.user),
    }
    return render(request, "leaderboards/season.html", context)


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """How seasons work, with what each ranked mode does, its last champions, and the viewer's own results."""
    rules = load_season_rules()
    viewer = find_viewer(request.user)
    context = {
        "rules": rules,
        "common": rules[0] if len({rule.end for rule in rules}) == 1 else None,
        "last_seasons": load_last_seasons([rule.season for rule in rules], timezone.now(), shown_for=None),
        "results": [] if viewer is None else load_season_results(viewer, read_access_of(request)),
        "viewer": viewer,
    }
    return render(request, "leaderboards/about_seasons.html", context)
