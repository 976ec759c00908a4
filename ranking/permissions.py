"""Who may call what."""

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from ranking.api.authentication import has_scope


class MayPostResults(BasePermission):
    """A key with the scope `results`."""

    message = "This key lacks the scope 'results'."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return has_scope(request, "results")


class MayActForPlayers(BasePermission):
    """A key with the scope `players`."""

    message = "This key lacks the scope 'players'."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return has_scope(request, "players")
