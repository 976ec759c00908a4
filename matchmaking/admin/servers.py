"""Admin pages of game servers: who is there, and how many matches each one has."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from matchmaking.admin.base import OneActionAdmin
from matchmaking.models import Server
from matchmaking.servers import SILENCE, recount
from ranking.admin.base.display import badge, moment_text


@admin.register(Server)
class ServerAdmin(OneActionAdmin):
    act = "count"
    actions = (act,)
    ordering = ("-heard_at",)
    list_display = ("__str__", "region", "address", "places", "there", "state")
    list_select_related = ("source",)
    sortable_by = ("there",)
    search_fields = ("name", "source__slug")
    search_help_text = "A server's whole name, or its source's."
    fields = ("source", "name", "region", "address", "places", "hosts", "state", "registered_at", "last_heard")

    def search_rows(self, queryset: QuerySet[Server], term: str) -> QuerySet[Server]:
        return queryset.filter(Q(name=term) | Q(source__slug=term))  # without an index: a game has few servers

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

    @admin.display(description="Modes")
    def hosts(self, server: Server) -> str:
        return ", ".join(mode.name for mode in server.modes.all())

    @admin.action(description="Count its matches again", permissions=["change"])
    def count(self, request: HttpRequest, servers: QuerySet[Server]) -> None:
        for server in servers:
            self.message_user(request, f"{server} has {recount(server)} matches.", messages.SUCCESS)
