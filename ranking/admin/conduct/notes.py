"""Admin pages of notes on players and of warnings, and the actions that write them on pages of players."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.text import Truncator

from ranking.admin.base.actions import ConductActionsAdmin
from ranking.admin.base.confirmation import Question, confirmation_page, new_number, report_done
from ranking.admin.base.display import badge
from ranking.admin.base.filters import PlayerFilter
from ranking.admin.base.reasons import ReasonForm, TextsForm, details_of, form_from, moderator
from ranking.admin.conduct.sanctions import ConductFactsAdmin
from ranking.models import Player, PlayerNote, PlayerWarning
from ranking.moderation.notes import add_notes, warn_players, withdraw_notes, withdraw_warnings
from ranking.players.search import MOST_FOUND, find_named

NOTE = Question(
    "Write a note", "Only moderators read it, on the pages of the player. It is withdrawn, never changed.", "Write"
)
WARN = Question(
    "Warn",
    "They read it on “Your conduct” and among their notices, within half a minute. Nothing else follows.",
    "Warn",
)
WITHDRAW_NOTE = Question("Withdraw notes", "They stay, marked as withdrawn.", "Withdraw")
WITHDRAW_WARNING = Question(
    "Withdraw warnings", "They stay, marked as withdrawn; the players read what you write here.", "Withdraw"
)
SHOWN = 50  # notes and warnings on a player's page


class NoteForm(forms.Form):
    text = forms.CharField(
        max_length=PlayerNote.LONGEST,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Note",
        help_text="For moderators only: no player ever reads it.",
    )


def notes_of(request: HttpRequest, player: Player) -> dict[str, Any]:
    """Return what the template admin/ranking/leaver/notes.html shows to this reader. Two queries at most."""
    may_read, may_see = (request.user.has_perm(f"ranking.view_{name}") for name in ("playernote", "playerwarning"))
    notes = PlayerNote.objects.filter(player=player).select_related("by", "withdrawn_by").order_by("-pk")
    warnings = PlayerWarning.objects.filter(player=player).select_related("by", "lifted_by").order_by("-pk")
    return {"notes": notes[:SHOWN] if may_read else None, "warnings": warnings[:SHOWN] if may_see else None}


class NoteActions(ConductActionsAdmin):
    """Adds the actions "note" and "warn", and the player's notes and warnings, to pages of players."""

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        player = context["original"]
        may_write = self.has_note_permission(request) and player.anonymised_at is None
        context |= {**notes_of(request, player), "note_length": PlayerNote.LONGEST if may_write else 0}
        context["note_number"] = new_number()
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.action(description="Warn…", permissions=["warn"])
    def warn(self, request: HttpRequest, players: QuerySet[Any]) -> HttpResponse | None:
        form = form_from(request, TextsForm)
        if not form.is_valid():
            return confirmation_page(self, request, players.filter(anonymised_at=None), WARN, form=form)
        warned = warn_players(list(players), **details_of(request, form, timezone.now()))
        return report_done(self, request, _of(players, warned), "Warned")

    @admin.action(description="Write a note…", permissions=["note"])
    def note(self, request: HttpRequest, players: QuerySet[Any]) -> HttpResponse | None:
        form: Any = form_from(request, NoteForm)
        if not form.is_valid():
            return confirmation_page(self, request, players.filter(anonymised_at=None), NOTE, form=form)
        text, by = form.cleaned_data["text"], moderator(request)
        notes = add_notes(list(players), text=text, by=by, now=timezone.now())
        return report_done(self, request, _of(players, notes), "Note written")


def _of(players: QuerySet[Any], rows: list[Any]) -> list[Any]:
    """Return those of these players, or of accounts merged into others, to whom the rows belong."""
    owners = {row.player_id for row in rows}
    return [player for player in players if player.pk in owners or player.merged_into_id in owners]


class _StandingFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"
    column = ""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("standing", "Standing"), ("withdrawn", "Withdrawn")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in ("standing", "withdrawn"):
            return queryset
        return queryset.filter(**{f"{self.column}__isnull": self.value() == "standing"})


class NoteStateFilter(_StandingFilter):
    column = "withdrawn_at"


class WarningStateFilter(_StandingFilter):
    column = "lifted_at"


class _WithdrawnAdmin(ConductFactsAdmin):
    """Pages of rows about players which stay when they are withdrawn."""

    actions = page_actions = ("withdraw",)
    list_select_related = ("player", "by")
    search_fields = ("player__search_name", "player__key")
    search_help_text = f"A part of a player's name (at most {MOST_FOUND} players), or the whole key."
    since = ""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("player", "by")

    def search_rows(self, queryset: QuerySet[Any], term: str) -> QuerySet[Any]:
        return queryset.filter(player__in=find_named(term))

    def actions_for(self, request: HttpRequest, row: Any) -> tuple[str, ...]:
        return () if getattr(row, self.since) else ("withdraw",)

    @admin.display
    def state(self, row: Any) -> str:
        return badge("Withdrawn") if getattr(row, self.since) else badge("Stands", "warn")


@admin.register(PlayerNote)
class PlayerNoteAdmin(_WithdrawnAdmin):
    since = "withdrawn_at"
    list_display = ("written_at", "player", "beginning", "by", "state")
    list_filter = (NoteStateFilter, PlayerFilter)
    fields = ("whose", "text", "by", "written_at", "state", "withdrawn_at", "withdrawn_by", "withdraw_reason")

    @admin.display(description="Note")
    def beginning(self, note: PlayerNote) -> str:
        return Truncator(note.text).chars(80)

    @admin.action(description="Withdraw…", permissions=["note"])
    def withdraw(self, request: HttpRequest, notes: QuerySet[PlayerNote]) -> HttpResponse | None:
        form = form_from(request, ReasonForm)
        if not form.is_valid():
            return confirmation_page(self, request, notes.filter(withdrawn_at=None), WITHDRAW_NOTE, form=form)
        ids = list(notes.values_list("pk", flat=True))
        withdrawn = withdraw_notes(ids, **details_of(request, form, timezone.now()))
        return report_done(self, request, withdrawn, "Withdrawn")


@admin.register(PlayerWarning)
class PlayerWarningAdmin(_WithdrawnAdmin):
    since = "lifted_at"
    sortable_by = ("warned_at",)
    list_display = ("warned_at", "player", "reason", "by", "state")
    list_filter = (WarningStateFilter, PlayerFilter)
    fields = (
        "whose", "reason", "note", "by", "warned_at", "state", "lifted_at", "lifted_by", "lift_reason", "lift_note",
    )  # fmt: skip

    @admin.action(description="Withdraw…", permissions=["warn"])
    def withdraw(self, request: HttpRequest, warnings: QuerySet[PlayerWarning]) -> HttpResponse | None:
        form = form_from(request, TextsForm)
        if not form.is_valid():
            return confirmation_page(self, request, warnings.filter(lifted_at=None), WITHDRAW_WARNING, form=form)
        ids = list(warnings.values_list("pk", flat=True))
        withdrawn = withdraw_warnings(ids, **details_of(request, form, timezone.now()))
        return report_done(self, request, withdrawn, "Withdrawn")
