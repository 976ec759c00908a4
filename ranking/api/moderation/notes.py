"""`/players/{id}/notes/` and `/notes/{number}/withdraw/`: what moderators write down about players, for each other."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.base import Conflict, get_numbered
from ranking.api.moderation.authors import (
    AuthoredSerializer,
    AuthorQuery,
    ModeratingView,
    StaffActSerializer,
    check_is_for_all_modes,
    login_of,
    read_act,
    read_authored_query,
)
from ranking.api.pagination import PageQuery, find_page, page_of, page_response
from ranking.api.schema import documented
from ranking.api.views.players import get_player
from ranking.database.keyset import Order
from ranking.models import PlayerNote
from ranking.moderation.notes import add_notes, withdraw_notes
from ranking.validation.fields import ProseField

ORDER = Order((("pk", "whole"),), descending=True)


class NewNoteSerializer(AuthoredSerializer):
    """A note on a player."""

    text = ProseField(max_length=PlayerNote.LONGEST, help_text="Only moderators read it.")


class NoteSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    player = serializers.CharField(help_text="The game's key for the player.")
    text = serializers.CharField()
    by = serializers.CharField(allow_null=True, help_text="The login name of who wrote it.")
    written_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    withdrawn_by = serializers.CharField(allow_null=True)
    withdraw_reason = serializers.CharField(allow_blank=True)


class NotesQuery(PageQuery, AuthorQuery):
    pass


class NotesView(ModeratingView):
    @documented(
        "Moderators' notes on a player, the newest first",
        operation_id="list_notes",
        description="With those that were withdrawn. The author needs the right to see notes on players.",
        answers={200: page_of("NotePage", NoteSerializer(many=True))},
        problems=[400, 403, 404],
        query=NotesQuery,
    )
    def get(self, request: Request, id: str) -> Response:
        check_is_for_all_modes(request)
        query = read_authored_query(request, "ranking.view_playernote", NotesQuery)
        page, after = find_page(_notes().filter(player=get_player(id)).order_by("-pk"), ORDER, query)
        return page_response(request, map(_note_data, page), after)

    @documented(
        "Write a note on a player",
        operation_id="add_note",
        description=(
            "No player ever reads it. A player who has left for good gets none: 409. The author needs the right to"
            " write notes on players."
        ),
        request=NewNoteSerializer,
        answers={201: NoteSerializer},
        problems=[400, 403, 404, 409, 415],
    )
    def post(self, request: Request, id: str) -> Response:
        check_is_for_all_modes(request)
        act = read_act(request, "ranking.add_playernote", NewNoteSerializer)
        notes = act.carry_out(add_notes, [get_player(id)], text=act.values["text"])
        if not notes:
            raise Conflict("This player has left for good.")
        return Response(_note_data(get_note(notes[0].pk)), status=201)


class WithdrawNoteView(ModeratingView):
    @documented(
        "Withdraw a note",
        operation_id="withdraw_note",
        description=(
            "It stays, as withdrawn. Sent again, it changes nothing. The author needs the right to write notes on"
            " players."
        ),
        request=StaffActSerializer,
        answers={200: NoteSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        check_is_for_all_modes(request)
        act = read_act(request, "ranking.add_playernote", StaffActSerializer)
        act.carry_out(withdraw_notes, [get_note(number).pk])
        return Response(_note_data(get_note(number)))


def _notes() -> Any:
    return PlayerNote.objects.select_related("player", "by", "withdrawn_by")


def get_note(number: int) -> PlayerNote:
    """The note with this number. Raises NotFound."""
    note: PlayerNote = get_numbered(_notes(), number, "note")
    return note


def _note_data(note: PlayerNote) -> dict[str, Any]:
    """NoteSerializer's data."""
    fields = ("text", "written_at", "withdrawn_at", "withdraw_reason")
    return {
        "number": note.pk,
        "player": note.player.key,
        "by": login_of(note.by),
        "withdrawn_by": login_of(note.withdrawn_by),
        **{name: getattr(note, name) for name in fields},
    }
