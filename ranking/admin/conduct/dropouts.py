"""Drop-outs in the admin: what the forfeit that belongs to an incident did, and actions that void or restore it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from ranking.admin.base.actions import ConductActionsAdmin
from ranking.admin.base.confirmation import Question, confirmation_page, report_done
from ranking.admin.base.consequences import with_forfeits
from ranking.admin.base.display import rating_text
from ranking.admin.base.reasons import TextsForm, details_of, form_from
from ranking.models import Change, Forfeit, Incident
from ranking.moderation.restoring import RestoreRefused
from ranking.moderation.voids import restore, void

_AFTER = "What came after it in its mode is rated anew; the site goes on meanwhile, and it can be undone."
VOID = Question("Void forfeits", f"It costs no rating, no points and no lockout any more. {_AFTER}", "Void")
RESTORE = Question("Restore forfeits", f"It costs what it did, in its old place. {_AFTER}", "Restore")


class ForfeitActions(ConductActionsAdmin):
    """Adds forfeits to the admin pages of incidents. The actions skip incidents without a forfeit."""

    @admin.display(description="Forfeit")
    def of_forfeit(self, incident: Incident) -> str:
        """The change of the rating now, and the ranks as published then."""
        forfeit = incident.forfeit
        if forfeit is None:
            return "–"
        change = Change.objects.live().filter(event=forfeit.event_id).first()
        if change is None:
            return "Not rated"
        ratings = f"{rating_text(change.display_before)} → {rating_text(change.display_after)}"
        ranks = ["–" if rank is None else f"{rank:,}" for rank in (forfeit.rank_before, forfeit.rank_after)]
        return f"Rating {ratings}, rank {' → '.join(ranks)}"

    @admin.action(description="Void the forfeit…", permissions=["void"])
    def void(self, request: HttpRequest, incidents: QuerySet[Incident]) -> HttpResponse | None:
        return self._judge(request, incidents, VOID, void)

    @admin.action(description="Restore the forfeit…", permissions=["void"])
    def restore(self, request: HttpRequest, incidents: QuerySet[Incident]) -> HttpResponse | None:
        return self._judge(request, incidents, RESTORE, restore)

    def _judge(
        self,
        request: HttpRequest,
        incidents: QuerySet[Incident],
        question: Question,
        act: Callable[..., list[Forfeit]],
    ) -> HttpResponse | None:
        form, rows = form_from(request, TextsForm), incidents.filter(forfeit__isnull=False)
        by_forfeit: dict[Any, Any] = {row.forfeit_id: row for row in rows.select_related("player", "forfeit")}
        if by_forfeit and not form.is_valid():
            return confirmation_page(self, request, with_forfeits(by_forfeit.values()), question, form=form)
        if not by_forfeit:
            return report_done(self, request, [], question.verb)
        details = details_of(request, form, timezone.now())
        try:
            changed = [by_forfeit[f.pk] for f in act([row.forfeit for row in by_forfeit.values()], **details)]
        except RestoreRefused as refused:
            self.message_user(request, f"{refused} Nothing has changed.", messages.ERROR)
            return None
        return report_done(self, request, changed, question.title)
