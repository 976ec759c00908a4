"""Whom a match's players passed on the board, and who passed them, as far as the viewer may read their names."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache

from django.db.models import BigIntegerField, DateTimeField, Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce

from leaderboards.models import Blocking
from ranking.database.prepared_queries import InPlaceholder, Placeholder, PreparedModels, prepare_models
from ranking.models import Ban, Match, Player, Rating
from ranking.models import Passing as KeptPassing
from ranking.seasons.strikes import strike_in_force
from ranking.standings.placement import placed_after


@dataclass(frozen=True, slots=True)
class Crossed:
    """Those whom a player passed, or who passed them. `players`: who may be named, the closest first."""

    count: int
    players: list[Player]

    @property
    def more(self) -> int:
        """How many are counted without a name."""
        return self.count - len(self.players)


@dataclass(frozen=True, slots=True)
class Passing:
    """What was kept about one of a match's players."""

    passed: Crossed
    passed_by: Crossed


def load_passings(match: Match, viewer: Player | None, now: dt.datetime) -> dict[int, Passing]:
    """The passings of a match's players by the player's id, as far as they were kept. Two queries, one without names.

    Players are counted without a name if they are hidden, hide their matches, are banned from boards or struck from the
    season, aren't placed any more or are gone, and if the viewer blocks them or they block the viewer. Merged players
    have the kept player's name.
    """
    rows = KeptPassing.objects.filter(participation__match=match)
    kept = list(rows.annotate(player=F("participation__player")).order_by())
    ids = {pk for row in kept for pk in (*row.passed_players, *row.passed_by_players)}
    named = _find_named(match, ids, viewer, now) if ids else {}

    def crossed(count: int, ids: Iterable[int], own: int) -> Crossed:
        players = dict.fromkeys(named[pk] for pk in ids if pk in named)
        return Crossed(count, [player for player in players if player.pk != own])

    return {
        row.player: Passing(
            crossed(row.passed, row.passed_players, row.player),
            crossed(row.passed_by, row.passed_by_players, row.player),
        )
        for row in kept
    }


def _find_named(match: Match, ids: Collection[int], viewer: Player | None, now: dt.datetime) -> dict[int, Player]:
    """Those of these players who may be named, each by the id with which they were kept."""
    rows = _nameable(viewer is not None).objects(
        players=ids, mode=match.mode_id, season=match.season_id, now=now,
        placement=match.mode.placement_of(False), carried=match.mode.placement_of(True),
        viewer=None if viewer is None else viewer.pk,
    )  # fmt: skip
    players = {row.pk: row.owner for row in rows}
    return {
        pk: player for pk, player in players.items() if not (player.hidden_at or player.hides_matches or player.is_bot)
    }


@cache
def _nameable(with_viewer: bool) -> PreparedModels[Player]:
    """Players who are placed, not struck or banned from boards, and not apart from the viewer by a block."""
    number = BigIntegerField()
    owner, viewer = OuterRef("owner_id"), Placeholder("viewer", number)
    hidden = Q(Exists(Ban.objects.running(Placeholder("now", DateTimeField())).from_boards().filter(player=owner)))
    if with_viewer:
        hidden |= Q(
            Exists(Blocking.objects.filter(Q(blocker=viewer, blocked=owner) | Q(blocker=owner, blocked=viewer)))
        )
    ratings = Rating.objects.filter(
        player=owner, mode=Placeholder("mode", number), season=Placeholder("season", number)
    )
    placed = ratings.filter(
        placed_after(Placeholder("placement", number), Placeholder("carried", number)), ~Exists(strike_in_force())
    )
    rows = Player.objects.filter(InPlaceholder("pk", "players", number)).alias(owner_id=Coalesce("merged_into", "pk"))
    return prepare_models(rows.alias(hidden=hidden).filter(Exists(placed), hidden=False).select_related("merged_into"))
