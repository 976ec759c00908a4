"""Display of values in lists and pages: links, ratings, times and badges."""

import datetime as dt

from django.db.models import Model
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.models import Mode, Rating
from ranking.wording.dates import utc_text


def link_to(row: Model | None, label: object = None) -> str:
    """Return a link to a row's page in the admin."""
    if row is None:
        return "–"
    address = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
    return format_html('<a href="{}">{}</a>', address, row if label is None else label)


def list_link(model: type[Model], label: str, **filters: object) -> SafeString:
    """Return a link to a filtered list in the admin."""
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist", query=filters)
    return format_html('<a href="{}">{}</a>', address, label)


def public_page(name: str, *args: object) -> str | None:
    """Return the address of a page of the site; None if the site has no such page."""
    try:
        return reverse(f"leaderboards:{name}", args=args)
    except NoReverseMatch:
        return None


def rating_text(hundredths: int | None) -> str:
    """Return a display rating as text: 2184 → 21.84."""
    if hundredths is None:
        return "–"
    sign = "−" if hundredths < 0 else ""
    return f"{sign}{abs(hundredths) // 100:,}.{abs(hundredths) % 100:02}"


def moment_text(moment: dt.datetime) -> str:
    """Return a time as lists show it, such as 22 Nov 2026, 14:32 UTC; a readonly field would print the raw value."""
    return utc_text(moment)


def change_text(before: int, after: int) -> SafeString:
    """Return a change as text: ▲ +1.16. Sign and shape tell the direction, not colour alone."""
    step = after - before
    if not step:
        return format_html('<span class="{}">±0.00</span>', "same")
    kind, glyph, sign = ("up", "▲", "+") if step > 0 else ("down", "▼", "")
    return format_html('<span class="{}">{} {}{}</span>', kind, glyph, sign, rating_text(step))


def record_text(rating: Rating, mode: Mode) -> str:
    """Return what a rating counts: 12 won · 3 drawn · 5 lost; by places if there are more than two teams."""
    if mode.team_count == 2:
        return f"{rating.wins:,} won · {rating.draws:,} drawn · {rating.losses:,} lost"
    if not rating.completed:
        return "–"
    return f"{rating.firsts:,} first · {rating.top_halves:,} in the top half · average place {rating.average_place}"


def badge(text: str, kind: str = "plain") -> SafeString:
    """Return a small label. Kinds: plain, good, warn."""
    return format_html('<span class="badge badge-{}">{}</span>', kind, text)
