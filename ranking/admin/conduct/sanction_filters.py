"""Filters of the lists of incidents, bans and the audit log, each of which an index answers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from operator import itemgetter

from django import forms
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from ranking.admin.base.filters import DoneFilter, ModeFilter, PlayerFilter, choice_filter, done_filter
from ranking.admin.base.form_filters import FormFilter, exact_filter, time_filter
from ranking.models import Ban, BanAct, Incident, Pardon
from ranking.operations.audit import ACTS, COMMAND, OWNER, SYSTEM, act_words, authored

KindFilter = choice_filter("kind", "kind", {kind: (words.capitalize(), Q(kind=kind)) for kind, words in Incident.KINDS})


_PARDONED = Q(pk__in=Pardon.objects.filter(lifted_at=None).values("incident"))
PardonFilter = choice_filter("pardon", "pardoned", {"yes": ("Pardoned", _PARDONED), "no": ("Not pardoned", ~_PARDONED)})


def _running(days: int | None = None, **more: object) -> Callable[[HttpRequest], Q]:
    """Return the condition on bans that run now, and end within so many days."""

    def condition(request: HttpRequest) -> Q:
        now = timezone.now()
        ending = {} if days is None else {"ends_at__lte": now + dt.timedelta(days=days)}
        return Q(pk__in=Ban.objects.running(now).filter(**ending, **more))

    return condition


RunningFilter = choice_filter(
    "state",
    "running",
    {
        "yes": ("Running", _running()),
        "day": ("Ending within a day", _running(1)),
        "week": ("Ending within a week", _running(7)),
        "forever": ("Running until lifted", _running(ends_at=None)),
        "lifted": ("Lifted", Q(lifted_at__isnull=False)),
    },
)


class DoneToBanFilter(DoneFilter):
    """Filters bans by one act: they began with it, or it changed them."""

    def concerned(self, by: int | None, at: dt.datetime) -> Q:
        begun, changed = Ban.objects.filter(by=by, starts_at=at), BanAct.objects.filter(by=by, at=at)
        return Q(pk__in=begun.values("pk").union(changed.values("ban")))


class ActFilter(FormFilter):
    """Filters by one of the acts, of which there are too many for links."""

    title = "what was done"
    parameter_name = "act"

    def make_fields(self) -> dict[str, forms.Field]:
        acts = sorted(((act, act_words(act)) for act in ACTS), key=itemgetter(1))
        return {"act": forms.ChoiceField(label="Act", required=False, choices=[("", "All"), *acts])}

    def condition(self, values: dict[str, object]) -> Q:
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
