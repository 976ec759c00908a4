"""What webhooks tell of seasons: the end with the final standings, and the next season's beginning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from leaderboards.models import Delivery
from leaderboards.webhooks.events import SEASON_ENDED, SEASON_STARTED
from ranking.models import Season
from ranking.players.visibility import Shown, shown
from ranking.rules.tiers import Tier
from ranking.seasons.final_standings import FinalRow, FinalStandings, load_standings

TOP = 100  # of the final standings


def occasion_of(season: Season) -> str:
    """The occasion of a season's end and of the next one's beginning.

    It is another one if the end is taken back and the season ends again.
    """
    assert season.ends_at is not None  # noqa: S101 - it ended
    return f"{season.pk}-{int(season.ends_at.timestamp())}"


def read_seasons(deliveries: Iterable[Delivery]) -> None:
    """Set the data of messages about ends and beginnings of seasons; None if the end was taken back.

    The standings are those of this moment. A few queries for each season, however many messages there are.
    """
    told = [delivery for delivery in deliveries if delivery.type in (SEASON_ENDED, SEASON_STARTED)]
    ids = {int(delivery.occasion.partition("-")[0]) for delivery in told}
    archived = Season.objects.filter(pk__in=ids, state=Season.ARCHIVED).select_related("mode") if ids else ()
    contents: dict[tuple[str, str], dict[str, Any]] = {}
    for season in archived:
        following = Season.objects.select_related("mode").get(mode=season.mode_id, number=season.number + 1)
        contents[SEASON_ENDED, occasion_of(season)] = _end_data(load_standings(season))
        contents[SEASON_STARTED, occasion_of(season)] = _season_data(following)
    for delivery in told:
        delivery.data = contents.get((delivery.type, delivery.occasion))


def _season_data(season: Season) -> dict[str, Any]:
    """The mode and the season that a message is about."""
    return {
        "mode": {"id": season.mode.slug, "name": season.mode.name},
        "season": {name: getattr(season, name) for name in ("number", "name", "starts_at", "ends_at")},
    }


def _end_data(standings: FinalStandings) -> dict[str, Any]:
    """The end of a season as everybody may see it: nothing that the mode hid."""
    visible = shown(standings.mode)
    tiers = standings.count_tiers() if visible.tier else []
    return {
        **_season_data(standings.season),
        "listed": len(standings) if visible.rank else 0,
        "tiers": [{"tier": _tier_data(tier), "players": players} for tier, players in tiers],
        "top": [_row_data(standings, visible, row) for row in standings.rows(TOP)] if visible.rank else [],
    }


def _row_data(standings: FinalStandings, visible: Shown, row: FinalRow) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "player": {"id": row.key, "name": row.name} if row.key else None,
        "rating": standings.rating_text(row.hundredths) if visible.rating else None,
        "percentile": row.percentile if visible.percentile else None,
        "tier": None if row.tier is None else _tier_data(row.tier),
        "matches": row.matches,
        "struck": row.struck,
    }


def _tier_data(tier: Tier) -> dict[str, Any]:
    return {"name": tier.name, "division": tier.division, "label": tier.label}
