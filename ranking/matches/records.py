"""Matches together with their participations and changes, as they are loaded from the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from django.db.models import BigIntegerField, Exists, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from ranking.database.prepared_queries import InPlaceholder, PreparedModels, prepare_models
from ranking.models import Change, Match, Participation, ReadAccess, Void
from ranking.players.visibility import shown
from ranking.standings.placement import find_in_placement


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A match with its participations in roster order and, once rated, their changes in the same order.

    `unseen`: the ids of players whose ratings the reader may not see.
    """

    match: Match
    parts: list[Participation]
    changes: list[Change] = field(default_factory=list)
    unseen: frozenset[int] = frozenset()


def is_void() -> Exists:
    """A condition on matches: they are void, i.e. taken out of the history."""
    return Exists(Void.objects.filter(match=OuterRef("pk"), lifted_at=None))


def with_voids(matches: QuerySet[Match]) -> QuerySet[Match]:
    """These matches, each with `is_void`."""
    return matches.annotate(is_void=is_void())  # type: ignore[no-redef]  # in place of the class's


def with_void_reasons(matches: QuerySet[Match]) -> QuerySet[Match]:
    """These matches, each with `is_void` and why."""
    voids = Void.objects.filter(match=OuterRef("pk"), lifted_at=None)
    reason = Coalesce(Subquery(voids.values("reason")[:1]), Value(""))
    return with_voids(matches).annotate(void_reason=reason)  # type: ignore[no-redef]  # in place of the class's


def load_records(matches: Iterable[Match]) -> dict[int, MatchRecord]:
    """Load matches with their participations and changes, by the match's id: two queries, however many.

    A change of a merged player gets the id of the player who was kept, even before the match is rated anew; except in a
    void match that both played.
    """
    records = load_parts(matches)
    if not records:
        return {}
    own = {(part.match_id, part.player_id) for record in records.values() for part in record.parts}
    changes: dict[tuple[int | None, int], Change] = {}
    for change in _changes().objects(matches=records):
        if (change.match_id, change.player_id) not in own:
            change.player_id = change.owner  # type: ignore[attr-defined]  # annotated
        changes[change.match_id, change.player_id] = change
    return {pk: replace(record, changes=_own_changes(record, changes)) for pk, record in records.items()}


def _own_changes(record: MatchRecord, changes: Mapping[tuple[int | None, int], Change]) -> list[Change]:
    own = (changes.get((record.match.pk, part.player_id)) for part in record.parts)
    return [change for change in own if change is not None]


def load_parts(matches: Iterable[Match], parts: QuerySet[Participation] | None = None) -> dict[int, MatchRecord]:
    """Load matches with their participations, by the match's id, in the order given: one query, however many.

    `parts`: the participations to choose from; None = all, with their players.
    """
    records = {match.pk: MatchRecord(match, []) for match in matches}
    if records:
        rows = _parts().objects(matches=records) if parts is None else _in_order(parts.filter(match__in=records))
        for part in rows:
            records[part.match_id].parts.append(part)
    return records


def _in_order(parts: QuerySet[Participation]) -> QuerySet[Participation]:
    return parts.order_by("match", "team", "slot")


@cache
def _parts() -> PreparedModels[Participation]:
    parts = Participation.objects.select_related("player", "played_as")
    return prepare_models(_in_order(parts.filter(InPlaceholder("match", "matches", BigIntegerField()))))


@cache
def _changes() -> PreparedModels[Change]:
    changes = Change.objects.live().filter(InPlaceholder("match", "matches", BigIntegerField()))
    return prepare_models(
        changes.select_related("parameters").annotate(owner=Coalesce("player__merged_into", "player"))
    )


def seen_by(records: Mapping[int, MatchRecord], access: ReadAccess) -> dict[int, MatchRecord]:
    """Return records as a reader may see them: nobody else learns the ratings of players in placement. One query."""
    rosters = [
        (record.match, [part.player_id for part in record.parts])
        for record in records.values()
        if shown(record.match.mode).rating and not access.everything
    ]
    unseen: dict[int, set[int]] = {}
    for match, player in find_in_placement(rosters):
        if player != access.player_id:
            unseen.setdefault(match, set()).add(player)
    return {pk: replace(record, unseen=frozenset(unseen.get(pk, ()))) for pk, record in records.items()}
