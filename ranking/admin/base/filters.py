"""List filters, each of which an index answers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import Model, Q, QuerySet
from django.db.models.expressions import Combinable
from django.http import HttpRequest

from ranking.admin.base.audited import M
from ranking.admin.base.display import moment_text
from ranking.admin.base.lists import number_in
from ranking.models import Mode, Player, Season
from ranking.players.notable_names import to_look_at

if TYPE_CHECKING:
    from django.contrib.admin.filters import _ListFilterChoices
    from django.contrib.admin.views.main import ChangeList

Condition = Q | Combinable


class ModeFilter(SimpleListFilter):
    """Filters by mode. Unlike Django's own filter, it is also offered if there is only one mode."""

    title = "mode"
    parameter_name = "mode"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[M]) -> list[tuple[str, str]]:
        return [(str(mode.pk), mode.name) for mode in Mode.objects.all()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> QuerySet[M]:
        return queryset.filter(mode=number_in(self.value() or "")) if self.value() else queryset


class PlayerFilter(SimpleListFilter):
    """Filters by player. It is offered only if the address names a player, as links on a player's page do."""

    title = "player"
    parameter_name = "player"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[M]) -> list[tuple[str, str]]:
        value = request.GET.get(self.parameter_name, "")
        number = number_in(value)
        return [(value, player.name) for player in Player.objects.filter(pk=number)] if number else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> QuerySet[M]:
        return queryset.filter(player=number_in(self.value() or "")) if self.value() else queryset


class ArchivedBoardFilter(SimpleListFilter):
    """Filters the listed ratings of an archived season. It is offered only if the address names a season."""

    title = "season that is over"
    parameter_name = "season"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[M]) -> list[tuple[str, str]]:
        season = self._season(request.GET.get(self.parameter_name, ""))
        return [(str(season.pk), str(season))] if season else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> QuerySet[M]:
        season = self._season(self.value() or "")
        return queryset.filter(mode=season.mode_id, season=season, listed=True) if season else queryset

    def _season(self, value: str) -> Season | None:
        number = number_in(value)
        return Season.objects.select_related("mode").filter(pk=number).first() if number else None


def choice_filter(
    title: str, parameter: str, choices: Mapping[str, tuple[str, Condition | Callable[[HttpRequest], Condition]]]
) -> type[SimpleListFilter]:
    """Return a filter by one of some conditions: the value in addresses → its words, and the condition.

    A condition that depends on the reader or the time is a function of the request.
    """

    class ChoiceFilter(SimpleListFilter):
        def lookups(self, request: HttpRequest, model_admin: ModelAdmin[M]) -> list[tuple[str, str]]:
            return [(value, words) for value, (words, _) in choices.items()]

        def queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> QuerySet[M]:
            if self.value() not in choices:
                return queryset
            condition = choices[str(self.value())][1]
            return queryset.filter(condition(request) if callable(condition) else condition)

    return type("ChoiceFilter", (ChoiceFilter,), {"title": title, "parameter_name": parameter})


FlaggedNameFilter = choice_filter(
    "name",
    "lookalike",
    {
        "notable": ("To look at: like staff's or a top player's", lambda request: to_look_at()),
        "yes": ("Looks like another's", Q(lookalike=True)),
    },
)


class SameLookFilter(SimpleListFilter):
    """Filters players whose names look like one player's name. It is offered only if the address names a player."""

    title = "lookalikes"
    parameter_name = "alike"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[M]) -> list[tuple[str, str]]:
        player = self._player(request.GET.get(self.parameter_name, ""))
        return [(str(player.pk), f"Lookalikes of {player.name}")] if player else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> QuerySet[M]:
        player = self._player(self.value() or "")
        return queryset.filter(skeleton=player.skeleton) if player else queryset

    def _player(self, value: str) -> Player | None:
        number = number_in(value)
        return Player.objects.filter(pk=number).first() if number else None


class WaitingFilter(SimpleListFilter):
    """Filters by state; by default it shows the rows that wait for a moderator. Subclasses say what the others are."""

    title = "state"
    parameter_name = "state"
    waiting: Q = Q(decided_at=None)
    waiting_words = "Open"
    others: Mapping[str, tuple[str, Q]]  # the value in addresses → its words, and the condition

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[M]) -> list[tuple[str, str]]:
        return [*((value, words) for value, (words, _) in self.others.items()), ("all", "All")]

    def choices(self, changelist: ChangeList) -> Iterator[_ListFilterChoices]:
        first, *others = super().choices(changelist)
        yield {**first, "display": self.waiting_words}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> QuerySet[M]:
        value = self.value() or ""
        if value in self.others:
            return queryset.filter(self.others[value][1])
        # Acts are sent to the list without its filters: rows that no longer wait must be among its rows then.
        return queryset if value == "all" or request.method == "POST" else queryset.filter(self.waiting)


class ReviewFilter(WaitingFilter):
    """Filters by review. Subclasses say what waits for one, and what the others are."""

    title = "review"
    waiting_words = "Not reviewed"


class DoneFilter(SimpleListFilter):
    """Filters rows by one act of the reader, as the message after an act on many links to: so they take it back.

    Subclasses say which rows an act at that moment concerned.
    """

    title = "one act of yours"
    parameter_name = "done"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[M]) -> list[tuple[str, str]]:
        value = request.GET.get(self.parameter_name, "")
        moment = self._moment(value)
        return [(value, moment_text(moment))] if moment else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> QuerySet[M]:
        moment = self._moment(self.value() or "")
        return queryset.filter(self.concerned(request.user.pk, moment)) if moment else queryset

    def concerned(self, by: int | None, at: dt.datetime) -> Q:
        raise NotImplementedError

    def _moment(self, value: str) -> dt.datetime | None:
        try:
            moment = dt.datetime.fromisoformat(value.replace(" ", "+"))
            return moment.astimezone(dt.UTC) if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
        except (ValueError, OverflowError):
            return None


def done_filter(*columns: tuple[str, str], through: type[Model] | None = None, to: str = "") -> type[DoneFilter]:
    """Return a filter by one act. `columns`: pairs (by whom, when), of the rows or of `through`, which names them."""

    class ActFilter(DoneFilter):
        def concerned(self, by: int | None, at: dt.datetime) -> Q:
            acts = reduce(or_, (Q(**{who: by, when: at}) for who, when in columns))
            return acts if through is None else Q(pk__in=through._default_manager.filter(acts).values(to))

    return ActFilter
