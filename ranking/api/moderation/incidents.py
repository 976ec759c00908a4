"""`/players/{id}/incidents/` and `/incidents/{number}/`: what players left or missed, and pardons of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.authentication import check_is_for, get_key, slugs_of
from ranking.api.base import get_numbered
from ranking.api.moderation.authors import (
    ActSerializer,
    AuthorQuery,
    ModeratingView,
    login_of,
    read_act,
    read_authored_query,
)
from ranking.api.pagination import PageQuery, find_page, page_of, page_response
from ranking.api.schema import documented
from ranking.api.views.players import get_player
from ranking.database.keyset import Order
from ranking.models import Incident
from ranking.moderation.sanctions import pardon_incidents
from ranking.moderation.undoing import take_back_pardons
from ranking.rules.conduct import KINDS

ORDER = Order((("happened_at", "moment"), ("pk", "whole")), descending=True)


class PardonSerializer(serializers.Serializer[Any]):
    pardoned_at = serializers.DateTimeField()
    by = serializers.CharField(allow_null=True, help_text="The login name of who pardoned; null: the system.")
    reason = serializers.CharField(help_text="The player reads it.")
    note = serializers.CharField(allow_blank=True, help_text="For moderators only.")


class IncidentSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    player = serializers.CharField(help_text="The game's key for the player.")
    kind = serializers.ChoiceField(KINDS)
    mode = serializers.CharField()
    match = serializers.IntegerField(allow_null=True, help_text="The number of the match that the player left.")
    happened_at = serializers.DateTimeField()
    pardon = PardonSerializer(allow_null=True, help_text="The one in force.")


class IncidentsQuery(PageQuery, AuthorQuery):
    pass


class IncidentsView(ModeratingView):
    @documented(
        "A player's incidents, the newest first",
        operation_id="list_incidents",
        description=(
            "Leaves, drop-outs and missed accepts, pardoned or not. A key for some modes gets those of these modes."
            " The author needs the right to see incidents."
        ),
        answers={200: page_of("IncidentPage", IncidentSerializer(many=True))},
        problems=[400, 403, 404],
        query=IncidentsQuery,
    )
    def get(self, request: Request, id: str) -> Response:
        query = read_authored_query(request, "ranking.view_incident", IncidentsQuery)
        incidents = _incidents().filter(player=get_player(id)).order_by("-happened_at", "-pk")
        slugs = slugs_of(get_key(request))
        if slugs is not None:
            incidents = incidents.filter(mode__slug__in=slugs)
        page, after = find_page(incidents, ORDER, query)
        return page_response(request, map(_incident_data, page), after)


class IncidentView(ModeratingView):
    @documented(
        "An incident",
        operation_id="get_incident",
        description="By its number. The author needs the right to see incidents.",
        answers={200: IncidentSerializer},
        problems=[400, 403, 404],
        query=AuthorQuery,
    )
    def get(self, request: Request, number: int) -> Response:
        read_authored_query(request, "ranking.view_incident")
        return Response(_incident_data(get_incident(request, number)))


class PardonView(ModeratingView):
    @documented(
        "Pardon an incident",
        operation_id="pardon_incident",
        description=(
            "Points and lockouts are as though it had never happened; ratings stay. An appeal against it is granted."
            " Sent again, it changes nothing. The author needs the right to pardon."
        ),
        request=ActSerializer,
        answers={200: IncidentSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        return _change(request, number, pardon_incidents)


class RevokePardonView(ModeratingView):
    @documented(
        "Revoke a pardon",
        operation_id="revoke_pardon",
        description=(
            "Points and lockouts count as before. An appeal that the pardon had granted is open again. Sent again, it"
            " changes nothing. The author needs the right to pardon."
        ),
        request=ActSerializer,
        answers={200: IncidentSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        return _change(request, number, take_back_pardons)


def _change(request: Request, number: int, function: Callable[..., list[Incident]]) -> Response:
    """Carry an act on one incident out; the response is the incident as it is afterwards, changed or not."""
    act = read_act(request, "ranking.pardon_incident")
    act.carry_out(function, [get_incident(request, number).pk])
    return Response(_incident_data(get_incident(request, number)))


def get_incident(request: Request, number: int) -> Incident:
    """The incident with this number. Raises NotFound, and PermissionDenied if the key is for other modes."""
    incident: Incident = get_numbered(_incidents(), number, "incident")
    check_is_for(request, incident.mode.slug)
    return incident


def _incidents() -> Any:
    return Incident.objects.with_pardon().select_related("player", "mode", "pardon__by")


def _incident_data(incident: Incident) -> dict[str, Any]:
    """IncidentSerializer's data."""
    pardon = getattr(incident, "pardon", None)
    return {
        "number": incident.pk,
        "player": incident.player.key,
        "kind": incident.kind,
        "mode": incident.mode.slug,
        "match": incident.match_id,
        "happened_at": incident.happened_at,
        "pardon": pardon
        and {
            "pardoned_at": pardon.pardoned_at,
            "by": login_of(pardon.by),
            "reason": pardon.reason,
            "note": pardon.note,
        },
    }
