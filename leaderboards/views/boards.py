"""The board pages: everybody's, a region's and friends' boards, with search; distribution; tiers; choosing a region."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from leaderboards.accounts.viewer import find_viewer, read_access_of
from leaderboards.boards.boards import Board, get_board
from leaderboards.boards.distribution import load_distribution
from leaderboards.boards.own import find_rating, is_region, no_choice_words
from leaderboards.boards.pages import BoardPage, load_page
from leaderboards.boards.past_seasons import load_seasons
from leaderboards.boards.positions import BadPosition, Position, Top, read_position
from leaderboards.boards.tiers import load_tiers
from leaderboards.boards.titles import title_of
from leaderboards.people.friends_board import load_friends_page
from leaderboards.people.search import search_board
from leaderboards.seasons.past import load_results
from leaderboards.views.partial import is_as_new, refresh_address, render_part
from ranking.models import Season
from ranking.standings.matches_played import LEAST_MATCHES
from ranking.standings.regions import NoSuchChoice, choose_region
from ranking.standings.snapshots import newest_id

Load = Callable[..., BoardPage]
LONGEST_NUMBER = 9  # digits of a season's number


@require_safe
def board(request: HttpRequest, slug: str) -> HttpResponse:
    """Everybody's board, or a region's."""
    if is_as_new(request, lambda: newest_id(slug)):
        return HttpResponse(status=204)
    region = request.GET.get("region", "").replace("\0", " ")
    board = _get_board(slug, region, _season_number(request))
    if region and not is_region(board):
        raise Http404("There is no such region.")
    return _board(request, board, "region" if region else "global", load_page)


@require_safe
def friends(request: HttpRequest, slug: str) -> HttpResponse:
    """The board of the viewer among the players they follow; strangers get an invitation instead."""
    if is_as_new(request, lambda: newest_id(slug)):
        return HttpResponse(status=204)
    load = None if find_viewer(request.user) is None else load_friends_page
    return _board(request, _get_board(slug), "friends", load)


@require_safe
def distribution(request: HttpRequest, slug: str) -> HttpResponse:
    board = _get_board(slug, number=_season_number(request))
    if not board.mode.shows_rating:
        raise Http404("This mode doesn't show ratings.")
    least = request.GET.get("matches", "0")
    if least not in map(str, (0, *LEAST_MATCHES)):
        raise Http404("There is no such distribution.")
    viewer = find_viewer(request.user)
    spread = load_distribution(board, viewer=viewer, least=int(least))
    context = {"spread": spread, "viewer": viewer, "now": timezone.now()}
    return _render(request, board, "distribution", context)


@require_safe
def tiers(request: HttpRequest, slug: str) -> HttpResponse:
    """What tiers there are, which share each holds, and how far the viewer's next one is."""
    board = _get_board(slug, number=_season_number(request))
    if not board.mode.shows_tier:
        raise Http404("This mode has no tiers.")
    viewer = find_viewer(request.user)
    context = {"tiers": load_tiers(board, viewer=viewer), "viewer": viewer, "now": timezone.now()}
    return _render(request, board, "tiers", context)


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
        problem = no_choice_words(error.code, mine, chosen)
        response = _board(request, replace(board, region=chosen), "region", load_page, problem=problem)
        response.status_code = 409
        return response
    return HttpResponseRedirect(f"{reverse('leaderboards:board', args=[slug])}?{urlencode({'region': chosen})}")


def _get_board(slug: str, region: str = "", number: int | None = None) -> Board:
    try:
        return get_board(slug, region, number=number)
    except Season.DoesNotExist as error:
        raise Http404("There is no board of that name.") from error


def _season_number(request: HttpRequest) -> int | None:
    """The season that the address asks for; None is the current one."""
    text = request.GET.get("season", "")
    if text and not (text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER):
        raise Http404("There is no such season.")
    return int(text) if text else None


@require_safe
def seasons(request: HttpRequest, slug: str) -> HttpResponse:
    """All seasons of a mode: dates, champions, players, matches, and the viewer's own results."""
    board, viewer, before = _get_board(slug), find_viewer(request.user), _before(request)
    page = load_seasons(board.mode, before=before)
    results = [] if viewer is None else load_results(viewer, board.mode, read_access_of(request), before=before)
    own = {result.board.season.number: result for result in results}
    lines = [(line, own.get(line.season.number)) for line in page.lines]
    context = {"board": board, "page": page, "lines": lines, "viewer": viewer}
    return render(request, "leaderboards/seasons.html", context)


def _before(request: HttpRequest) -> int | None:
    text = request.GET.get("before", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER else None


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
    context: dict[str, object] = {"page": page, "hits": hits, "viewer": viewer, "now": now}
    if page is not None and page.published is not None and board.season.current:
        context["refresh"] = refresh_address(request, page.published.snapshot_id)
    return _render(request, board, view, context)


def _render(request: HttpRequest, board: Board, view: str, context: dict[str, Any]) -> HttpResponse:
    """Render the page or its part.

    `base`: the address of everybody's board. `here`: that of this view. `here_query`, `base_query`: the same
    with the `?` or `&` before one more parameter.
    """
    season = {} if board.season.current else {"season": board.season.number}
    address = reverse("leaderboards:board", args=[board.mode.slug])
    base = _with(address, season)
    here = reverse("leaderboards:friends", args=[board.mode.slug]) if view == "friends" else base
    if board.region:
        here = _with(address, {**season, "region": board.region})
    spread = _with(reverse("leaderboards:distribution", args=[board.mode.slug]), season)
    tiers = _with(reverse("leaderboards:tiers", args=[board.mode.slug]), season)
    addresses = {"base": base, "here": here, "here_query": _open_query(here), "base_query": _open_query(base)}
    addresses |= {"spread_address": spread, "spread_query": _open_query(spread), "tiers_address": tiers}
    hits = context.get("hits")
    title = title_of(board, view, page=context.get("page"), query="" if hits is None else hits.query)
    shown = {"board": board, "view": view, "title": title, **context, **addresses}
    return render_part(request, "leaderboards/board.html", "page", shown)


def _with(address: str, parameters: dict[str, Any]) -> str:
    return f"{address}?{urlencode(parameters)}" if parameters else address


def _open_query(address: str) -> str:
    """The address with the `?` or `&` before one more parameter."""
    return address + ("&" if "?" in address else "?")
