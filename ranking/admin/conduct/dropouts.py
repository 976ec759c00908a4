"""Drop-outs in the admin: what the forfeit that belongs to an incident did, and actions that void or restore it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from ranking.admin.base.acts.acts import Act, ActRefused, at_any_time
from ranking.admin.base.acts.confirmation import Question
from ranking.admin.base.acts.effects import with_forfeits
from ranking.admin.base.audited import M
from ranking.admin.base.display import rating_text
from ranking.models import Change, Forfeit, Incident
from ranking.moderation.restoring import RestoreRefused
from ranking.moderation.voids import restore, void

_AFTER = "What came after it in its mode is rated anew; the site goes on meanwhile, and it can be undone."
VOID = Question("Void forfeits", f"It costs no rating, no points and no lockout any more. {_AFTER}", "Void")
RESTORE = Question("Restore forfeits", f"It costs what it did, in its old place. {_AFTER}", "Restore")


def _judge(act: Callable[..., list[Forfeit]]) -> Callable[..., list[Incident]]:
    """Return an act on incidents that voids or restores their forfeits."""

    def judge(incidents: QuerySet[Incident], **details: Any) -> list[Incident]:
        by_forfeit: dict[Any, Any] = {row.forfeit_id: row for row in incidents}
        try:
            return [by_forfeit[forfeit.pk] for forfeit in act([row.forfeit for row in by_forfeit.values()], **details)]
        except RestoreRefused as refused:
            raise ActRefused(f"{refused} Nothing has changed.", messages.ERROR) from refused

    return judge


class ForfeitAct(Act):
    """Skips incidents without a forfeit."""

    def __call__(self, page: ModelAdmin[M], request: HttpRequest, rows: QuerySet[M]) -> HttpResponse | None:
        return super().__call__(page, request, rows.filter(forfeit__isnull=False).select_related("player", "forfeit"))


def _is_void(incident: Incident) -> bool:
    return incident.forfeit is not None and incident.forfeit.voids.filter(lifted_at=None).exists()


FORFEIT_ACTS = (
    ForfeitAct(
        "void",
        "Void the forfeit…",
        "ranking.add_void",
        _judge(void),
        VOID.title,
        VOID,
        effects=at_any_time(with_forfeits),
        needs_rows=True,
        fits=lambda incident: incident.forfeit is not None and not _is_void(incident),
    ),
    ForfeitAct(
        "restore",
        "Restore the forfeit…",
        "ranking.add_void",
        _judge(restore),
        RESTORE.title,
        RESTORE,
        effects=at_any_time(with_forfeits),
        needs_rows=True,
        fits=_is_void,
    ),
)


class ForfeitColumn(admin.ModelAdmin[Any]):
    """Adds forfeits to the admin pages of incidents."""

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
