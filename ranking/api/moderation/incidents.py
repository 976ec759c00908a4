"""Incidents: what players left or missed, and pardons of it."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request

from ranking.api.authentication import check_is_for, get_key, slugs_of
from ranking.api.base import get_numbered
from ranking.api.moderation.calls import Subject, check_nothing
from ranking.api.output import OutputSerializer
from ranking.api.views.players import get_player
from ranking.database.keyset import Order
from ranking.models import Incident, Pardon
from ranking.rules.conduct import KINDS

ORDER = Order((("happened_at", "moment"), ("pk", "whole")), descending=True)


class PardonSerializer(OutputSerializer[Pardon]):
    pardoned_at = serializers.DateTimeField()
    by = serializers.CharField(
        source="by.username", allow_null=True, help_text="The login name of who pardoned; null: the system."
    )
    reason = serializers.CharField(help_text="The player reads it.")
    note = serializers.CharField(allow_blank=True, help_text="For moderators only.")


class IncidentSerializer(OutputSerializer[Incident]):
    number = serializers.IntegerField(source="pk")
    player = serializers.CharField(source="player.key", help_text="The game's key for the player.")
    kind = serializers.ChoiceField(KINDS)
    mode = serializers.CharField(source="mode.slug")
    match = serializers.IntegerField(
        source="match_id", allow_null=True, help_text="The number of the match that the player left."
    )
    happened_at = serializers.DateTimeField()
    pardon = PardonSerializer(allow_null=True, help_text="The one in force.")

    @staticmethod
    def fill_pardon(incident: Incident) -> dict[str, object] | None:
        pardon = getattr(incident, "pardon", None)  # incidents without one lack the attribute
        return None if pardon is None else PardonSerializer.fill(pardon)


def find_incidents(request: Request, query: dict[str, object], key: str) -> QuerySet[Incident]:
    """A player's incidents, the newest first; for a key for some modes those of these modes."""
    incidents = _incidents().filter(player=get_player(key)).order_by("-happened_at", "-pk")
    slugs = slugs_of(get_key(request))
    return incidents if slugs is None else incidents.filter(mode__slug__in=slugs)


def get_incident(request: Request, number: int) -> Incident:
    """The incident with this number. Raises NotFound, and PermissionDenied if the key is for other modes."""
    incident: Incident = get_numbered(_incidents(), number, "incident")
    check_is_for(request, incident.mode.slug)
    return incident


def _incidents() -> QuerySet[Incident]:
    return Incident.objects.with_pardon().select_related("player", "mode", "pardon__by")


INCIDENT = Subject(IncidentSerializer, get_incident, check_nothing)
