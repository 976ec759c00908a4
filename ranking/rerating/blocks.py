"""A stretch of a mode's history, from its facts, in columns: the matches that count with who played, and forfeits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from ranking.database.arrays import BOOLEAN, FLOAT, INTEGER, Column, microseconds_of, read_columns
from ranking.matches import forfeits
from ranking.matches.records import is_void
from ranking.models import Forfeit, Match, Participation

_Row = tuple[int, int, int, Any, float | None, int | None, list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Block:
    """Matches in order, with a column each; `parts` by participation, in the order of match, team and slot.

    `parts` has the match's number in the order ("number"), the player and what they did, for a `History`; `by_match`
    and `by_team` likewise. `dropped`: each forfeit with its event and how many of the matches come before it.
    """

    event: Column
    match: Column
    season: Column
    ended_at: Column
    by_match: dict[str, Column]
    by_team: dict[str, Column]
    parts: dict[str, Any]
    dropped: list[tuple[int, int, Forfeit]]


def load_block(events: Column, *, with_stats: bool) -> Block:
    """What happened at these events, in the order given: three queries, and two more for stats and parties."""
    place = {event: number for number, event in enumerate(events.tolist())}
    matches = Match.objects.filter(~is_void(), event__in=list(place))
    rows: list[_Row] = sorted(
        matches.values_list("event_id", "pk", "season_id", "ended_at", "duration", "rounds", "teams"),
        key=lambda row: place[row[0]],
    )
    drops = Forfeit.objects.filter(~forfeits.is_void(), event__in=list(place))
    by_place = np.array([place[row[0]] for row in rows], np.int64)
    dropped = sorted((place[forfeit.event_id or 0], forfeit) for forfeit in drops)
    event, match, season, ended_at, duration, rounds, teams = zip(*rows, strict=True) if rows else ((),) * 7
    said = [team for of_match in teams for team in of_match]
    return Block(
        event=np.array(event, np.int64),
        match=np.array(match, np.int64),
        season=np.array(season, np.int64),
        ended_at=np.array([microseconds_of(moment) for moment in ended_at], np.int64),
        by_match={"duration": _given(duration, nan), "rounds": _given(rounds, -1, np.int64)},
        by_team={
            "place": _given([team["place"] for team in said], 0, np.int64),
            "score": _given([team["score"] for team in said], nan),
        },
        parts=_parts(np.array(match, np.int64), with_stats),
        dropped=[(int(np.searchsorted(by_place, at)), forfeit.event_id or 0, forfeit) for at, forfeit in dropped],
    )


def _given(values: Sequence[Any], missing: float, kind: Any = np.float64) -> Column:
    return np.array([missing if value is None else value for value in values], kind)


def _parts(match: Column, with_stats: bool) -> dict[str, Any]:
    rows = Participation.objects.filter(match__in=match.tolist())
    parts: dict[str, Any] = read_columns(
        rows,
        match_id=INTEGER,
        player_id=INTEGER,
        team=INTEGER,
        slot=INTEGER,
        seconds=FLOAT,
        left_early=BOOLEAN,
        rounds_played=INTEGER,
    )
    order = np.argsort(match)
    number = order[np.searchsorted(match, parts.pop("match_id"), sorter=order)] if len(match) else parts.pop("match_id")
    in_order = np.lexsort((parts.pop("slot"), parts["team"], number))
    parts = {name: column[in_order] for name, column in {"number": number, **parts}.items()}
    return {**parts, **_company(rows, match, parts)} if with_stats else parts


def _company(rows: Any, match: Column, parts: dict[str, Column]) -> dict[str, Any]:
    """Who came with whom, and what players did: read where there is any."""
    owners = zip(match[parts["number"]].tolist(), parts["player_id"].tolist(), strict=True)
    index = {owner: number for number, owner in enumerate(owners)}
    party, has_stats = np.full(len(index), -1), np.zeros(len(index), bool)
    names: dict[str, int] = {}
    for of_match, player, name in rows.exclude(party="").values_list("match_id", "player_id", "party"):
        party[index[of_match, player]] = names.setdefault(name, len(names))
    stats: dict[str, Column] = {}
    for of_match, player, told in rows.exclude(stats={}).values_list("match_id", "player_id", "stats"):
        number = index[of_match, player]
        has_stats[number] = True
        for name, value in told.items():
            stats.setdefault(name, np.zeros(len(index)))[number] = value
    return {"party": party, "has_stats": has_stats, "stats": stats}
