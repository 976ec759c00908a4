"""Achievements of archived seasons: podium, champion, and the tier in which a player ended.

They are granted from the final standings by set-based SQL, when the season's end is swept from the outbox. Struck
players get none. Ratings of merged players count for the player who is kept.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from leaderboards.models import Achievement
from leaderboards.rules.achievements import CHAMPION, PODIUM, season_tier
from ranking import hooks
from ranking.database import locks
from ranking.database.bulk_writes import insert_selected
from ranking.models import Mode, Player, Rating, Season, Strike
from ranking.rules.rank_table import RankTable
from ranking.rules.tiers import tier_bounds
from ranking.seasons.archives import mode_of
from ranking.standings.snapshots import newest_table

_PODIUM = 3  # ranks


def read_ends(event_ids: Sequence[int]) -> None:
    """Grant the achievements of the seasons that these events ended."""
    for season in Season.objects.filter(event__in=event_ids).select_related("mode").order_by("pk"):
        grant_season(season)


def grant_mode(mode: Mode, *, anew: bool = False) -> int:
    """Grant the achievements of all archived seasons of a mode. Returns how many more there are than before.

    `anew`: also take back what the final standings don't grant any more.
    """
    held = Achievement.objects.filter(mode=mode, season__isnull=False)
    before = held.count()
    for season in Season.objects.filter(mode=mode, state=Season.ARCHIVED).select_related("mode").order_by("number"):
        grant_season(season, anew=anew)
    return held.count() - before


@transaction.atomic
def grant_season(season: Season, *, anew: bool = False, player: Player | None = None) -> None:
    """Grant what the final standings of an archived season grant; nothing if its end was taken back.

    `anew`: first take back what was granted. `player`: only theirs.
    """
    locks.share_modes([season.mode.slug])  # an end is taken back by a transaction that holds the mode alone
    if anew:
        held = Achievement.objects.filter(season=season)
        (held if player is None else held.filter(player=player)).delete()
    mode = mode_of(season)
    table = newest_table(season.mode_id, season.pk)
    if not table or not mode.ranked or not Season.objects.filter(pk=season.pk, state=Season.ARCHIVED).exists():
        return
    struck = Strike.objects.filter(rating=OuterRef("pk"), lifted_at=None)
    rows = Rating.objects.filter(~Exists(struck), mode=season.mode_id, season=season, listed=True)
    rows = rows.annotate(owner=Coalesce("player__merged_into", "player"))
    if player is not None:
        rows = rows.filter(owner=player.pk)
    for feat, granted in _grants(mode, table):
        _insert(season, rows.filter(granted), feat)


def _grants(mode: Mode, table: RankTable) -> Iterator[tuple[Case | Value, Q]]:
    """Yield what is granted, and to which of the listed ratings."""
    yield Value(PODIUM), Q(published_hundredths__gte=table.value_at_rank(min(_PODIUM, len(table))))
    yield Value(CHAMPION), Q(published_hundredths__gte=table.value_at_rank(1))
    if mode.gives_tiers(len(table)):
        bounds = reversed(tier_bounds(mode.tier_scheme, mode.named_tier_list))
        lowest = [(table.find_value_at_percentile(bound.first), season_tier(bound.colour)) for bound in bounds]
        whens = [When(published_hundredths__gte=value, then=Value(feat)) for value, feat in lowest if value is not None]
        yield Case(*whens), Q()


def _insert(season: Season, rows: QuerySet[Rating], feat: Case | Value) -> None:
    selected = rows.order_by().annotate(
        feat=feat, occasion=Value(str(season.number)), archive=F("season"), at=Value(season.ends_at)
    )
    columns = ("player", "mode", "feat", "occasion", "season", "earned_at")
    insert_selected(Achievement, columns, selected.values_list("owner", "mode", "feat", "occasion", "archive", "at"))


def follow_correction(season: Season, kind: str, now: dt.datetime, *, player: Player | None = None) -> None:
    """Take achievements away, or give them back, after a correction of an archived season; see ranking.hooks."""
    if kind == hooks.REOPENED:
        Achievement.objects.filter(season=season).delete()
    elif player is not None:
        grant_season(season, anew=True, player=player.owner)
