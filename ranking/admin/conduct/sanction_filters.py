"""Filters of the lists of incidents, bans and the audit log, each of which an index answers."""

from __future__ import annotations

import datetime as dt
from operator import itemgetter
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from ranking.admin.base.filters import DoneFilter, ModeFilter, PlayerFilter, done_filter
from ranking.admin.base.form_filters import FormFilter, exact_filter, time_filter
from ranking.models import Ban, BanAct, Incident, Pardon
from ranking.operations.audit import ACTS, COMMAND, OWNER, SYSTEM, act_words, authored


class KindFilter(admin.SimpleListFilter):
    title = "kind"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(kind, words.capitalize()) for kind, words in Incident.KINDS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(kind=self.value()) if self.value() else queryset


class PardonFilter(admin.SimpleListFilter):
    title = "pardon"
    parameter_name = "pardoned"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Pardoned"), ("no", "Not pardoned")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        in_force = Pardon.objects.filter(lifted_at=None).values("incident")
        if self.value() == "yes":
            return queryset.filter(pk__in=in_force)
        return queryset.exclude(pk__in=in_force) if self.value() == "no" else queryset


class RunningFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "running"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("yes", "Running"), ("day", "Ending within a day"), ("week", "Ending within a week"),
            ("forever", "Running until lifted"), ("lifted", "Lifted"),
        ]  # fmt: skip

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        now, wanted = timezone.now(), self.value()
        running = Ban.objects.running(now)
        chosen = {
            "yes": running,
            "day": running.filter(ends_at__lte=now + dt.timedelta(days=1)),
            "week": running.filter(ends_at__lte=now + dt.timedelta(days=7)),
            "forever": running.filter(ends_at=None),
            "lifted": Ban.objects.filter(lifted_at__isnull=False),
        }
        return queryset.filter(pk__in=chosen[wanted]) if wanted in chosen else queryset


class DoneToBanFilter(DoneFilter):
    """Filters bans by one act: they began with it, or it changed them."""

    def concerned(self, by: Any, at: dt.datetime) -> Q:
        begun, changed = Ban.objects.filter(by=by, starts_at=at), BanAct.objects.filter(by=by, at=at)
        return Q(pk__in=begun.values("pk").union(changed.values("ban")))


class ActFilter(FormFilter):
    """Filters by one of the acts, of which there are too many for links."""

    title = "what was done"
    parameter_name = "act"

    def make_fields(self) -> dict[str, forms.Field]:
        acts = sorted(((act, act_words(act)) for act in ACTS), key=itemgetter(1))
        return {"act": forms.ChoiceField(label="Act", required=False, choices=[("", "All"), *acts])}

    def condition(self, values: dict[str, Any]) -> Q:
        return Q(act=values["act"])


def _by_name(text: str) -> Q:
    return Q(by__username=text)


def _who(text: str) -> Q:
    return Q(**authored(text))


def _of_server(text: str) -> Q:
    # Most incidents may be of lobbies. PostgreSQL, which expects a match of each, is told that few rows have one.
    return Q(match__isnull=False, match__server=text)


INCIDENT_FILTERS = (
    ModeFilter,
    KindFilter,
    PardonFilter,
    time_filter("happened_at", "when it happened"),
    exact_filter("server", "server of the match", "Whole name", _of_server),
    PlayerFilter,
    done_filter(("by", "pardoned_at"), ("lifted_by", "lifted_at"), through=Pardon, to="incident"),
)
BAN_FILTERS = (
    RunningFilter,
    exact_filter("by", "moderator", "Whole name", _by_name),
    time_filter("starts_at", "beginning"),
    PlayerFilter,
    DoneToBanFilter,
)
AUDIT_FILTERS = (
    ActFilter,
    exact_filter(
        "who",
        "who did it",
        "Whole name",
        _who,
        links={SYSTEM: "The system", COMMAND: "A command line", OWNER: "The player"},
    ),
    time_filter("at", "when"),
    PlayerFilter,
)
