"""Pictures of standings and of matches, for other sites: the same for everybody, cacheable, without cookies."""

from collections.abc import Callable
from typing import TypeVar

from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import get_template
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from leaderboards.avatars.choosing import find_image
from leaderboards.display.badge import make_badge
from leaderboards.display.match_card import draw_match_card
from leaderboards.display.player_card import Card, draw_card
from leaderboards.postgame.sharing import load_match_card
from leaderboards.profiles.cards import load_card
from leaderboards.summaries.sharing import load_season_card
from leaderboards.views.conditional import shared_answer
from ranking.models import Match

T = TypeVar("T")
MAX_AGE = 300  # seconds
WEEK = 604_800  # seconds
_SEALED = "default-src 'none'; frame-ancestors 'none'"  # a picture opened by itself runs no script
# White letters are legible on these plates: the light colours of static/css/tokens.css.
_PLATES = {
    "bronze": "#8c5224", "silver": "#596274", "gold": "#7f5c00",
    "platinum": "#0b6b63", "diamond": "#0b6591", "master": "#a81d5b",
}  # fmt: skip


@require_safe
def card(request: HttpRequest, key: str) -> HttpResponseBase:
    """The PNG of a link preview."""
    return _picture(request, _find_card(request, key), "image/png", _draw_card)


@require_safe
def season_card(request: HttpRequest, key: str, slug: str, number: int) -> HttpResponseBase:
    """The PNG of a link preview of a player's season."""
    shown = None if "\0" in key else load_season_card(key, slug, number, timezone.now())
    return _picture(request, shown, "image/png", _draw_card)


@require_safe
def match_card(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The PNG of a match, for sharing."""
    try:
        shown = load_match_card(pk, timezone.now())
    except Match.DoesNotExist as error:
        raise Http404("There is no such match.") from error
    return _picture(request, shown, "image/png", lambda card: draw_match_card(card, _font()))


@require_safe
def avatar(request: HttpRequest, key: str) -> HttpResponse:
    """The WebP that a player shows beside their name. Its address changes with it."""
    image = None if "\0" in key else find_image(key)
    if image is None:
        raise Http404("They show no picture.")
    response = HttpResponse(image, content_type="image/webp")
    response["Content-Security-Policy"] = _SEALED
    patch_cache_control(response, public=True, max_age=WEEK)
    return response


@require_safe
def badge(request: HttpRequest, key: str) -> HttpResponseBase:
    """The SVG of a badge."""
    return _picture(request, _find_card(request, key), "image/svg+xml", _draw_badge)


def _font() -> str:
    return str(finders.find("fonts/archivo-latin.woff2"))


def _draw_card(shown: Card) -> bytes:
    return draw_card(shown, _font())


def _draw_badge(shown: Card) -> str:
    made = make_badge(shown)
    context = {"badge": made, "colour": _PLATES.get(made.tier_colour, "#3d3bd0")}
    return get_template("leaderboards/badge.svg").render(
        context
    )  # without the request, so that nothing depends on an account


def _picture(request: HttpRequest, shown: T | None, kind: str, draw: Callable[[T], str | bytes]) -> HttpResponseBase:
    """Draw a picture unless the browser has it already; any site may embed it."""
    if shown is None:
        raise Http404("There is nothing to show of them there.")
    response = shared_answer(request, shown, lambda: HttpResponse(draw(shown), content_type=kind), max_age=MAX_AGE)
    response["Content-Security-Policy"] = _SEALED
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def _find_card(request: HttpRequest, key: str) -> Card | None:
    slug = request.GET.get("mode", "")
    return None if "\0" in key + slug else load_card(key, slug, timezone.now())
