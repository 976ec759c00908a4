"""What the pages of matchmaking share: filters and badges of states, and rows with one action."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from matchmaking import lifecycle
from ranking.admin.base.base import UneditedAdmin
from ranking.admin.base.display import badge


class StateFilter(admin.SimpleListFilter):
    """Filters by the states that go on. There is no filter for ended ones: they are very many, in the order of time."""

    title = "state"
    parameter_name = "state"
    machine: ClassVar[lifecycle.StateMachine]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state, state.capitalize()) for state in self.machine.going_on]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(state=self.value()) if self.value() in self.machine.going_on else queryset


def state_badge(machine: lifecycle.StateMachine, state: str) -> str:
    return badge(state.capitalize(), "good" if state in machine.going_on else "plain")


class OneActionAdmin(UneditedAdmin[Any]):
    """Rows with one action, `act`, which each row's own page offers too; or several, `acts`."""

    act = ""
    acts: tuple[str, ...] = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        acts = self.acts or (self.act,)
        actions = (
            {act: getattr(self, act).short_description for act in acts} if self.has_change_permission(request) else {}
        )
        kwargs["extra_context"] = {"object_actions": actions}
        return super().change_view(request, object_id, *args, **kwargs)
