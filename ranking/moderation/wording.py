"""The sentences that tell players why they may not queue, from a case and values, in the reader's language."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from ranking.wording.dates import date_text
from ranking.wording.names import StoredName, stored_name_text

_RESTRICTIONS: dict[str, Any] = {
    "ban": _("You are banned from queues until %(until)s: %(why)s."),
    "ban:for-good": _("You are banned from queues for good: %(why)s."),
    "ban:both": _("You are banned from queues and boards until %(until)s: %(why)s."),
    "ban:both:for-good": _("You are banned from queues and boards for good: %(why)s."),
    "lockout:leave": _("You left a match on %(since)s and can queue again on %(until)s."),
    "lockout:dropout": _("You dropped out of a lobby on %(since)s and can queue again on %(until)s."),
    "lockout:missed": _("You missed an accept on %(since)s and can queue again on %(until)s."),
    "running": _(
        "Your match in %(mode)s, begun on %(since)s, is still running, even if you left it."
        " You can queue again when its result is in."
    ),
    "entry:one-match": _("Complete one more match of %(mode)s first, without leaving."),
    "entry:matches": ngettext_lazy(
        "Complete %(matches)s more match of %(mode)s first, without leaving.",
        "Complete %(matches)s more matches of %(mode)s first, without leaving.",
        "count",
    ),
    "entry:one-day": _(
        "This mode is open to players whom this site has known for a day. It opens for you on %(until)s."
    ),
    "entry:days": ngettext_lazy(
        "This mode is open to players whom this site has known for %(count)d day. It opens for you on %(until)s.",
        "This mode is open to players whom this site has known for %(count)d days. It opens for you on %(until)s.",
        "count",
    ),
}
# How to appeal against a restriction, for those who haven't yet.
_APPEALS: dict[str, object] = {
    "ban": _("You can appeal on your conduct page."),
    "lockout": _("If that is wrong, appeal on your conduct page."),
}
_WITH_APPEAL = _("%(cause)s %(appeal)s")  # two sentences
_MOMENTS = ("since", "until")


def restriction_words(case: str, values: Mapping[str, Any]) -> str:
    """Why a player may not queue, until when, and how to appeal. Moments are ISO texts, as JSON keeps them."""
    cause, appeal = cause_words(case, values), _APPEALS.get(case.partition(":")[0])
    if appeal is None or values.get("appealed"):
        return cause
    return str(_WITH_APPEAL % {"cause": cause, "appeal": appeal})


def cause_words(case: str, values: Mapping[str, Any]) -> str:
    """Why a player may not queue, and until when; for pages where they see how to appeal."""
    moments = {name: moment_text(dt.datetime.fromisoformat(values[name])) for name in _MOMENTS if values.get(name)}
    names = {"mode": stored_name_text(values["mode"])} if "mode" in values else {}
    return str(_RESTRICTIONS[case] % {**values, **moments, **names})


def refusal_words(mode: StoredName, case: str, values: Mapping[str, Any]) -> str:
    """Why a player may not queue for this mode now."""
    why = restriction_words(case, values)
    return str(_("You can’t queue for %(mode)s now. %(why)s") % {"mode": stored_name_text(mode), "why": why})


def moment_text(moment: dt.datetime) -> str:
    """The day and the time in the reader's zone: 14 Dec 2026 at 18:00."""
    day = date_text(timezone.localtime(moment))
    return _("%(day)s at %(time)s") % {"day": day, "time": clock_text(moment)}


def clock_text(moment: dt.datetime) -> str:
    """The time of day in the reader's zone: 18:00, or 18:00 UTC for readers whose zone isn't known."""
    zone = " UTC" if timezone.get_current_timezone_name() == "UTC" else ""
    return f"{timezone.localtime(moment):%H:%M}{zone}"


def day_text(moment: dt.datetime) -> str:
    """The day in the reader's zone, without its year: 14 Dec."""
    return date_text(timezone.localtime(moment), "day")
