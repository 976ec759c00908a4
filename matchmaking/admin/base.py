"""What the pages of matchmaking share: filters and badges of states."""

from __future__ import annotations

from typing import ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from matchmaking import lifecycle
from ranking.admin.base.audited import M
from ranking.admin.base.display import badge


class StateFilter(admin.SimpleListFilter):
    """Filters by the states that go on. There is no filter for ended ones: they are very many, in the order of time."""

    title = "state"
    parameter_name = "state"
    machine: ClassVar[lifecycle.StateMachine]

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [(state, state.capitalize()) for state in self.machine.going_on]

    def queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> QuerySet[M]:
        return queryset.filter(state=self.value()) if self.value() in self.machine.going_on else queryset


def state_badge(machine: lifecycle.StateMachine, state: str) -> str:
    return badge(state.capitalize(), "good" if state in machine.going_on else "plain")
