"""`/players/{id}/export/`: everything that the site keeps about a player, as the player's own download has it."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from leaderboards.accounts.data_export import export_for
from ranking.api.moderation.authors import (
    AuthorQuery,
    ModeratingView,
    check_is_for_all_modes,
    read_logged_query,
)
from ranking.api.schema import documented
from ranking.api.views.players import get_player


class ExportView(ModeratingView):
    @documented(
        "A player's data",
        operation_id="export_player",
        description=(
            "The same file as the player's own download at /account/privacy/. It is personal: the author needs an"
            " administrator's right to change players, and the audit log notes it."
        ),
        answers={200: OpenApiTypes.OBJECT},
        problems=[400, 403, 404],
        query=AuthorQuery,
    )
    def get(self, request: Request, id: str) -> StreamingHttpResponse:
        check_is_for_all_modes(request)
        act = read_logged_query(request, "ranking.change_player")
        pieces = act.carry_out(export_for, get_player(id))
        return StreamingHttpResponse(pieces, content_type="application/json")
