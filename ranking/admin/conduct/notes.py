"""Admin pages of notes on players and of warnings, and the actions that write them on pages of players."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.text import Truncator

from ranking.admin.base.acts.acts import Act, on_keys
from ranking.admin.base.acts.confirmation import Question, new_number
from ranking.admin.base.acts.forms import ActForm, ReasonForm
from ranking.admin.base.audited import M
from ranking.admin.base.base import OfPlayerAdmin
from ranking.admin.base.display import badge
from ranking.admin.base.filters import PlayerFilter, choice_filter
from ranking.admin.conduct.sanctions import ConductFactsAdmin
from ranking.models import Player, PlayerNote, PlayerWarning
from ranking.moderation.notes import add_notes, warn_players, withdraw_notes, withdraw_warnings

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
NOTE_RIGHT, WARN_RIGHT = "ranking.add_playernote", "ranking.add_playerwarning"
SHOWN = 50  # notes and warnings on a player's page


class NoteForm(ActForm):
    text = forms.CharField(
        max_length=PlayerNote.LONGEST,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Note",
        help_text="For moderators only: no player ever reads it.",
    )


def notes_of(request: HttpRequest, player: Player) -> dict[str, object]:
    """Return what the template admin/ranking/leaver/notes.html shows to this reader. Two queries at most."""
    may_read, may_see = (request.user.has_perm(f"ranking.view_{name}") for name in ("playernote", "playerwarning"))
    notes = PlayerNote.objects.filter(player=player).select_related("by", "withdrawn_by").order_by("-pk")
    warnings = PlayerWarning.objects.filter(player=player).select_related("by", "lifted_by").order_by("-pk")
    return {"notes": notes[:SHOWN] if may_read else None, "warnings": warnings[:SHOWN] if may_see else None}


def _writing(act: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """Return an act on players that writes rows about them, and returns the players, or the accounts, of the rows."""

    def write(players: QuerySet[Player], **details: Any) -> list[Any]:
        chosen = list(players)
        owners = {row.player_id for row in act(chosen, **details)}
        return [player for player in chosen if player.pk in owners or player.merged_into_id in owners]

    return write


NOT_ANONYMISED = Q(anonymised_at=None)
WARN_ACT = Act("warn", "Warn…", WARN_RIGHT, _writing(warn_players), "Warned", WARN, concerned=NOT_ANONYMISED)
NOTE_ACT = Act(
    "note",
    "Write a note…",
    NOTE_RIGHT,
    _writing(add_notes),
    "Note written",
    NOTE,
    NoteForm,
    concerned=NOT_ANONYMISED,
    fits=lambda player: False,  # the page has a form for it
)


class NotesOnPage(admin.ModelAdmin[Any]):
    """Adds the player's notes and warnings, and the form of a note, to pages of players."""

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        player = context["original"]
        may_write = request.user.has_perm(NOTE_RIGHT) and player.anonymised_at is None
        context |= {**notes_of(request, player), "note_length": PlayerNote.LONGEST if may_write else 0}
        context["note_number"] = new_number()
        return super().render_change_form(request, context, *args, **kwargs)


def _standing_filter(column: str) -> type[admin.SimpleListFilter]:
    stands = Q(**{column: None})
    return choice_filter("state", "state", {"standing": ("Standing", stands), "withdrawn": ("Withdrawn", ~stands)})


class _WithdrawnAdmin(OfPlayerAdmin[Any], ConductFactsAdmin):
    """Pages of rows about players which stay when they are withdrawn."""

    list_select_related = ("player", "by")
    since = ""

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        return super().get_queryset(request).select_related("player", "by")

    @admin.display
    def state(self, row: Any) -> str:
        return badge("Withdrawn") if getattr(row, self.since) else badge("Stands", "warn")


@admin.register(PlayerNote)
class PlayerNoteAdmin(_WithdrawnAdmin):
    since = "withdrawn_at"
    actions = (
        Act(
            "withdraw",
            "Withdraw…",
            NOTE_RIGHT,
            on_keys(withdraw_notes),
            "Withdrawn",
            WITHDRAW_NOTE,
            ReasonForm,
            concerned=Q(withdrawn_at=None),
            fits=lambda note: note.withdrawn_at is None,
        ),
    )
    list_display = ("written_at", "player", "beginning", "by", "state")
    list_filter = (_standing_filter("withdrawn_at"), PlayerFilter)
    fields = ("whose", "text", "by", "written_at", "state", "withdrawn_at", "withdrawn_by", "withdraw_reason")

    @admin.display(description="Note")
    def beginning(self, note: PlayerNote) -> str:
        return Truncator(note.text).chars(80)


@admin.register(PlayerWarning)
class PlayerWarningAdmin(_WithdrawnAdmin):
    since = "lifted_at"
    actions = (
        Act(
            "withdraw",
            "Withdraw…",
            WARN_RIGHT,
            on_keys(withdraw_warnings),
            "Withdrawn",
            WITHDRAW_WARNING,
            concerned=Q(lifted_at=None),
            fits=lambda warning: warning.lifted_at is None,
        ),
    )
    sortable_by = ("warned_at",)
    list_display = ("warned_at", "player", "reason", "by", "state")
    list_filter = (_standing_filter("lifted_at"), PlayerFilter)
    fields = (
        "whose", "reason", "note", "by", "warned_at", "state", "lifted_at", "lifted_by", "lift_reason", "lift_note",
    )  # fmt: skip
