from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from leaderboards.accounts.viewer import find_viewer
from leaderboards.boards.boards import Board, get_board
from leaderboards.boards.distribution import load_distribution
from leaderboards.boards.own import find_rating
from leaderboards.boards.pages import BoardPage, load_page
from leaderboards.boards.positions import BadPosition, Position, Top, read_position
from leaderboards.people.friends_board import load_friends_page
from leaderboards.people.search import find_players
from leaderboards.views.partial import render_part
from ranking.models import Season
from ranking.standings.regions import NoSuchChoice, choose_region

Load = Callable[..., BoardPage]


@require_safe
def board(request: HttpRequest, slug: str) -> HttpResponse:
    """Everyone's board, or a region's."""
    region = request.GET.get("region", "").replace("\0", " ")
    return _board(request, slug, "region" if region else "global", load_page, region=region)


@require_safe
def friends(request: HttpRequest, slug: str) -> HttpResponse:
    """The board of the viewer among those they follow; strangers are told what it would be."""
    known = find_viewer(request.user) is not None
    return _board(request, slug, "friends", load_friends_page if known else None)


@require_safe
def distribution(request: HttpRequest, slug: str) -> HttpResponse:
    shown = _get_board(slug)
    if not shown.mode.shows_rating:
        raise Http404("This mode doesn't show ratings.")
    viewer = find_viewer(request.user)
    context = {"spread": load_distribution(shown, viewer=viewer), "viewer": viewer, "now": timezone.now()}
    return _render(request, shown, "distribution", context)


@require_POST
def region(request: HttpRequest, slug: str) -> HttpResponse:
    """Move the viewer to the region posted."""
    shown = _get_board(slug)
    viewer = find_viewer(request.user)
    mine = None if viewer is None else find_rating(shown, viewer)
    if mine is None:
        raise Http404("You haven't played this mode.")
    chosen = request.POST.get("region", "").replace("\0", " ")
    problem = ""
    try:
        choose_region(mine, chosen, now=timezone.now())
    except NoSuchChoice as error:
        problem = str(error)
    if problem:
        return _board(request, slug, "region", load_page, region=chosen, problem=problem, status=409)
    return HttpResponseRedirect(f"{reverse('leaderboards:board', args=[slug])}?{urlencode({'region': chosen})}")


def _get_board(slug: str) -> Board:
    try:
        return get_board(slug)
    except Season.DoesNotExist as error:
        raise _no_board() from error


def _no_board() -> Http404:
    return Http404("There is no board of that name.")


def _board(
    request: HttpRequest,
    slug: str,
    view: str,
    load: Load | None,
    *,
    region: str = "",
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    """A board at the position asked for, or who was searched for; without `load`, an invitation."""
    now, viewer, asked = timezone.now(), find_viewer(request.user), request.GET.dict()
    try:
        shown, hits = find_players(slug, region, asked.get("q", ""), now, viewer=viewer, after=asked.get("after", ""))
    except Season.DoesNotExist as error:
        raise _no_board() from error
    page = None
    if load is not None and hits is None:
        position: Position = Top()
        try:
            position = read_position(asked)
        except BadPosition as bad:
            problem = str(bad)
        page = load(shown, position, viewer=viewer, now=now, problem=problem)
    context = {"page": page, "hits": hits, "viewer": viewer, "now": now}
    response = _render(request, shown, view, context)
    response.status_code = status
    return response


def _render(request: HttpRequest, shown: Board, view: str, context: dict[str, Any]) -> HttpResponse:
    """`base`: everyone's board; `here`: where this view's parts are; `ask`: the same, up to a parameter's name."""
    base = reverse("leaderboards:board", args=[shown.mode.slug])
    here = reverse("leaderboards:friends", args=[shown.mode.slug]) if view == "friends" else base
    if shown.region:
        here += "?" + urlencode({"region": shown.region})
    addresses = {"base": base, "here": here, "ask": here + ("&" if "?" in here else "?")}
    return render_part(
        request, "leaderboards/board.html", "page", {"board": shown, "view": view, **context, **addresses}
    )
