"""The words of the conduct page, in the reader's language: bans, what was done to them, incidents and their states."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from leaderboards.display.spans import minutes
from ranking.models import Appeal, Ban, BanAct, Incident
from ranking.rules.conduct import Settings
from ranking.wording.translation import number_text


def ban_words(ban: Ban) -> str:
    """What a ban is from, and why: From queues: Cheating."""
    sentences = {
        Ban.QUEUE: _("From queues: %(why)s"),
        Ban.BOARDS: _("From boards: %(why)s"),
        Ban.BOTH: _("From queues and boards: %(why)s"),
    }
    return sentences[ban.scope] % {"why": ban.reason}


def act_words(act: BanAct) -> str:
    """What was done to a ban after it began, and why: Extended: Again."""
    sentences = {
        BanAct.EXTEND: _("Extended: %(why)s"),
        BanAct.SHORTEN: _("Shortened: %(why)s"),
        BanAct.RESUME: _("Put in force again: %(why)s"),
    }
    return sentences[act.act] % {"why": act.reason}


def appeal_words(ban: Ban, until: str) -> str:
    """Against what an appeal is; `until` "": the ban is for good."""
    ends = bool(until)
    sentences = {
        (Ban.QUEUE, True): _("You appeal against the ban from queues until %(until)s: “%(why)s”"),
        (Ban.QUEUE, False): _("You appeal against the ban from queues: “%(why)s”"),
        (Ban.BOARDS, True): _("You appeal against the ban from boards until %(until)s: “%(why)s”"),
        (Ban.BOARDS, False): _("You appeal against the ban from boards: “%(why)s”"),
        (Ban.BOTH, True): _("You appeal against the ban from queues and boards until %(until)s: “%(why)s”"),
        (Ban.BOTH, False): _("You appeal against the ban from queues and boards: “%(why)s”"),
    }
    return sentences[ban.scope, ends] % {"until": until, "why": ban.reason}


def incident_words(incident: Incident) -> str:
    """What the player did: You left a match in Duel."""
    sentences = {
        Incident.LEAVE: _("You left a match in %(mode)s"),
        Incident.DROPOUT: _("You dropped out of a lobby in %(mode)s"),
        Incident.MISSED: _("You missed an accept in %(mode)s"),
    }
    return sentences[incident.kind] % {"mode": incident.mode.local_name}


def state_words(incident: Any, counts: bool) -> str:
    """What has become of an incident; "" if it counts."""
    if hasattr(incident, "pardon"):
        return _("Pardoned")
    if incident.void_reason:
        return _("The match is void: %(why)s") % {"why": incident.void_reason.rstrip(".")}
    if hasattr(incident, "appeal"):
        if incident.appeal.decision == Appeal.CONFIRMED:
            return _("Your appeal was turned down")
        return _("Your appeal is being looked at")
    return "" if counts else _("Over")


def missed_heading(settings: Settings) -> str:
    """Within which time missed accepts are counted: Missed accepts in a day."""
    if settings.missed_hours == 24:
        return _("Missed accepts in a day")
    hours = number_text(settings.missed_hours, 0 if settings.missed_hours == int(settings.missed_hours) else 1)
    return _("Missed accepts in %(hours)s h") % {"hours": hours}


def missed_costs(settings: Settings) -> list[tuple[str, str]]:
    """How many missed accepts cost how long a lockout: 1, no lockout; 2, 5 minutes; 3 and more, 15 minutes."""
    spans = [minutes(span) if span else _("no lockout") for span in settings.missed_minutes]
    counts = [number_text(number) for number in range(1, len(spans) + 1)]
    if counts:
        counts[-1] = _("%(number)s and more") % {"number": counts[-1]}
    return list(zip(counts, spans, strict=True))
