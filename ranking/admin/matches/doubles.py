"""Admin pages of doubled matches: groups of alike ones and pairs of overlapping ones, voided or told apart by
moderators.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe

from ranking.admin.base.acts.acts import Act, at_any_time, on_list
from ranking.admin.base.acts.confirmation import Question, confirmation_page
from ranking.admin.base.acts.effects import sentence_of
from ranking.admin.base.acts.forms import ReasonForm, TextsForm, details_of, form_from
from ranking.admin.base.acts.reporting import report_done
from ranking.admin.base.base import UneditedAdmin
from ranking.admin.base.display import badge, link_to, moment_text
from ranking.admin.base.filters import ModeFilter, ReviewFilter, choice_filter
from ranking.admin.base.lists import BoundedChangeList
from ranking.matches.doubles import groups_of
from ranking.models import DoubledMatch, Match
from ranking.moderation.doubles import dismiss_doubles, surplus_of, void_doubles

WAITING = Q(dismissed_at=None)
NAMED = 8  # matches and players that a line names
DISMISS = Question(
    "These are different",
    "They leave this list for good, and count as they do now.",
    "Dismiss",
)


KindFilter = choice_filter(
    "kind", "kind", {kind: (name.capitalize(), Q(kind=kind)) for kind, name in DoubledMatch.KINDS}
)


class DoublesReviewFilter(ReviewFilter):
    waiting = WAITING
    others = {"dismissed": ("Dismissed", ~WAITING)}


class DoublesList(BoundedChangeList):
    """Reads the matches of the groups on the page, in four queries for all of them."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        with_groups(list(self.result_list))


def with_groups(doubled: Iterable[Any]) -> list[Any]:
    """Return the rows, each with its `group`; its `effect` says which match of it stays."""
    rows = list(doubled)
    groups = groups_of(rows)
    for row in rows:
        row.group = groups[row.pk]
        row.effect = (
            f"{_names(row.group.matches)}: {row.group.valid[0].pk} stays" if row.group.valid else "all are void"
        )
    return rows


def _names(matches: list[Match]) -> str:
    more = f" and {len(matches) - NAMED:,} more" if len(matches) > NAMED else ""
    return ", ".join(f"{match.pk} ({match})" for match in matches[:NAMED]) + more


class VoidAct(Act):
    """Voids all matches of each group but the first; asks nothing if no match is left to void."""

    def __call__(
        self, page: ModelAdmin[DoubledMatch], request: HttpRequest, rows: QuerySet[DoubledMatch]
    ) -> HttpResponse | None:
        now, form, doubled = timezone.now(), form_from(request, TextsForm), list(rows.filter(WAITING))
        surplus = surplus_of(doubled)
        if surplus and not form.is_valid():
            question = Question("Void all but the first", sentence_of("Void", surplus), "Void")
            return confirmation_page(page, request, with_groups(doubled), question, form)
        voided = list(self.do(doubled, **details_of(request, form, now))) if surplus else []
        return report_done(page.admin_site.get_model_admin(Match), request, voided, "Void", undo=(Match, now))


def _waits(row: DoubledMatch) -> bool:
    return row.dismissed_at is None


@admin.register(DoubledMatch)
class DoubledMatchAdmin(UneditedAdmin[DoubledMatch]):
    actions = (
        VoidAct("void", "Void all but the first…", "ranking.add_void", void_doubles, fits=_waits),
        Act(
            "dismiss",
            "These are different…",
            "change",
            on_list(dismiss_doubles),
            "Dismissed",
            DISMISS,
            ReasonForm,
            at_any_time(with_groups),
            concerned=WAITING,
            needs_rows=True,
            fits=_waits,
        ),
    )
    list_display = ("kind", "matches", "players", "mode", "ended_at", "state")
    list_filter = (DoublesReviewFilter, KindFilter, ModeFilter)
    ordering = ("-ended_at", "-id")
    sortable_by = ("ended_at",)
    fields = ("kind", "mode", "matches", "players", "ended", "found", "state", "reviewed")

    def get_changelist(self, request: HttpRequest, **kwargs: object) -> type[BoundedChangeList]:
        return DoublesList

    def get_queryset(self, request: HttpRequest) -> QuerySet[DoubledMatch]:
        return super().get_queryset(request).select_related("mode", "dismissed_by")

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        row = super().get_object(request, object_id, from_field)
        return row and with_groups([row])[0]

    @admin.display(description="Matches")
    def matches(self, row: Any) -> str:
        """Each with its id and source; void ones say so."""
        matches = row.group.matches
        lines = (
            (link_to(match, match.pk), str(match), " – void" if match.is_void else "") for match in matches[:NAMED]
        )
        shown = format_html_join(mark_safe("<br>"), "{} {}{}", lines)
        return shown if len(matches) <= NAMED else format_html("{}<br>{:,} more", shown, len(matches) - NAMED)

    @admin.display(description="Who played them")
    def players(self, row: Any) -> str:
        names = [player.name for player in row.group.players]
        return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED:,} more" if len(names) > NAMED else "")

    @admin.display(description="Ended")
    def ended(self, row: DoubledMatch) -> str:
        return moment_text(row.ended_at)

    @admin.display(description="Found")
    def found(self, row: DoubledMatch) -> str:
        return moment_text(row.found_at)

    @admin.display(description="Review")
    def state(self, row: DoubledMatch) -> str:
        return badge("Dismissed", "good") if row.dismissed_at else badge("Not reviewed", "plain")

    @admin.display(description="Reviewed")
    def reviewed(self, row: DoubledMatch) -> str:
        if row.dismissed_at is None:
            return "–"
        return f"{moment_text(row.dismissed_at)}, by {row.dismissed_by or 'the system'}: {row.reason}"
