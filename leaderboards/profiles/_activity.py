"""A calendar of the days on which a player played a mode, half a year back, in the mode's time zone. One query."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from django.db.models import Count
from django.db.models.functions import TruncDate

from leaderboards.display.heatmap import HeatMap, first_day, heatmap
from ranking.models import Change, Mode
from ranking.wording.dates import week_starts_on

MATCHES = 2_000  # the newest are counted, so that the cost is the same however long somebody has played


@dataclass(frozen=True, slots=True)
class Activity:
    """A calendar; `limit`: only so many of the newest matches are counted, None if all are."""

    map: HeatMap
    limit: int | None


def load_activity(player_id: int, mode: Mode, now: dt.datetime) -> Activity:
    """Return the calendar that ends today; its weeks begin as the reader's language has it."""
    zone, today, week_start = ZoneInfo(mode.time_zone), mode.day_of(now), week_starts_on()
    changes = Change.objects.live(mode.generation).filter(player=player_id, mode=mode, kind=Change.MATCH)
    newest = changes.order_by("-season_id", "-generation", "-event_id")[:MATCHES]  # the order of the index change_chain
    begin = dt.datetime.combine(first_day(today, week_start), dt.time(), zone)
    days = (
        Change.objects.filter(pk__in=newest.values("pk"), match__ended_at__gte=begin)
        .annotate(day=TruncDate("match__ended_at", tzinfo=zone))
        .values_list("day")
        .annotate(matches=Count("pk"))
        .order_by()
    )
    drawn = heatmap(dict(days), today, week_start)
    return Activity(drawn, MATCHES if drawn.total >= MATCHES else None)
