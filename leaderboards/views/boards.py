"""The board pages: everybody's, a region's and friends' boards, with search; the distribution; choosing a region."""

from collections.abc import Callable
from dataclasses import replace
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
from leaderboards.people.search import search_board
from leaderboards.views.partial import render_part
from ranking.models import Season
from ranking.standings.regions import NoSuchChoice, choose_region

Load = Callable[..., BoardPage]


@require_safe
def board(request: HttpRequest, slug: str) -> HttpResponse:
    """Everybody's board, or a region's."""
    region = request.GET.get("region", "").replace("\0", " ")
    return _board(request, _get_board(slug, region), "region" if region else "global", load_page)


@require_safe
def friends(request: HttpRequest, slug: str) -> HttpResponse:
    """The board of the viewer among the players they follow; strangers get an invitation instead."""
    load = None if find_viewer(request.user) is None else load_friends_page
    return _board(request, _get_board(slug), "friends", load)


@require_safe
def distribution(request: HttpRequest, slug: str) -> HttpResponse:
    board = _get_board(slug)
    if not board.mode.shows_rating:
        raise Http404("This mode doesn't show ratings.")
    viewer = find_viewer(request.user)
    context = {"spread": load_distribution(board, viewer=viewer), "viewer": viewer, "now": timezone.now()}
    return _render(request, board, "distribution", context)


@require_POST
def region(request: HttpRequest, slug: str) -> HttpResponse:
    """Move the viewer to the region posted."""
    board, viewer = _get_board(slug), find_viewer(request.user)
    mine = None if viewer is None else find_rating(board, viewer)
    if mine is None:
        raise Http404("You haven't played this mode.")
    chosen = request.POST.get("region", "").replace("\0", " ")
    try:
        choose_region(mine, chosen, now=timezone.now())
    except NoSuchChoice as error:
        response = _board(request, replace(board, region=chosen), "region", load_page, problem=str(error))
        response.status_code = 409
        return response
    return HttpResponseRedirect(f"{reverse('leaderboards:board', args=[slug])}?{urlencode({'region': chosen})}")


def _get_board(slug: str, region: str = "") -> Board:
    try:
        return get_board(slug, region)
    except Season.DoesNotExist as error:
        raise Http404("There is no board of that name.") from error


def _board(request: HttpRequest, board: Board, view: str, load: Load | None, *, problem: str = "") -> HttpResponse:
    """A page of a board, or the players found by name; without `load`, an invitation."""
    now, viewer, parameters = timezone.now(), find_viewer(request.user), request.GET.dict()
    hits = search_board(board, parameters.get("q", ""), now, viewer=viewer, after=parameters.get("after", ""))
    page = None
    if load is not None and hits is None:
        position: Position = Top()
        try:
            position = read_position(parameters)
        except BadPosition as error:
            problem = str(error)
        page = load(board, position, viewer=viewer, now=now, problem=problem)
    return _render(request, board, view, {"page": page, "hits": hits, "viewer": viewer, "now": now})


def _render(request: HttpRequest, board: Board, view: str, context: dict[str, Any]) -> HttpResponse:
    """Render the page or its part.

    `base`: the address of everybody's board. `here`: that of this view. `ask`: `here`, ready for one more parameter.
    """
    base = reverse("leaderboards:board", args=[board.mode.slug])
    here = reverse("leaderboards:friends", args=[board.mode.slug]) if view == "friends" else base
    if board.region:
        here += "?" + urlencode({"region": board.region})
    addresses = {"base": base, "here": here, "ask": here + ("&" if "?" in here else "?")}
    return render_part(
        request, "leaderboards/board.html", "page", {"board": board, "view": view, **context, **addresses}
    )
