"""Template filters for numbers and times in the language of the reader, and the page's theme, language and zone."""

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache

from allauth.account.adapter import get_adapter
from django import template
from django.conf import settings
from django.template.context import RequestContext
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from leaderboards.accounts.language import chosen_zone, tells_moments, zone_names
from leaderboards.accounts.signup import domains_text
from leaderboards.accounts.theme import theme_of
from leaderboards.display import numbers, spans
from leaderboards.display.crest import crest_of
from leaderboards.display.regions import region_name
from leaderboards.postgame.leavers import Departure, Price
from leaderboards.postgame.seats import PlayerLine
from ranking.models import Change, Player
from ranking.rules.tiers import Tier, TierBound
from ranking.wording.dates import date_text
from ranking.wording.translation import number_text, once_a_language, percent_text, pgettext

register = template.Library()


@register.simple_tag(takes_context=True)
def page_theme(context: RequestContext) -> str:
    """The theme of the visitor's browser: light, dark or system."""
    return theme_of(context.get("request"))


@register.simple_tag(takes_context=True)
def signup_is_open(context: RequestContext) -> bool:
    """True if a visitor may make an account."""
    return bool(get_adapter().is_open_for_signup(context.get("request")))


@register.simple_tag
def signup_domains() -> str:
    """The domains of addresses that accounts may have, in words; "" if any will do."""
    return domains_text()


@register.simple_block_tag
def kept(content: str) -> str:
    """What stands inside, blocks included, rendered once for several places: `{% kept as name %}`."""
    return content


@register.filter
def group(number: int) -> str:
    """12480 → 12,480; in German 12.480."""
    return number_text(number)


@register.filter
def decimal(number: float | Decimal | None) -> str:
    """4.3 → 4.3; in German 4,3."""
    return "" if number is None else number_text(Decimal(str(number)), -int(Decimal(str(number)).as_tuple().exponent))


@register.filter
def percent(number: float) -> str:
    """13 → 13 %."""
    return percent_text(number)


@register.filter
def ordinal(number: int) -> str:
    return numbers.ordinal(number)


@register.filter
def clock(seconds: float) -> str:
    return numbers.clock(seconds)


@register.filter
def minutes(number: float) -> str:
    return spans.minutes(number)


@register.filter
def ago(moment: dt.datetime) -> str:
    return spans.ago(timezone.localtime(moment), timezone.now())


@register.filter
def left(moment: dt.datetime) -> str:
    return spans.left(moment, timezone.now())


@register.simple_tag(takes_context=True)
def time_until(context: RequestContext, moment: dt.datetime) -> str:
    """How far away a moment is; js/pages.js goes on saying it. A kept page says when it is until then."""
    words = _own_words(moment) if _kept(context) else spans.until(moment, timezone.now())
    return format_html('<time datetime="{}" data-until>{}</time>', _iso(moment), words)


@register.simple_tag(takes_context=True)
def local_time_until(context: RequestContext, moment: dt.datetime) -> str:
    """A moment like `local_time`, and how far away it is, which js/pages.js adds to a kept page."""
    title, words = moment_text(moment), _own_words(moment)
    if not _kept(context):
        words = f"{words} ({spans.until(moment, timezone.now())})"
    return format_html('<time datetime="{}" data-local data-until title="{}">{}</time>', _iso(moment), title, words)


@register.simple_tag
def local_time(moment: dt.datetime) -> SafeString:
    """A moment in the reader's zone, or in UTC until js/pages.js turns it into the browser's own time."""
    title, words = moment_text(moment), _own_words(moment)
    return format_html('<time datetime="{}" data-local title="{}">{}</time>', _iso(moment), title, words)


@register.simple_tag
def point_time(moment: dt.datetime) -> str:
    """A moment with its weekday, in the reader's zone or UTC; js/charts.js turns it into the browser's own time."""
    words = date_text(timezone.localtime(moment), "weekday_moment")
    return format_html('<time datetime="{}">{}</time>', f"{moment.astimezone(dt.UTC):%Y-%m-%dT%H:%MZ}", words)


@register.simple_tag(takes_context=True)
def moment_ago(context: RequestContext, moment: dt.datetime) -> str:
    """How long ago a moment was; js/pages.js goes on saying it. A kept page says when it was until then."""
    return ago_time(moment, _own_words(moment) if _kept(context) else ago(moment))


def ago_time(moment: dt.datetime, words: str) -> str:
    return format_html('<time datetime="{}" data-ago title="{}">{}</time>', _iso(moment), moment_text(moment), words)


def _kept(context: RequestContext) -> bool:
    return tells_moments(context.get("request"))


def _own_words(moment: dt.datetime) -> str:
    """A moment in the reader's zone, or in UTC."""
    return f"{spans.day_and_time(timezone.localtime(moment), timezone.now())}{_suffix()}"


@register.filter
def day(moment: dt.date | None, pattern: str = "day_of_year") -> str:
    """A day, or that of a moment in the reader's zone: 14 Dec 2026; `pattern`: see ranking.wording.dates.patterns."""
    if moment is None:
        return ""
    return date_text(timezone.localtime(moment) if isinstance(moment, dt.datetime) else moment, pattern)


@register.filter
def moment_text(moment: dt.datetime) -> str:
    """A moment in the reader's zone or in UTC, for labels: 14 Dec 2026, 18:00 UTC."""
    return f"{date_text(timezone.localtime(moment), 'moment_of_year')}{_suffix()}"


def _suffix() -> str:
    """UTC says so; any other zone is the reader's own."""
    return " UTC" if timezone.get_current_timezone_name() == "UTC" else ""


@register.simple_tag
def page_language() -> str:
    return translation.get_language() or settings.LANGUAGE_CODE


@register.simple_tag(takes_context=True)
def page_zone(context: RequestContext) -> str:
    """The zone that the account chose; "" = the browser's. On error pages the request may be missing."""
    request = context.get("request")
    return "" if request is None else chosen_zone(request)


@register.simple_tag
def site_languages() -> list[tuple[str, str]]:
    """Codes and names of the languages, each in itself."""
    return list(settings.LANGUAGES)


@register.simple_tag
def site_zones() -> list[str]:
    return sorted(zone_names())


@register.simple_tag
def words_for_scripts() -> str:
    """Words as JSON for an attribute in single quotes."""
    text = json.dumps(spans.words_for_scripts(), ensure_ascii=False, separators=(",", ":"))
    return mark_safe(text.replace("&", "&amp;").replace("<", "&lt;").replace("'", "&#39;"))  # noqa: S308


@register.filter
def region(code: str) -> str:
    """ap-east → East Asia."""
    return region_name(code)


@register.filter
def price_of(departures: Mapping[int, Departure], seat: PlayerLine) -> Price | None:
    """What leaving cost the player of a seat; None if they stayed, or if the viewer may not see it."""
    departure = departures.get(seat.player.pk)
    return None if departure is None else departure.price


def _iso(moment: dt.datetime) -> str:
    return moment.astimezone(dt.UTC).isoformat(timespec="seconds")


@register.filter
def tier_badge(tier: Tier | TierBound) -> str:
    """A tier's emblem and name."""
    badge = '<span translate="no" class="tier tier-{}"><img src="{}#{}" alt="">{}</span>'
    return format_html(badge, tier.colour, _emblems(), tier.emblem, tier.text)


@cache
def _emblems() -> str:
    return static("emblems.svg")


@register.filter
def form_dots(outcomes: Sequence[str]) -> str:
    """The outcomes of the last matches, a letter each."""
    dots = _dots()
    return mark_safe("".join(dots[outcome] for outcome in outcomes))  # noqa: S308


@once_a_language
def _dots() -> Mapping[str, str]:
    letters = {
        Change.WIN: pgettext("letter for a win", "W"),
        Change.DRAW: pgettext("letter for a draw", "D"),
        Change.LOSS: pgettext("letter for a loss", "L"),
        Change.LEFT: "×",
    }
    return {outcome: format_html('<i class="{}">{}</i>', outcome, letter) for outcome, letter in letters.items()}


@register.simple_tag
def portrait(player: Player, size: str = "") -> str:
    """The picture that a player shows, else the crest of their key; `size`: "large" or nothing."""
    large = f" crest-{size}" if size else ""
    if player.avatar:
        address = f"{reverse('leaderboards:avatar', args=[player.key])}?v={player.avatar}"
        return format_html('<img class="crest avatar{}" src="{}" width="96" height="96" alt="">', large, address)
    drawn = crest_of(player.key)
    return format_html('<i class="crest hue-{} d{} c{}{}"></i>', drawn.hue, drawn.division, drawn.charge, large)
