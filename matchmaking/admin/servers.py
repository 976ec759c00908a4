"""Admin pages of game servers: who is there, which don't begin their matches, and how many each one called off."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from matchmaking.models import Server
from matchmaking.operations.aborted_shares import AbortedShare, find_shares, sum_up
from matchmaking.server_failures import end_rest, rests
from matchmaking.servers import SILENCE, recount
from ranking.admin.base.acts.acts import Act
from ranking.admin.base.base import UneditedAdmin
from ranking.admin.base.display import badge, moment_text
from ranking.admin.base.lists import BoundedChangeList


class ServerList(BoundedChangeList):
    """Counts in one query what the servers on the page called off."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        count_aborted(list(self.result_list))


def count_aborted(servers: list[Any]) -> None:
    """Give each server `share`, how many of its last matches it called off, and `source_share`, of its whole source."""
    shares = find_shares(timezone.now()) if servers else []
    own = {share.server: share for share in shares}
    of_source = {share.source: share for share in sum_up(shares)}
    for server in servers:
        server.share, server.source_share = own.get(server.pk), of_source.get(server.source.slug)


def share_text(share: AbortedShare | None) -> str:
    if share is None:
        return ""
    return badge(share.text, "warn") if share.is_high else share.text


class CountAct(Act):
    """Says how many matches each server has."""

    def __call__(self, page: ModelAdmin[Server], request: HttpRequest, rows: QuerySet[Server]) -> None:
        for server in rows:
            page.message_user(request, f"{server} has {recount(server)} matches.", messages.SUCCESS)


def _end_rests(servers: QuerySet[Server], **details: object) -> list[Server]:
    return [server for server in servers if end_rest(server)]


@admin.register(Server)
class ServerAdmin(UneditedAdmin[Server]):
    actions = (
        CountAct("count", "Count its matches again", "change", recount),
        Act("end_rest", "End its rest", "change", _end_rests, "Ended the rest of"),
    )
    ordering = ("-heard_at",)
    list_display = ("__str__", "region", "address", "places", "there", "failed_starts", "rest", "state", "called_off")
    list_select_related = ("source",)
    sortable_by = ("there",)
    search_fields = ("name", "source__slug")
    search_help_text = "A server's whole name, or its source's."
    fields = ("source", "name", "region", "address", "places", "hosts", "state", "registered_at", "last_heard",
              "failed_starts", "rest", "called_off", "called_off_by_source")  # fmt: skip

    def search_rows(self, queryset: QuerySet[Server], term: str) -> QuerySet[Server]:
        return queryset.filter(Q(name=term) | Q(source__slug=term))  # without an index: a game has few servers

    def get_changelist(self, request: HttpRequest, **kwargs: object) -> type[BoundedChangeList]:
        return ServerList

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        server = super().get_object(request, object_id, from_field)
        if server is not None:
            count_aborted([server])
        return server

    @admin.display(description="Called off within 7 days")
    def called_off(self, server: Any) -> str:
        return share_text(server.share)

    @admin.display(description="By all servers of its source")
    def called_off_by_source(self, server: Any) -> str:
        return share_text(server.source_share)

    @admin.display(description="Matches")
    def places(self, server: Server) -> str:
        return f"{server.busy} of {server.capacity}"

    @admin.display(description="Heard from", ordering="heard_at")
    def there(self, server: Server) -> str:
        if server.signed_off_at is not None:
            return badge(f"Signed off {moment_text(server.signed_off_at)}", "plain")
        online = server.heard_at >= timezone.now() - SILENCE
        return badge("There", "good") if online else badge(f"Gone since {moment_text(server.heard_at)}", "warn")

    @admin.display(description="Heard from")
    def last_heard(self, server: Server) -> str:
        return moment_text(server.heard_at)

    @admin.display(description="Rests until")
    def rest(self, server: Server) -> str:
        until = server.rests_until
        return badge(moment_text(until), "warn") if until is not None and rests(server, timezone.now()) else ""

    @admin.display(description="Modes")
    def hosts(self, server: Server) -> str:
        return ", ".join(mode.name for mode in server.modes.all())
