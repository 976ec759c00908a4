"""Keeps pages for visitors without a session, so that what many read is made once.

A kept page is good for one address, language and theme, while nothing changed that pages show
(ranking/database/shown_changes.py), and for a minute at most, because some of what it shows depends on the time. Boards
show what was published: a result ends them after ten seconds only, or else each of many results would have each board
made anew. Pages that tell how many play and wait are kept for some seconds. Moments stand on kept pages as such;
js/pages.js says how long ago they were.

Processes share what they keep, and each has its newest pages in its own memory, too: what changed is read anew for each
request, so they are as good there.

A page that sets a cookie is made for one visitor, and so isn't kept: each page with a CSRF token sets one.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.cache import caches
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils.cache import get_conditional_response, patch_vary_headers
from prometheus_client import Counter

from config.languages.middleware import language_before_login
from leaderboards.accounts.language import language_asked_for, tell_moments
from leaderboards.accounts.theme import COOKIE as THEME_COOKIE
from leaderboards.accounts.theme import theme_of
from ranking.database.shown_changes import Versions, load_versions

CACHE = "pages"
MOST_NEAR = 500  # pages that a process keeps in its own memory, too
LIFE = 60  # seconds that a page is kept if nothing changes
LIVE = 5  # seconds that a page is kept which tells how many play and wait
SHARED = 10  # seconds that shared caches in front of the site go on with a page, and boards with results
WAIT = 10.0  # seconds that a request waits for another one that is making the same page
_STEP = 0.02  # seconds
_LOCKED = 20  # seconds after which a page is made again if whoever was making it has died
_LONGEST = 500  # characters of a query
_LEVEL = 4  # of compression

_OF_PAGES = """
board distribution tiers seasons about-seasons player matches career achievements season compare match forfeit
"""
_OF_API = "modes seasons board board-players distribution history player-seasons player post-game"
# Seconds that pages and answers are kept if nothing changes, by route.
PAGES = {"leaderboards:home": LIVE, **{f"leaderboards:{name}": LIFE for name in _OF_PAGES.split()}}
API = {"api:match": LIFE, **{f"leaderboards-api:{name}": LIFE for name in _OF_API.split()}}
BOARDS = {
    *(f"leaderboards:{name}" for name in ("board", "distribution", "tiers")),
    *(f"leaderboards-api:{name}" for name in ("board", "board-players", "distribution")),
}
# What pages read of their addresses, but for what was typed to be found. Anything else, such as marks of advertising,
# is taken off an address, so that it leads to the same page.
PARAMETERS = frozenset(
    "after around before by dir from lang map matches mode rank region result season since sort stretch with".split()
)
_TYPED = "q"

PAGES_KEPT = Counter("rungs_kept_pages", "Pages that may be kept: kept ones, and those that were made.", ["outcome"])
_HIT, _MADE = PAGES_KEPT.labels("kept"), PAGES_KEPT.labels("made")
_GZIP = re.compile(r"\bgzip\b")

View = Callable[[HttpRequest], HttpResponseBase]


class Page(NamedTuple):
    """A kept page; `body` is compressed. A page without a body can't be kept, and everybody makes their own."""

    versions: Versions
    begun: float  # seconds since 1970
    headers: tuple[tuple[str, str], ...] = ()
    tag: str = ""
    body: bytes = b""


class Wanted(NamedTuple):
    """Which page a request wants. `patience`: seconds that it may be older than the newest result."""

    key: str
    versions: Versions
    now: float
    life: int
    patience: int

    def find(self) -> Page | None:
        """The page, if it is kept and good: in this process, or by another one."""
        page = _near.get(self.key)
        if page is not None and self._is_good(page):
            return page
        kept = caches[CACHE].get(self.key)
        page = None if kept is None else Page(*kept)
        if page is None or not self._is_good(page):
            return None
        keep_near(self.key, page)
        return page

    def _is_good(self, page: Page) -> bool:
        age = self.now - page.begun
        return (
            page.versions.site == self.versions.site
            and age < self.life
            and (page.versions.results == self.versions.results or age < self.patience)
        )

    @property
    def lock(self) -> str:
        return f"{self.key}:{self.versions.site}-{self.versions.results}"


_near: dict[str, Page] = {}  # the newest last
_putting = threading.Lock()


def keep_near(key: str, page: Page) -> None:
    """Keep a page in this process, in the place of the one that was put there first."""
    with _putting:
        _near.pop(key, None)
        if len(_near) >= MOST_NEAR:
            del _near[next(iter(_near))]
        _near[key] = page


def forget_pages() -> None:
    """Forget all that is kept; other processes still have what they keep themselves."""
    with _putting:
        _near.clear()
    caches[CACHE].clear()


class KeptPages:
    """Middleware: answers with a kept page, or keeps the one that it got."""

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response
        self._making: dict[str, threading.Event] = {}

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        route = _find_route(request) if settings.KEPT_PAGES else None
        if route is None or not _cut_address(request, route):
            return self.get_response(request)
        try:
            versions = load_versions()
        except DatabaseError:  # the page says so in its own way
            return self.get_response(request)
        request.resolver_match = route  # for the metrics; the view's own comes later
        tell_moments(request)
        patience = SHARED if route.view_name in BOARDS else 0
        wanted = Wanted(_key_of(request, route), versions, time.time(), _life_of(route), patience)
        page = wanted.find()
        if page is None:
            made = self._make_once(request, wanted)
            if isinstance(made, HttpResponseBase):
                return made
            page = made
        if not page.body:
            _MADE.inc()
            return self.get_response(request)
        _HIT.inc()
        return _answer(request, page, wanted.life)

    def _make_once(self, request: HttpRequest, wanted: Wanted) -> HttpResponseBase | Page:
        """Make the page, unless another request is making it: then wait for that one."""
        done = threading.Event()
        other = self._making.setdefault(wanted.lock, done)
        if other is not done:  # in another thread of this process, which wakes all of them
            other.wait(WAIT)
            return wanted.find() or self._make(request, wanted)
        try:
            return self._make_or_await(request, wanted)
        finally:
            del self._making[wanted.lock]
            done.set()

    def _make_or_await(self, request: HttpRequest, wanted: Wanted) -> HttpResponseBase | Page:
        """Make the page, unless another process is making it: then look now and then whether it is there."""
        until = time.monotonic() + WAIT
        while not caches[CACHE].add(wanted.lock, 1, _LOCKED):
            time.sleep(_STEP)
            if (page := wanted.find()) is not None:
                return page
            if time.monotonic() > until:
                return self._make(request, wanted)
        try:
            if (page := wanted.find()) is not None:  # made between the look and the lock
                return page
            return self._make(request, wanted)
        finally:
            caches[CACHE].delete(wanted.lock)

    def _make(self, request: HttpRequest, wanted: Wanted) -> HttpResponseBase:
        _MADE.inc()
        response = self.get_response(request)
        page = _page_of(response, wanted)
        caches[CACHE].set(wanted.key, tuple(page), wanted.life)
        keep_near(wanted.key, page)
        return _answer(request, page, wanted.life) if page.body else response


def _find_route(request: HttpRequest) -> ResolverMatch | None:
    """The route, if its page may be kept and the visitor is nobody whom the site knows."""
    cookies = request.COOKIES
    if (
        request.method not in ("GET", "HEAD")
        or settings.SESSION_COOKIE_NAME in cookies
        or CookieStorage.cookie_name in cookies
        or "HTTP_AUTHORIZATION" in request.META
    ):
        return None
    return _route_at(request.path_info)


@lru_cache(maxsize=4096)
def _route_at(path: str) -> ResolverMatch | None:
    try:
        match = resolve(path)
    except Resolver404:
        return None
    return match if match.view_name in PAGES or match.view_name in API else None


def _life_of(route: ResolverMatch) -> int:
    return PAGES.get(route.view_name) or API[route.view_name]


def _cut_address(request: HttpRequest, route: ResolverMatch) -> bool:
    """Take off the address of a page what no page reads, and sort the rest; False if the page isn't to be kept.

    The API refuses what it doesn't know, so its addresses stay as they are.
    """
    query = request.META.get("QUERY_STRING", "")
    if not query:
        return True
    if len(query) > _LONGEST:
        return False
    if route.view_name in API:
        return True
    given = dict(parse_qsl(query, keep_blank_values=True))
    if _TYPED in given:
        return False
    request.META["QUERY_STRING"] = urlencode(sorted((name, given[name]) for name in given.keys() & PARAMETERS))
    request.__dict__.pop("GET", None)
    asked = language_asked_for(request)
    # The answer sets the cookie of a language that is asked for.
    return not asked or request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME) == asked or "HTTP_HX_REQUEST" in request.META


def _key_of(request: HttpRequest, route: ResolverMatch) -> str:
    meta = request.META
    address = (request.scheme, request.get_host(), request.path_info, meta.get("QUERY_STRING", ""))
    if route.view_name in API:
        varying: tuple[str | None, ...] = (meta.get("HTTP_ACCEPT"),)
    else:
        part = (meta.get("HTTP_HX_REQUEST"), meta.get("HTTP_HX_HISTORY_RESTORE_REQUEST"))
        varying = (language_before_login(request), theme_of(request), *part)
    return f"page:{hashlib.sha256(repr((address, varying)).encode()).hexdigest()[:40]}"


def _page_of(response: HttpResponseBase, wanted: Wanted) -> Page:
    """The page to keep, or a note that this one can't be."""
    if (
        not isinstance(response, HttpResponse)
        or response.status_code != 200
        or response.cookies
        or response.has_header("Cache-Control")
        or not response.content
    ):
        return Page(wanted.versions, wanted.now)
    headers = tuple((name, value) for name, value in response.items() if name != "Content-Length")
    tag = f'W/"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    return Page(wanted.versions, wanted.now, headers, tag, gzip.compress(response.content, _LEVEL, mtime=0))


def _answer(request: HttpRequest, page: Page, life: int) -> HttpResponseBase:
    """The page, or 304 if the visitor has it."""
    response = get_conditional_response(request, etag=page.tag) or _whole(request, page)
    response["ETag"] = page.tag
    known = settings.LANGUAGE_COOKIE_NAME in request.COOKIES or THEME_COOKIE in request.COOKIES
    if known or "HTTP_HX_REQUEST" in request.META:
        response["Cache-Control"] = "private, no-cache"
    else:
        response["Cache-Control"] = f"public, max-age=0, s-maxage={min(SHARED, life)}"
        vary = [name for name in response.get("Vary", "").split(", ") if name and name != "Cookie"]
        response["Vary"] = ", ".join(vary)
    patch_vary_headers(response, ["Accept-Encoding"])
    return response


def _whole(request: HttpRequest, page: Page) -> HttpResponse:
    zipped = _GZIP.search(request.META.get("HTTP_ACCEPT_ENCODING", "")) is not None
    response = HttpResponse(page.body if zipped else gzip.decompress(page.body), headers=dict(page.headers))
    response["Content-Length"] = str(len(response.content))
    if zipped:
        response["Content-Encoding"] = "gzip"
    return response
