"""Reads a block of a mode's history: the matches that aren't void and their participations as columns, and what else
changes ratings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan
from operator import itemgetter
from typing import Any

import numpy as np

from ranking.database.arrays import BOOLEAN, FLOAT, INTEGER, Column, read_columns
from ranking.database.microseconds import microseconds_of
from ranking.matches import forfeits
from ranking.matches.records import is_void
from ranking.models import Forfeit, Match, Participation, Seed

_COLUMNS = (
    "event_id", "pk", "season_id", "ended_at", "duration", "measured", "rounds", "teams", "variant", "mode_state_id",
)  # fmt: skip
_Row = tuple[int, int, int, Any, float | None, bool, int | None, list[dict[str, Any]], str, int | None]


@dataclass(frozen=True, slots=True)
class Block:
    """Matches in order, as columns. `named`: the states that they name, −1 for none.

    `by_match`, `by_team` and `parts` hold the columns of a `History`; `parts` is by participation, in the order of
    match, team and slot, and has the match's index ("number"), the player and the places as well. `others`: forfeits,
    and lists of ratings that players brought along one after another, each with the number of matches before.
    """

    event: Column
    match: Column
    season: Column
    ended_at: Column
    named: Column
    variants: Sequence[str]
    by_match: dict[str, Column]
    by_team: dict[str, Column]
    parts: dict[str, Any]
    others: list[tuple[int, Forfeit | list[Seed]]]


def load_block(events: Column, *, with_stats: bool) -> Block:
    """Read the block of these events, in their order: four queries, and two more for stats and parties."""
    place = {event: number for number, event in enumerate(events.tolist())}
    matches = Match.objects.filter(~is_void(), event__in=list(place))
    rows: list[_Row] = sorted(
        matches.values_list(*_COLUMNS),
        key=lambda row: place[row[0]],
    )
    drops = Forfeit.objects.filter(~forfeits.is_void(), event__in=list(place))
    by_place = np.array([place[row[0]] for row in rows], np.int64)
    seeds = Seed.objects.filter(event__in=list(place)).select_related("parameters", "event")
    facts: list[Forfeit | Seed] = [*drops, *seeds]
    others = sorted(((place[fact.event_id or 0], fact) for fact in facts), key=itemgetter(0))
    columns = zip(*rows, strict=True) if rows else ((),) * len(_COLUMNS)
    event, match, season, ended_at, duration, measured, rounds, teams, variant, named = columns
    variants = sorted({"", *variant})
    all_teams = [team for of_match in teams for team in of_match]
    return Block(
        event=np.array(event, np.int64),
        match=np.array(match, np.int64),
        season=np.array(season, np.int64),
        ended_at=np.array([microseconds_of(time) for time in ended_at], np.int64),
        named=_filled(named, -1, np.int64),
        variants=variants,
        by_match={
            "duration": np.where(np.array(measured, bool), _filled(duration, nan), nan),
            "rounds": _filled(rounds, -1, np.int64),
            "variant": np.array([variants.index(name) for name in variant], np.int64),
        },
        by_team={
            "place": _filled([team["place"] for team in all_teams], 0, np.int64),
            "score": _filled([team["score"] for team in all_teams], nan),
        },
        parts=_parts(np.array(match, np.int64), with_stats),
        others=_grouped((int(np.searchsorted(by_place, at)), fact) for at, fact in others),
    )


def _grouped(facts: Iterable[tuple[int, Forfeit | Seed]]) -> list[tuple[int, Forfeit | list[Seed]]]:
    """These facts, in order; seeds that follow one another are one list."""
    groups: list[tuple[int, Forfeit | list[Seed]]] = []
    for at, fact in facts:
        before = groups[-1] if groups else (-1, None)
        if isinstance(fact, Forfeit):
            groups.append((at, fact))
        elif before[0] == at and isinstance(before[1], list):
            before[1].append(fact)
        else:
            groups.append((at, [fact]))
    return groups


def _filled(values: Sequence[Any], missing: float, kind: Any = np.float64) -> Column:
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
        joined_at=FLOAT,
        left_early=BOOLEAN,
        excused=BOOLEAN,
        brief=BOOLEAN,
        rounds_played=INTEGER,
        place=INTEGER,
        places=INTEGER,
    )
    order = np.argsort(match)
    number = order[np.searchsorted(match, parts.pop("match_id"), sorter=order)] if len(match) else parts.pop("match_id")
    in_order = np.lexsort((parts.pop("slot"), parts["team"], number))
    parts = {name: column[in_order] for name, column in {"number": number, **parts}.items()}
    excused = parts.pop("excused")
    for name, all_of_it in (("seconds", nan), ("joined_at", nan), ("rounds_played", -1)):
        parts[name] = np.where(excused, all_of_it, parts[name])  # they count as having stayed to the end
    return {**parts, **_parties_and_stats(rows, match, parts)} if with_stats else parts


def _parties_and_stats(rows: Any, match: Column, parts: dict[str, Column]) -> dict[str, Any]:
    """Columns of the players' parties and stats, from the rows that have some."""
    keys = zip(match[parts["number"]].tolist(), parts["player_id"].tolist(), strict=True)
    index = {key: number for number, key in enumerate(keys)}
    party, has_stats = np.full(len(index), -1), np.zeros(len(index), bool)
    names: dict[str, int] = {}
    for of_match, player, name in rows.exclude(party="").values_list("match_id", "player_id", "party"):
        party[index[of_match, player]] = names.setdefault(name, len(names))
    stats: dict[str, Column] = {}
    for of_match, player, own_stats in rows.exclude(stats={}).values_list("match_id", "player_id", "stats"):
        number = index[of_match, player]
        has_stats[number] = True
        for name, value in own_stats.items():
            stats.setdefault(name, np.full(len(index), nan))[number] = value
    return {"party": party, "has_stats": has_stats, "stats": stats}
