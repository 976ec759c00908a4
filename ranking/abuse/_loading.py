"""Reads a mode's history as columns for the search for abuse: two streamed queries, and one more for devices.

Matches that were never reported are no matches of the ledger: the apps above are asked for them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, FloatField, Func, Max, Min, Q, QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.db.models.sql.compiler import SQLCompiler

from ranking.abuse.detection.cases import AbuseHistory
from ranking.abuse.detection.columns import columns_of
from ranking.abuse.detection.registry import history_of
from ranking.abuse.detection.thresholds import Thresholds
from ranking.hooks import UNREPORTED_MATCHES
from ranking.matches.records import is_void
from ranking.models import Change, DeviceUse, Match, Mode, Participation
from ranking.rules.unreported import UnreportedMatch

_CHUNK = 20_000  # rows in memory at once, before they become columns
_ASKED = 5_000  # players a query
_WON = {Change.WIN: 1.0, Change.DRAW: 0.5, Change.LOSS: 0.0, Change.LEFT: 0.0}


class TeamScore(Func):
    """The score of a participation's team, from the match's teams."""

    output_field: FloatField[Any, Any] = FloatField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: str) -> tuple[str, Any]:
        return self.as_sql(compiler, connection, template="(%(expressions)s ->> 'score')::float8", arg_joiner=" -> ")

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: str) -> tuple[str, Any]:
        template = "json_extract(%(expressions)s || '].score')"
        return self.as_sql(compiler, connection, template=template, arg_joiner=", '$[' || ")


def load_history(mode: Mode, thresholds: Thresholds, *, days: int, most: int) -> AbuseHistory:
    """A mode's last `days` before its newest match, without void matches; the newest if there are over `most` parts."""
    newest = Match.objects.filter(mode=mode).aggregate(newest=Max("ended_at"))["newest"]
    since = (newest or dt.datetime.now(dt.UTC)) - dt.timedelta(days=days)
    largest = most // max(2, mode.team_count * mode.team_size_max)  # matches with `most` parts
    matches = _matches(mode, since, largest)
    if len(matches["match"]) == largest:  # there may be older ones that aren't read
        since = dt.datetime.fromtimestamp(matches["ended_at"].min(), dt.UTC)
    unreported = [each for find in UNREPORTED_MATCHES.functions() for each in find(mode, since)]
    return _history(mode, matches, unreported, thresholds)


def _matches(mode: Mode, since: dt.datetime, largest: int) -> dict[str, Any]:
    """The columns of the matches, in the order of history."""
    rated = Match.objects.filter(~is_void(), mode=mode, event__isnull=False)
    rows = rated.filter(ended_at__gte=since).order_by("-ended_at", "-id")
    fields = ("id", "event_id", "ended_at", "duration")
    columns = _arrays(rows.values_list(*fields)[:largest], (int, int, lambda at: at.timestamp(), _number))
    order = np.argsort(columns[0])
    names = ("match", "sequence", "ended_at", "duration")
    return dict(zip(names, (column[order] for column in columns), strict=True))


def _history(
    mode: Mode, matches: dict[str, Any], unreported: Sequence[UnreportedMatch], thresholds: Thresholds
) -> AbuseHistory:
    began = Match.objects.filter(mode=mode).aggregate(first=Min("ended_at"))["first"]
    if not len(matches["match"]):
        return history_of(columns_of({"match": []}), thresholds, unreported=unreported)
    parts = _parts(mode, matches)
    there = np.searchsorted(matches["match"], parts["match"])
    known = np.isin(parts["match"], matches["match"])
    parts = {name: column[known] for name, column in parts.items()}
    there = there[known]
    columns = columns_of(parts | {name: matches[name][there] for name in ("sequence", "ended_at", "duration")})
    first = int(columns.sequence[0]) if len(columns) else 0
    return history_of(
        columns,
        thresholds,
        since=began.timestamp(),
        veterans=list(_veterans(mode, np.unique(columns.player).tolist(), first)),
        unreported=unreported,
    )


def _parts(mode: Mode, matches: dict[str, Any]) -> dict[str, Any]:
    """The columns of each participation and of its change of the player's rating."""
    low, high = int(matches["match"].min()), int(matches["match"].max())
    read = F("match__mode__generation")  # read within the statement, since a re-rating may switch it at any time
    live = Q(match__changes__superseded_in__isnull=True) | Q(match__changes__superseded_in__gt=read)
    rows: QuerySet[Any, Any] = Participation.objects.order_by().filter(
        live,
        match__mode=mode,
        match__gte=low,
        match__lte=high,
        match__changes__player=F("player"),
        match__changes__generation__lte=read,
    )
    rows = rows.annotate(
        score=TeamScore(F("match__teams"), F("team")), own=Cast(KT("stats__score"), FloatField()),
    )  # fmt: skip
    names = ("match", "player", "team", "left", "seconds", "score", "own", "won", "chance", "before", "after")
    fields = (
        "match_id", "player_id", "team", "left_early", "seconds", "score", "own", "match__changes__outcome",
        "match__changes__win_probability", "match__changes__display_before", "match__changes__display_after",
    )  # fmt: skip
    types = (int, int, int, bool, _number, _number, _number, _WON.__getitem__, _number, int, int)
    parts = dict(zip(names, _arrays(rows.values_list(*fields), types), strict=True))
    return parts | {"device": _devices(mode, parts, low, high)}


def _devices(mode: Mode, parts: dict[str, Any], low: int, high: int) -> Any:
    """The device of each participation as a number; −1 if it is unknown."""
    rows = DeviceUse.objects.filter(match__mode=mode, match__gte=low, match__lte=high).order_by()
    numbers: dict[str, int] = {}
    uses = {
        (match, player): numbers.setdefault(digest, len(numbers))
        for match, player, digest in rows.values_list("match_id", "player_id", "digest").iterator(_CHUNK)
    }
    if not uses:
        return np.full(len(parts["match"]), -1)
    pairs = zip(parts["match"].tolist(), parts["player"].tolist(), strict=True)
    return np.fromiter((uses.get(pair, -1) for pair in pairs), np.int64, len(parts["match"]))


def _veterans(mode: Mode, players: list[int], first: int) -> Iterator[int]:
    """Those of these players who had been rated in the mode before an event."""
    earlier = Change.objects.filter(mode=mode, event__lt=first).order_by()
    for at in range(0, len(players), _ASKED):
        yield from earlier.filter(player__in=players[at : at + _ASKED]).values_list("player", flat=True).distinct()


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _arrays(rows: QuerySet[Any, Any], types: Iterable[Any]) -> list[Any]:
    """One array for each column, from rows that are streamed in chunks."""
    reads = list(types)
    kinds = [np.int64 if read is int else np.bool_ if read is bool else np.float64 for read in reads]
    chunks: list[list[Any]] = [[np.empty(0, kind)] for kind in kinds]
    stream = iter(rows.iterator(_CHUNK))
    while chunk := list(islice(stream, _CHUNK)):
        for into, column, read, kind in zip(chunks, zip(*chunk, strict=True), reads, kinds, strict=True):
            into.append(np.fromiter(map(read, column), kind, len(chunk)))
    return [np.concatenate(into) for into in chunks]
