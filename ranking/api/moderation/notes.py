"""Notes on players: what moderators write down about them, for each other."""

from rest_framework import serializers

from ranking.api.moderation.authors import AuthoredSerializer
from ranking.api.moderation.calls import Subject, getter_of
from ranking.api.output import OutputSerializer
from ranking.models import PlayerNote
from ranking.validation.fields import ProseField

NOTES = PlayerNote.objects.select_related("player", "by", "withdrawn_by")


class NewNoteSerializer(AuthoredSerializer):
    """A note on a player."""

    text = ProseField(max_length=PlayerNote.LONGEST, help_text="Only moderators read it.")


class NoteSerializer(OutputSerializer[PlayerNote]):
    first = ("number", "player", "by", "withdrawn_by")

    number = serializers.IntegerField(source="pk")
    player = serializers.CharField(source="player.key", help_text="The game's key for the player.")
    text = serializers.CharField()
    by = serializers.CharField(source="by.username", allow_null=True, help_text="The login name of who wrote it.")
    written_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    withdrawn_by = serializers.CharField(source="withdrawn_by.username", allow_null=True)
    withdraw_reason = serializers.CharField(allow_blank=True)


NOTE = Subject(NoteSerializer, getter_of(NOTES, "note"))
