"""A player's page, and two players compared."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboards.accounts.conduct_page import load_own_conduct
from leaderboards.accounts.viewer import find_viewer, read_access_of
from leaderboards.people.following import relations_of
from leaderboards.profiles.comparison import compare_players, find_pair
from leaderboards.profiles.link_previews import make_preview
from leaderboards.profiles.profiles import Profile, load_profile
from leaderboards.seasons.past import PastSeasons, load_past_seasons
from leaderboards.views.partial import render_part
from ranking.models import ReadAccess
from ranking.players.players import find_player


@require_safe
def player(request: HttpRequest, key: str) -> HttpResponse:
    now = timezone.now()
    shown = find_player(key)
    if shown is None:
        raise Http404("There is no such player.")
    if shown.key != key:  # merged into another
        query = request.META["QUERY_STRING"]
        return redirect(reverse("leaderboards:player", args=[shown.key]) + (f"?{query}" if query else ""))
    slug, before = request.GET.get("mode", "").replace("\0", " "), request.GET.get("before", "")
    whole = before.isascii() and before.isdecimal() and len(before) <= 18
    access = read_access_of(request)
    profile = load_profile(shown, slug, access=access, before=int(before) if whole else None, now=now)
    if profile is None:
        raise Http404("They haven't played that mode.")
    viewer = find_viewer(request.user)
    context = {
        "profile": profile,
        "board": profile.board,
        "seasons": _past_seasons(profile, access),
        "conduct": load_own_conduct(shown, access, now),
        "preview": make_preview(profile),
        "site": request.build_absolute_uri("/").rstrip("/"),
        "viewer": viewer,
        "relation": relations_of(viewer, [shown.pk]).get(shown.pk),
        "now": now,
    }
    return render_part(request, "leaderboards/player.html", "recent", context)


def _past_seasons(profile: Profile, access: ReadAccess) -> PastSeasons:
    """Return the player's archived seasons in the mode that is shown; no query if it has none."""
    board = profile.board
    if board is None or not board.mode.ranked or (board.season.number == 1 and not board.over):
        return PastSeasons()
    return load_past_seasons(profile.player, board.mode, access)


@require_safe
def compare(request: HttpRequest, first: str, second: str) -> HttpResponse:
    """Compare two players, whose keys may hold slashes themselves."""
    pair = find_pair(f"{first}/{second}")
    if pair is None:
        raise Http404("There are no two such players.")
    now = timezone.now()
    compared = compare_players(*pair, request.GET.get("mode", ""), access=read_access_of(request), now=now)
    context = {"compared": compared, "board": compared.board, "viewer": find_viewer(request.user), "now": now}
    return render_part(request, "leaderboards/comparison.html", "sides", context)
