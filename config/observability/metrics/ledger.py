"""Gauges of the ledger: the outbox, results that aren't rated yet, the age of boards, and re-ratings."""

from collections.abc import Iterable

from django.db.models import Exists, Min, OuterRef, QuerySet, Subquery
from django.utils import timezone
from prometheus_client import Metric

from config.observability.metrics.gauges import MOST_COUNTED, age, count_some, gauge, labelled_gauge
from ranking.matches.records import is_void
from ranking.models import Match, OutboxEntry, Rerating, Season, Snapshot


def read_gauges() -> Iterable[Metric]:
    """Seven queries, each answered by an index."""
    due = OutboxEntry.objects.filter(parked_at=None)
    oldest = due.order_by("due_at", "id").values_list("due_at", flat=True).first()
    parked = count_some(OutboxEntry.objects.filter(parked_at__isnull=False))
    yield gauge("rungs_outbox_depth", "Outbox entries to be done.", count_some(due))
    yield gauge("rungs_outbox_parked", "Outbox entries given up after too many failures.", parked)
    yield gauge("rungs_outbox_oldest_seconds", "For how long the oldest entry is due.", age(oldest))
    unrated = _unrated().order_by("mode", "id")
    of_modes_not_held = unrated.filter(mode__lease=None)[:MOST_COUNTED].aggregate(oldest=Min("received_at"))
    yield gauge("rungs_unrated_matches", "Results recorded and not yet rated.", unrated[:MOST_COUNTED].count())
    yield gauge(
        "rungs_unrated_oldest_seconds", "For how long the oldest of them waits whose mode isn't held.",
        age(of_modes_not_held["oldest"]),
    )  # fmt: skip
    yield labelled_gauge(
        "rungs_board_age_seconds", "Time since the board was published.", ["mode"], _ages_of_boards()
    )  # fmt: skip
    yield labelled_gauge(
        "rungs_mode_held", "1 while a mode is being rated anew or its season ends: nothing is published.", ["mode"],
        (([slug], 1) for slug in Rerating.objects.filter(state=Rerating.RUNNING).values_list("mode__slug", flat=True)),
    )  # fmt: skip


def _unrated() -> QuerySet[Match]:
    """Results that should be rated by now. Those of the next season are to wait while late results may still come."""
    closing = Season.objects.filter(mode=OuterRef("mode"), state=Season.CLOSING, late_until__gt=timezone.now())
    return Match.objects.filter(~is_void(), ~Exists(closing.filter(ends_at__lte=OuterRef("ended_at"))), event=None)


def _ages_of_boards() -> Iterable[tuple[list[str], float]]:
    """The age of each mode's newest publication in its season; a season that has none yet is left out."""
    published = Snapshot.objects.filter(mode=OuterRef("mode"), season=OuterRef("pk"), region="").order_by("-id")
    seasons = Season.objects.filter(current=True).annotate(newest=Subquery(published.values("taken_at")[:1]))
    for slug, newest in seasons.order_by("mode__slug").values_list("mode__slug", "newest"):
        if newest is not None:
            yield [slug], age(newest)
