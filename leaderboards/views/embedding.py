"""Boards in other sites: a page to frame, and a table without scripts that a site's own server fetches.

Both are the same for everybody: they read no account, set no cookie, and only `?lang=` chooses the language, so that
shared caches may keep them. Which sites may frame the page is the setting EMBED_ORIGINS.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from csp.constants import HEADER
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import get_template
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboards.accounts.theme import DARK, LIGHT
from leaderboards.boards.boards import Board, get_board
from leaderboards.boards.own import is_region
from leaderboards.boards.pages import BoardPage, load_page
from leaderboards.boards.positions import Top
from leaderboards.boards.windows import LARGEST_PAGE
from leaderboards.views.conditional import shared_answer
from leaderboards.views.partial import is_as_new, refresh_address
from ranking.models import Season
from ranking.standings.snapshots import newest_id

MAX_AGE = 60  # seconds
ROWS = 10  # unless `?limit=` says otherwise
AUTO = "auto"  # the theme of the browser's system
THEMES = (LIGHT, DARK, AUTO)
_PARAMETERS = {
    "frame": ("region", "limit", "theme", "lang"),
    "table": ("region", "limit", "lang"),
}


class BadAddress(ValueError):
    """There is nothing at this address; the message is a sentence for the person who wrote it."""

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True, slots=True)
class Choices:
    """What an address asks for."""

    region: str
    limit: int
    theme: str


@require_safe
def frame(request: HttpRequest, slug: str) -> HttpResponseBase:
    """A board as a page of its own, without the site's header and footer.

    An open page asks now and then for what is newer than the snapshot `?since=`; 204: nothing is.
    """
    response = _frame(request, slug)
    response.headers[HEADER] = _frame_policy()
    response.xframe_options_exempt = bool(settings.EMBED_ORIGINS)  # type: ignore[attr-defined]  # the policy names them
    return response


def _frame(request: HttpRequest, slug: str) -> HttpResponseBase:
    try:
        choices = _read_choices(request.GET, "frame", hidden=("since",))
        if is_as_new(request, lambda: newest_id(slug)):
            return HttpResponse(status=204)
        context = _load(request, slug, choices)
    except BadAddress as problem:
        page = _render("frame", {"problem": problem, "language": get_language()})
        return HttpResponse(page, status=problem.status)
    refresh = refresh_address(request, context["snapshot"])
    return _answer(request, _render("frame", {**context, "theme": choices.theme, "refresh": refresh}))


@require_safe
def table(request: HttpRequest, slug: str) -> HttpResponseBase:
    """A board as a piece of HTML with absolute links: a table, classes to style it by, no script and no style."""
    try:
        context = _load(request, slug, _read_choices(request.GET, "table"))
    except BadAddress as problem:
        return HttpResponse(str(problem), status=problem.status, content_type="text/plain; charset=utf-8")
    return _answer(request, _render("table", context))


def _read_choices(parameters: Mapping[str, str], kind: str, hidden: tuple[str, ...] = ()) -> Choices:
    """Raise BadAddress, which doesn't name the `hidden` parameters that only open pages send."""
    for name in parameters:
        if name not in (*_PARAMETERS[kind], *hidden):
            known = ", ".join(_PARAMETERS[kind])
            raise BadAddress(_("There is no parameter %(name)s; there are %(known)s.") % {"name": name, "known": known})
    limit, theme = parameters.get("limit", str(ROWS)), parameters.get("theme", AUTO)
    if not (limit.isascii() and limit.isdecimal() and len(limit) <= 3 and 1 <= int(limit) <= LARGEST_PAGE):
        raise BadAddress(_("limit must be a whole number from 1 to %(most)s.") % {"most": LARGEST_PAGE})
    if theme not in THEMES:
        raise BadAddress(_("theme must be one of %(themes)s.") % {"themes": ", ".join(THEMES)})
    return Choices(parameters.get("region", "").replace("\0", " "), int(limit), theme)


def _load(request: HttpRequest, slug: str, choices: Choices) -> dict[str, Any]:
    """What the templates show. Raise BadAddress."""
    board = _get_board(slug, choices.region)
    page: BoardPage = load_page(board, Top(), viewer=None, now=timezone.now(), size=choices.limit)
    site = request.build_absolute_uri("/").removesuffix("/")
    region = f"?{urlencode({'region': board.region})}" if board.region else ""
    return {
        "board": board,
        "page": page,
        "site": site,
        "address": f"{site}{reverse('leaderboards:board', args=[slug])}{region}",
        "snapshot": page.published.snapshot_id if page.published else None,
        "language": get_language(),
    }


def _get_board(slug: str, region: str) -> Board:
    try:
        board = get_board(slug, region)
    except Season.DoesNotExist as error:
        raise BadAddress(_("There is no board of that name."), 404) from error
    if region and not is_region(board):
        raise BadAddress(_("There is no such region."), 404)
    return board


def _render(kind: str, context: dict[str, Any]) -> str:
    """Render without the request, so that nothing depends on an account."""
    return get_template(f"leaderboards/embedded/{kind}.html").render(context)


def _answer(request: HttpRequest, html: str) -> HttpResponseBase:
    return shared_answer(request, html, lambda: HttpResponse(html), max_age=MAX_AGE)


def _frame_policy() -> str:
    """The policy of a page that has no form and no picture, and that the sites of the setting may frame."""
    origins = " ".join(settings.EMBED_ORIGINS) or "'none'"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; "
        f"form-action 'none'; base-uri 'none'; frame-ancestors {origins}"
    )
