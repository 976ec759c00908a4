"""Checks of the ledger: each query finds rows that break an invariant. `manage.py doctor` prints the violations."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import astuple
from typing import Any

from django.db.models import (
    Count,
    Exists,
    F,
    Func,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Window,
)
from django.db.models.functions import Lag

from ranking.models import (
    AbuseRun,
    Change,
    Event,
    Forfeit,
    Match,
    Mode,
    NextPlace,
    OutboxEntry,
    ParameterVersion,
    Rating,
    Rerating,
    Season,
    Seed,
    Void,
)
from ranking.modes.parameters import system_of
from ranking.operations.violations import Differs, Violation, violation_of
from ranking.standings.counting import count_tables, newest_tables
from ranking.standings.invariants import standings
from ranking.standings.place_counters import missing_places, place_counters
from ranking.standings.snapshots import find_newest
from ranking.systems.base import Refused, State

COMPONENTS = ("display", "mu", "sigma", "volatility", "skill_matches")  # of a state, with _before or _after
PATIENCE = dt.timedelta(minutes=10)  # after which work of jobs is overdue
NIGHTS = dt.timedelta(days=3)  # after which nightly work is overdue


def violations(now: dt.datetime) -> Iterator[Violation]:
    """All violations, in order of importance; none if all is well."""
    for check in CHECKS:
        yield from check(now)


_REPLAY = "Restore the newest backup that doctor finds clean, and have the game servers send results since then again."


def broken_chains(now: dt.datetime) -> Iterator[Violation]:
    """Each change's before is the previous change's after, exactly."""
    previous = {f"was_{part}": _previous(f"{part}_after") for part in COMPONENTS}
    differs = Q()
    for part in COMPONENTS:
        differs |= Q(Differs(F(f"was_{part}"), F(f"{part}_before")))
    live = Change.objects.live()
    rows = live.annotate(was=_previous("event"), **previous).filter(differs, was__isnull=False)
    yield from violation_of("ledger.chain", "A change doesn't begin where the one before it ended", rows, _REPLAY)


def _previous(column: str) -> Window:
    """A column of the player's previous change."""
    return Window(Lag(column), partition_by=["player", "mode", "season"], order_by="event")


def first_changes(now: dt.datetime) -> Iterator[Violation]:
    """A player's first change in a season starts from a newcomer's state, unless it is a reset."""
    earlier = Change.objects.live().filter(
        player=OuterRef("player"), mode=OuterRef("mode"), season=OuterRef("season"), event__lt=OuterRef("event")
    )
    for version in ParameterVersion.objects.select_related("mode"):
        try:
            state = _newcomer_state(version)
        except Refused as refused:
            yield Violation(
                "mode.parameters", f"{version}: {refused}", "Give the mode parameters that its system takes."
            )
            continue
        rows = Change.objects.live().filter(parameters=version, kind=Change.MATCH).exclude(**_equals(state, "before"))
        rows = rows.filter(~Exists(earlier))
        yield from violation_of(
            "ledger.first", f"A first change in {version.mode.slug} isn't a newcomer's", rows, _REPLAY
        )


def _newcomer_state(version: ParameterVersion) -> State:
    system = system_of(version)
    return system.to_state(system.newcomer())


def _equals(state: State, when: str) -> dict[str, object]:
    """Filters for a state; None must be NULL."""
    values = zip(COMPONENTS, astuple(state), strict=True)
    return {f"{part}_{when}" + ("__isnull" if value is None else ""): value is None or value for part, value in values}


def states(now: dt.datetime) -> Iterator[Violation]:
    """A rating's state is that after its last change; one without changes, or of an archived season, isn't checked."""
    last = Change.objects.live().filter(player=OuterRef("player"), season=OuterRef("season")).order_by("-event")
    was = {f"last_{part}": Subquery(last.values(f"{part}_after")[:1]) for part in COMPONENTS}
    differs = Q(Differs(F("last_display"), F("display_hundredths")))
    for part in COMPONENTS[1:]:
        differs |= Q(Differs(F(f"last_{part}"), F(part)))
    rows: QuerySet[Any, Any] = Rating.objects.filter(season__current=True).annotate(**was)
    rows = rows.filter(differs, last_display__isnull=False)
    yield from violation_of("rating.state", "A rating isn't what its last change left", rows, _REPLAY)


def counters(now: dt.datetime) -> Iterator[Violation]:
    """Counts and times of a running season's rating are those of its changes."""
    pairs = {"wins": Change.WIN, "draws": Change.DRAW, "losses": Change.LOSS, "leaves": Change.LEFT}
    mine = Change.objects.live().filter(player=OuterRef("player"), season=OuterRef("season"), kind=Change.MATCH)
    mine = mine.order_by()
    differs = Q()
    for column, outcome in pairs.items():
        count = mine.filter(outcome=outcome).values("player").annotate(rows=Count("pk")).values("rows")
        differs |= Q(Differs(F(column), Func(Subquery(count), 0, function="COALESCE")))
    completed = mine.exclude(outcome=Change.LEFT).values("player").annotate(end=Max("match__ended_at")).values("end")
    differs |= Q(Differs(F("last_completed_at"), Subquery(completed)))
    yield from violation_of(
        "rating.counts", "A rating's counts aren't those of its changes",
        Rating.objects.filter(differs, season__current=True), _REPLAY,
    )  # fmt: skip


def whole_matches(now: dt.datetime) -> Iterator[Violation]:
    """Each rated match has a live change for each of its players, a voided one none; each match has players."""
    live = Q(changes__generation__lte=F("mode__generation"))
    live &= Q(changes__superseded_in=None) | Q(changes__superseded_in__gt=F("mode__generation"))
    void = Exists(Void.objects.filter(match=OuterRef("pk"), lifted_at=None))
    pending = Exists(Rerating.objects.filter(mode=OuterRef("mode")).exclude(state=Rerating.DONE))
    rows = Match.objects.filter(~pending, event__isnull=False)
    rows = rows.annotate(parts=_count("participations"), rated=_count("changes", live), void=void)
    rows = rows.filter(Q(void=False) & ~Q(parts=F("rated")) | Q(void=True, rated__gt=0) | Q(parts=0))
    yield from violation_of("match.whole", "A match isn't rated for each of its players", rows, _REPLAY)
    waiting = Match.objects.filter(~void, event__isnull=True, received_at__lt=now - PATIENCE, mode__lease=None)
    next_season = Season.objects.filter(mode=OuterRef("mode"), current=True, ends_at__lte=OuterRef("ended_at"))
    waiting = waiting.filter(~Exists(next_season))
    yield from violation_of(
        "match.waiting", "A match was recorded and isn't rated yet", waiting, "See that jobs are running."
    )


def uncounted(now: dt.datetime) -> Iterator[Violation]:
    """A match that never counts is void."""
    void = Exists(Void.objects.filter(match=OuterRef("pk"), lifted_at=None))
    rows = Match.objects.filter(~void).exclude(uncounted="")
    cure = "Void it in the admin, with the reason."
    yield from violation_of("match.uncounted", "A match that never counts isn't void", rows, cure)


def _count(relation: str, condition: Q | None = None) -> Count:
    return Count(relation, filter=condition, distinct=True)


def events_without_fact(now: dt.datetime) -> Iterator[Violation]:
    """Each step of history has its fact."""
    match, version = Match.objects.filter(event=OuterRef("pk")), ParameterVersion.objects.filter(event=OuterRef("pk"))
    forfeit = Forfeit.objects.filter(event=OuterRef("pk"))
    planned = Exists(NextPlace.objects.filter(next=OuterRef("pk")))
    rows = Event.objects.filter(
        ~planned,
        Q(kind=Event.MATCH) & ~Exists(match)
        | Q(kind=Event.PARAMETERS) & ~Exists(version)
        | Q(kind=Event.FORFEIT) & ~Exists(forfeit)
        | Q(kind=Event.SEASON_END) & ~Exists(Season.objects.filter(event=OuterRef("pk")))
        | Q(kind=Event.SEED) & ~Exists(Seed.objects.filter(event=OuterRef("pk"))),
    )
    yield from violation_of("event.fact", "A step of history has lost its fact", rows, _REPLAY)


def modes_in_force(now: dt.datetime) -> Iterator[Violation]:
    """Every mode has a current season and parameters."""
    season, version = (
        Season.objects.filter(mode=OuterRef("pk"), current=True),
        ParameterVersion.objects.filter(mode=OuterRef("pk")),
    )
    rows = Mode.objects.filter(~Exists(season) | ~Exists(version))
    yield from violation_of("mode.in_force", "A mode has no current season or no parameters", rows, "Give it both.")


def boards(now: dt.datetime) -> Iterator[Violation]:
    """The newest snapshots of each mode, everyone's and the regions', count exactly the listed rows, and aren't old."""
    for season in Season.objects.filter(current=True).select_related("mode"):
        slug, newest = season.mode.slug, find_newest(season.mode_id, season.pk)
        cure = f"manage.py refresh_standings {slug}; if it comes again, see that jobs are running."
        if newest is None:
            if Rating.objects.filter(season=season).exists():
                yield Violation("board.missing", f"{slug} has ratings and was never published.", cure)
            continue
        if newest.taken_at < now - PATIENCE and Rating.objects.filter(season=season, to_publish=True).exists():
            sentence = f"{slug} has new ratings and was last published at {newest.taken_at:%Y-%m-%d %H:%M} UTC."
            yield Violation("board.old", sentence, cure)
        if newest_tables(season) != count_tables(season):
            yield Violation("board.table", f"The rank table of {slug} isn't that of its listed players.", cure)


def outbox(now: dt.datetime) -> Iterator[Violation]:
    """No entry of the outbox is parked or long overdue."""
    parked = OutboxEntry.objects.filter(parked_at__isnull=False)
    cure = "Read last_error, mend the cause, and clear parked_at and attempts."
    yield from violation_of("outbox.parked", "Work after a result failed too often", parked, cure)
    overdue = OutboxEntry.objects.filter(parked_at=None, due_at__lt=now - PATIENCE)
    yield from violation_of("outbox.overdue", "Work after a result is overdue", overdue, "See that jobs are running.")


def reratings(now: dt.datetime) -> Iterator[Violation]:
    """Re-ratings start soon, no worker has died on one, and the last one of each mode succeeded."""
    late = now - PATIENCE
    waiting = Rerating.objects.filter(state=Rerating.WAITING, requested_at__lt=late, mode__lease=None)
    left = Rerating.objects.filter(state=Rerating.RUNNING, claimed_until__lt=late)
    cure = "See that jobs are running, or run manage.py rerate with the mode."
    yield from violation_of("rerating.waiting", "A history waits to be rated anew", waiting, cure)
    yield from violation_of("rerating.left", "Re-rating was left unfinished", left, cure)
    failed = Rerating.objects.filter(state=Rerating.DONE).exclude(error="")
    failed = failed.filter(~Exists(Rerating.objects.filter(mode=OuterRef("mode"), pk__gt=OuterRef("pk"))))
    yield from violation_of(
        "rerating.failed", "Re-rating failed, see its error", failed, "Mend the cause; rerate the mode."
    )


def abuse_runs(now: dt.datetime) -> Iterator[Violation]:
    """A mode that was searched for abuse once is searched each night."""
    late = AbuseRun.objects.filter(ran_at__lt=now - NIGHTS)
    yield from violation_of("abuse.late", "A mode wasn't searched for abuse lately", late, "See that jobs are running.")


CHECKS: tuple[Callable[[dt.datetime], Iterator[Violation]], ...] = (
    broken_chains,
    first_changes,
    states,
    counters,
    missing_places,
    place_counters,
    whole_matches,
    uncounted,
    events_without_fact,
    modes_in_force,
    boards,
    standings,
    outbox,
    reratings,
    abuse_runs,
)
