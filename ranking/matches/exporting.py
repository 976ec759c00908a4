"""Exports results, a line of JSON each, as `import_matches` takes them: in the order of time, a chunk at a time.

Matches that ended at the same moment are in the order of history, in which an import rates them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import inf
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from ranking.database.keyset import Order
from ranking.matches.forfeits import forfeits_as, is_void
from ranking.matches.records import MatchRecord, load_parts, with_void_reasons
from ranking.matches.records import is_void as is_void_match
from ranking.matches.sendable_results import result_of
from ranking.models import Forfeit, Match, Mode, Participation, Player, Season, Seed, Source
from ranking.modes.parameters import find_versions

CHUNK = 500  # matches
_IN_TIME = Order((("ended_at", "moment"), ("id", "whole")))


@dataclass(slots=True)
class ResultsExport:
    """Which results go out, and how; and, once they have been read, how many of them.

    `void`: void matches that might be restored go out, too, as called off. `as_sent`: see result_of. `as_mode`: the
    results name this mode instead of their own, and no lobbies, as a lobby is of one mode.
    """

    mode: Mode | None = None
    source: Source | None = None
    void: bool = False
    as_sent: bool = False
    as_mode: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    _sources: set[int] = field(default_factory=set)  # of the results that went out

    def lines(self) -> Iterator[str]:
        people = find_bots_alone()
        self.counts["people"] = len(people)
        for same_time in _by_time(self._matches()):
            for record, forfeits in same_time:
                if record.match.is_void and not record.match.uncounted and not self.void:
                    self.counts["void"] += 1
                    continue
                self.counts["results"] += 1
                self._sources.add(record.match.source_id)
                yield json.dumps(self._result(record, people, forfeits), ensure_ascii=False) + "\n"

    def _matches(self) -> QuerySet[Match]:
        matches = Match.objects.select_related("mode")
        if self.mode is not None:
            matches = matches.filter(mode=self.mode)
        return matches if self.source is None else matches.filter(source=self.source)

    def _result(self, record: MatchRecord, people: Collection[int], forfeits: Sequence[Forfeit]) -> dict[str, object]:
        result = result_of(record, as_sent=self.as_sent, people=people, forfeits=forfeits)
        if self.as_mode:
            result["mode"] = self.as_mode
            result.pop("lobby", None)
        return result

    def sentences(self) -> Iterator[str]:
        """What went out, and what in the history of ratings isn't a result."""
        yield f"Results: {self.counts['results']:,}."
        if self.counts["void"]:
            yield f"Left out, as they are void: {self.counts['void']:,}. --void exports them as called off."
        if len(self._sources) > 1:
            slugs = Source.objects.filter(pk__in=self._sources).order_by("slug").values_list("slug", flat=True)
            yield (
                f"Sources: {', '.join(slugs)}. An id stands for one match of its source alone: if the same ids are in"
                " several, export and import each by --source."
            )
        if self.counts["people"]:
            yield (
                f"Bots who go out as people: {self.counts['people']:,}, as matches counted in which they alone were a"
                " side. Mark them as bots again after an import."
            )
        modes = Mode.objects.all() if self.mode is None else [self.mode]
        for mode in modes:
            if others := ", ".join(f"{name}: {count:,}" for name, count in _other_steps(mode) if count):
                yield f"What else moved ratings in {mode.slug}, and is no result: {others}."


def results_of(matches: Sequence[Match]) -> list[dict[str, Any]]:
    """What the export says of each of these matches, which have their modes and void reasons: three queries at most."""
    loaded = list(_load(matches))
    bots = {part.player_id for record, _ in loaded for part in record.parts if part.player.is_bot}
    people = find_bots_alone(bots) if bots else frozenset()
    return [result_of(record, people=people, forfeits=forfeits) for record, forfeits in loaded]


def leave_out_void(matches: QuerySet[Match]) -> QuerySet[Match]:
    """Those that go out by default: without void matches that might be restored."""
    return matches.filter(~is_void_match() | ~Q(uncounted=""))


def find_bots_alone(bots: Collection[int] | None = None) -> frozenset[int]:
    """The ids of bots who alone were a side of a match that counts, since they were known as people then.

    Recorded anew with them as bots, it wouldn't count. `bots`: those of whom it is asked; None: all.
    """
    beside = Participation.objects.filter(match=OuterRef("match"), team=OuterRef("team"), player__is_bot=False)
    counting = Match.objects.filter(~is_void_match(), pk=OuterRef("match"), uncounted="")
    alone = Participation.objects.filter(Exists(counting), ~Exists(beside), player__is_bot=True)
    if bots is not None:
        asked = Player.objects.filter(Exists(alone.filter(player=OuterRef("pk"))), pk__in=bots)
        return frozenset(asked.values_list("pk", flat=True))
    return frozenset(alone.order_by().values_list("player", flat=True).distinct())


Exported = tuple[MatchRecord, Sequence[Forfeit]]


def _by_time(matches: QuerySet[Match]) -> Iterator[list[Exported]]:
    """The matches that ended at the same moment, in the order of history; one moment after the other."""
    records = (record for chunk in _chunks(matches) for record in _load(chunk))
    for _, same_time in groupby(records, lambda one: one[0].match.ended_at):
        yield sorted(same_time, key=_place)


def _place(one: Exported) -> tuple[float, int]:
    """A match that isn't rated comes last; a walkover has the place of its forfeits."""
    record, forfeits = one
    events = [record.match.event_id, *(forfeit.event_id for forfeit in forfeits)]
    return min((event for event in events if event is not None), default=inf), record.match.pk


def _chunks(matches: QuerySet[Match]) -> Iterator[list[Match]]:
    in_time = with_void_reasons(matches).order_by(*_IN_TIME.names())
    page = in_time
    while chunk := list(page[:CHUNK]):
        yield chunk
        page = in_time.filter(_IN_TIME.after_key((chunk[-1].ended_at, chunk[-1].pk)))


def _load(matches: Sequence[Match]) -> Iterator[Exported]:
    forfeits = find_forfeits(matches)
    for record in load_parts(matches).values():
        yield record, forfeits.get(record.match.pk, [])


def find_forfeits(matches: Iterable[Match]) -> dict[int, list[Forfeit]]:
    """The forfeits of the walkovers among these matches, each with `void`, by the match's id. One query at most."""
    walkovers = {
        (match.mode_id, forfeits_as(match)): match.pk for match in matches if match.uncounted == Match.WALKOVER
    }
    if not walkovers:
        return {}
    rows = Forfeit.objects.filter(mode__in={mode for mode, _ in walkovers}, lobby__in={lobby for _, lobby in walkovers})
    found: dict[int, list[Forfeit]] = {}
    for forfeit in rows.annotate(void=is_void()).order_by("pk"):
        if (match := walkovers.get((forfeit.mode_id, forfeit.lobby))) is not None:
            found.setdefault(match, []).append(forfeit)
    return found


def _other_steps(mode: Mode) -> Iterator[tuple[str, int]]:
    """The steps of a mode's history that are no results, by name."""
    walkovers = Match.objects.filter(mode=mode, uncounted=Match.WALKOVER).only("lobby", "uncounted")
    names = {forfeits_as(match) for match in walkovers.iterator()}
    dropped = Forfeit.objects.filter(~is_void(), mode=mode).values_list("lobby", flat=True)
    yield "lobbies forfeited", sum(lobby not in names for lobby in dropped.iterator())
    yield "ratings brought along", Seed.objects.filter(mode=mode).count()
    yield "seasons that ended", Season.objects.filter(mode=mode, state=Season.ARCHIVED).count()
    yield "changes of parameters", len(find_versions(mode, mode.generation)) - 1
