"""Warnings, which players read and which have no other effect."""

from rest_framework import serializers

from ranking.api.moderation.calls import Subject, getter_of
from ranking.api.output import OutputSerializer
from ranking.models import PlayerWarning

WARNINGS = PlayerWarning.objects.select_related("player", "by", "lifted_by")


class WarningSerializer(OutputSerializer[PlayerWarning]):
    number = serializers.IntegerField(source="pk")
    player = serializers.CharField(source="player.key", help_text="The game's key for the player.")
    reason = serializers.CharField(help_text="The player reads it.")
    note = serializers.CharField(allow_blank=True, help_text="For moderators only.")
    by = serializers.CharField(
        source="by.username", allow_null=True, help_text="The login name of who warned; null: the system."
    )
    warned_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(source="lifted_at", allow_null=True)
    withdrawn_by = serializers.CharField(source="lifted_by.username", allow_null=True)
    withdraw_reason = serializers.CharField(source="lift_reason", allow_blank=True, help_text="The player reads it.")
    withdraw_note = serializers.CharField(source="lift_note", allow_blank=True, help_text="For moderators only.")


WARNING = Subject(WarningSerializer, getter_of(WARNINGS, "warning"))
