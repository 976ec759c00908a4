"""A player's page, all their matches, their career, their achievements, and two players compared."""

from collections.abc import Callable
from functools import wraps

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboards.accounts.conduct_page import load_own_conduct
from leaderboards.accounts.viewer import find_viewer, read_access_of
from leaderboards.people.following import relations_of
from leaderboards.people.search import LONGEST, find_alike
from leaderboards.profiles.achievement_page import load_achievement_page
from leaderboards.profiles.career import load_career
from leaderboards.profiles.comparison import compare_players, find_pair
from leaderboards.profiles.link_previews import make_preview
from leaderboards.profiles.match_list import load_match_list
from leaderboards.profiles.profiles import Profile, load_profile
from leaderboards.seasons.past import PastSeasons, load_past_seasons
from leaderboards.views.partial import render_part
from ranking.abuse.complaints import find_match_to_report
from ranking.models import Player, ReadAccess
from ranking.players.players import find_player


def no_such_player(request: HttpRequest, key: str) -> HttpResponse:
    """The page of a player who doesn't exist: a search, and players whose name holds the key."""
    sought = key.replace("\0", "")[:LONGEST]
    context = {"sought": sought, "alike": find_alike(sought)}
    return render(request, "leaderboards/no_such_player.html", context, status=404)


def _of_player(view: Callable[[HttpRequest, Player], HttpResponse]) -> Callable[[HttpRequest, str], HttpResponse]:
    """A page of a player, by their key. The key of a merged player leads on to the page of whoever they belong to."""

    @require_safe
    @wraps(view)
    def page(request: HttpRequest, key: str) -> HttpResponse:
        shown = find_player(key)
        if shown is None:
            return no_such_player(request, key)
        if shown.key != key:
            query = request.META["QUERY_STRING"]
            address = reverse(f"leaderboards:{view.__name__}", args=[shown.key])
            return redirect(address + (f"?{query}" if query else ""))
        return view(request, shown)

    return page


@_of_player
def player(request: HttpRequest, shown: Player) -> HttpResponse:
    now = timezone.now()
    slug = request.GET.get("mode", "").replace("\0", " ")
    access = read_access_of(request)
    profile = load_profile(shown, slug, access=access, stretch=request.GET.get("stretch", ""), now=now)
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
        "relation": relations_of(viewer, [shown.pk], now).get(shown.pk),
        "reportable": find_match_to_report(viewer, shown, now) if viewer not in (None, shown) else None,
        "now": now,
    }
    return render_part(request, "leaderboards/player.html", "curves", context)


@_of_player
def matches(request: HttpRequest, shown: Player) -> HttpResponse:
    """A player's matches in a mode, filtered as the address says."""
    mode, variant, result, other, before, season = (
        request.GET.get(name, "").replace("\0", " ") for name in ("mode", "map", "result", "with", "before", "season")
    )
    listed = load_match_list(
        shown, mode, variant=variant, result=result, other=other,
        before=_number(before), season=_number(season),
        access=read_access_of(request), now=timezone.now(),
    )  # fmt: skip
    if listed is None:
        raise Http404("They haven't played that mode.")
    context = {"listed": listed, "board": listed.board, "viewer": find_viewer(request.user), "older": bool(before)}
    part = "lines" if before else "listed"
    return render_part(request, "leaderboards/player_matches.html", part, context)


@_of_player
def career(request: HttpRequest, shown: Player) -> HttpResponse:
    """A player's best rank and rating ever in a mode, their seasons, and how they fare when."""
    slug = request.GET.get("mode", "").replace("\0", " ")
    found = load_career(shown, slug, access=read_access_of(request), now=timezone.now())
    if found is None:
        raise Http404("They haven't played that mode.")
    context = {"career": found, "board": found.board, "viewer": find_viewer(request.user)}
    return render(request, "leaderboards/career.html", context)


@_of_player
def achievements(request: HttpRequest, shown: Player) -> HttpResponse:
    """What a player has earned in a mode, and what is still to be earned."""
    slug = request.GET.get("mode", "").replace("\0", " ")
    found = load_achievement_page(shown, slug, access=read_access_of(request))
    if found is None:
        raise Http404("They haven't played that mode.")
    context = {"achievements": found, "board": found.board, "viewer": find_viewer(request.user)}
    return render(request, "leaderboards/achievements.html", context)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else None


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
    mode, by = request.GET.get("mode", ""), request.GET.get("by", "")
    compared = compare_players(*pair, mode, by=by, access=read_access_of(request), now=now)
    context = {"compared": compared, "board": compared.board, "viewer": find_viewer(request.user), "now": now}
    return render_part(request, "leaderboards/comparison.html", "sides", context)
