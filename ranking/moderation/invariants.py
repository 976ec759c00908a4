"""Invariants of conduct: queries for rows that violate them. `manage.py doctor` reports each violation."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from django.db.models import Count, Exists, F, Min, OuterRef, Q

from ranking.models import Appeal, Complaint, ComplaintCase, Incident, Match, Mode, Pardon, Participation, Void
from ranking.operations.violations import Violation, violation_of
from ranking.rules.conduct import read_settings

_RESTORE = "Somebody changed the database by hand; restore what was there from a backup."


def violations(now: dt.datetime) -> Iterator[Violation]:
    for check in (leaves_of_matches, matches_with_leaves, dropouts, corrections, appeals, complaints, settings):
        yield from check()


def leaves_of_matches() -> Iterator[Violation]:
    """Each leave belongs to a match that its player left early."""
    parts = Participation.objects.filter(match=OuterRef("match"), player=OuterRef("player"), left_early=True)
    rows = Incident.objects.filter(~Exists(parts), kind=Incident.LEAVE)
    yield from violation_of("conduct.leave", "An incident's player didn't leave its match", rows, _RESTORE)


def matches_with_leaves() -> Iterator[Violation]:
    """Each leave of a match is recorded, from the first match with a recorded leave on.

    Nobody abandoned a match that never counts.
    """
    first = Incident.objects.aggregate(first=Min("match"))["first"]
    if first is None:
        return
    recorded = Incident.objects.filter(match=OuterRef("match"), player=OuterRef("player"))
    parts = Participation.objects.filter(~Exists(recorded), match__gt=first, left_early=True, match__uncounted="")
    rows = Match.objects.filter(pk__in=parts.values("match"))
    yield from violation_of("conduct.unrecorded", "Somebody left a match and it is no incident", rows, _RESTORE)


def dropouts() -> Iterator[Violation]:
    """A forfeit and its incident have the same player."""
    rows = Incident.objects.filter(forfeit__isnull=False).exclude(forfeit__player=F("player"))
    yield from violation_of("conduct.dropout", "An incident isn't of the player of its forfeit", rows, _RESTORE)


def corrections() -> Iterator[Violation]:
    """Of a result and its correction at most one counts, and only that one has a place in the history."""
    void = Void.objects.filter(lifted_at=None)
    both = Q(event__isnull=False, replaces__event__isnull=False)
    both |= ~Exists(void.filter(match=OuterRef("pk"))) & ~Exists(void.filter(match=OuterRef("replaces")))
    rows = Match.objects.filter(both, replaces__isnull=False)
    yield from violation_of("match.corrected", "A match and its correction both count", rows, "Void one of them.")


def appeals() -> Iterator[Violation]:
    """An appeal belongs to the player of its ban or incident, and a granted appeal took effect."""
    others = ~Q(ban__player=F("player")) & Q(ban__isnull=False)
    others |= ~Q(incident__player=F("player")) & Q(incident__isnull=False)
    rows = Appeal.objects.filter(others)
    yield from violation_of("conduct.appeal", "An appeal isn't of the player it is for", rows, _RESTORE)
    granted = Appeal.objects.filter(decision=Appeal.GRANTED)
    ban_runs = Q(ban__lifted_at=None) & (Q(ban__ends_at=None) | Q(ban__ends_at__gt=F("decided_at")))
    pardons = Pardon.objects.filter(incident=OuterRef("incident"), lifted_at=None)
    undone = granted.filter(Q(incident__isnull=False) & ~Exists(pardons) | Q(ban__isnull=False) & ban_runs)
    cure = "Lift the ban or pardon the incident in the admin, or restore what was there from a backup."
    yield from violation_of("conduct.granted", "An appeal was granted and nothing came of it", undone, cure)


def complaints() -> Iterator[Violation]:
    """A complaint lies in a case of the player whom it is about, and a case knows how many complaints it has."""
    astray = Complaint.objects.exclude(case__player=F("reported"))
    yield from violation_of("conduct.complaint", "A report isn't about the player of its case", astray, _RESTORE)
    rows = ComplaintCase.objects.annotate(number=Count("complaints")).exclude(complaints_count=F("number"))
    yield from violation_of("conduct.complaints", "A case has another number of reports than it says", rows, _RESTORE)


def settings() -> Iterator[Violation]:
    """Each mode's conduct settings are valid: without them nobody may queue."""
    for mode in Mode.objects.all():
        try:
            read_settings(mode.conduct)
        except ValueError as error:
            cure = "Correct the mode's conduct in the admin."
            yield Violation("conduct.settings", f"{mode.slug}: {error}", cure)
