"""Checks of seasons and their archives; `manage.py doctor` prints the violations."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, Subquery

from ranking.models import Change, Rating, Rerating, Season, Seed, Snapshot, Strike
from ranking.operations.violations import Differs, Violation, violation_of
from ranking.seasons.archives import checksums_of

PATIENCE = dt.timedelta(minutes=10)  # after which an end is overdue
_REPLAY = "manage.py rerate with the mode writes the resets anew."
_RESTORE = "Restore the season's rows from a backup."


def violations(now: dt.datetime) -> Iterator[Violation]:
    """All violations of seasons; none if all is well."""
    yield from ends(now)
    yield from resets()
    yield from seeds()
    yield from archives()
    yield from corrections()


def ends(now: dt.datetime) -> Iterator[Violation]:
    """Seasons end soon after their late results, and an archived season is followed by the next one."""
    overdue = Season.objects.filter(current=True, ends_at__lt=now - PATIENCE)
    overdue = overdue.filter(Q(late_until=None) | Q(late_until__lt=now - PATIENCE))
    yield from violation_of("season.overdue", "A season should have ended", overdue, "See that jobs are running.")
    following = Season.objects.filter(
        mode=OuterRef("mode"), number=OuterRef("number") + 1, starts_at=OuterRef("ends_at")
    )
    alone = Season.objects.filter(~Exists(following), current=False)
    yield from violation_of("season.next", "No season begins where one ended", alone, _RESTORE)


def resets() -> Iterator[Violation]:
    """A player enters a season by one reset from their last row before it, or has no row before it."""
    live = Change.objects.live()
    earlier = live.filter(player=OuterRef("player"), mode=OuterRef("mode"), season__number__lt=OuterRef("number"))
    rows: Any = live.annotate(number=F("season__number")).filter(number__gt=1)
    here = live.filter(player=OuterRef("player"), season=OuterRef("season"))
    first = rows.filter(~Exists(here.filter(event__lt=OuterRef("event"))))
    missing = first.exclude(kind=Change.RESET).filter(Exists(earlier))
    yield from violation_of("season.reset", "A player entered a season without a reset", missing, _REPLAY)
    late = rows.filter(Exists(here.filter(event__lt=OuterRef("event"))), kind=Change.RESET)
    yield from violation_of("season.resets", "A reset isn't a player's first row in a season", late, _REPLAY)
    last = earlier.order_by("-season_id", "-event")
    differs, parts = Q(), ("display", "mu", "sigma", "volatility", "skill_matches")
    for part in parts:
        differs |= Q(Differs(F(f"last_{part}"), F(f"{part}_before")))
    begun = rows.filter(kind=Change.RESET).annotate(
        **{f"last_{part}": Subquery(last.values(f"{part}_after")[:1]) for part in parts}
    )
    sentence = "A reset doesn't begin where the season before ended"
    yield from violation_of("season.reset_state", sentence, begun.filter(differs), _REPLAY)


def seeds() -> Iterator[Violation]:
    """A rating that a player brought along is in the ledger, under its own parameters exactly, and in the rating."""
    pending = Exists(Rerating.objects.filter(mode=OuterRef("mode")).exclude(state=Rerating.DONE))
    rows = Change.objects.live().filter(event=OuterRef("event"), player=OuterRef("player"), kind=Change.SEED)
    settled = Seed.objects.filter(~pending)
    yield from violation_of(
        "seed.ledger", "A rating brought along isn't in the ledger", settled.filter(~Exists(rows)), _REPLAY
    )
    differs = Q()
    for part in ("mu", "sigma", "volatility", "skill_matches"):
        differs |= Q(Differs(F(f"{part}_after"), F(f"event__seed__{part}")))
    differs |= Q(Differs(F("display_after"), F("event__seed__display_hundredths")))
    own: Any = Change.objects.live().filter(kind=Change.SEED, parameters=F("event__seed__parameters"))
    yield from violation_of("seed.state", "A rating brought along differs from its row", own.filter(differs), _REPLAY)
    ratings = Rating.objects.filter(player=OuterRef("player"), season=OuterRef("season"))
    lost = settled.filter(~Exists(ratings.filter(seeded_matches=OuterRef("matches"))), season__current=True)
    lost = lost.filter(player__merged_into=None)
    yield from violation_of("seed.rating", "A rating doesn't know what its player brought along", lost, _RESTORE)


def archives() -> Iterator[Violation]:
    """An archived season has its final boards, and its ratings are what they were when it ended."""
    final = Snapshot.objects.filter(season=OuterRef("pk"), final=True, region="")
    archived = Season.objects.filter(state=Season.ARCHIVED)
    yield from violation_of(
        "season.final", "An archived season has no final board", archived.filter(~Exists(final)), _RESTORE
    )
    sealed = list(archived.exclude(checksum="").select_related("mode"))
    checksums = checksums_of(sealed)
    for season in sealed:
        if checksums[season.pk] != season.checksum:
            yield Violation("season.archive", f"Ratings of {season} have changed since it ended.", _RESTORE)
    listed = Rating.objects.filter(season=OuterRef("pk"), listed=True).order_by().values("season")
    counted = archived.annotate(rows=Subquery(listed.annotate(rows=Count("pk")).values("rows")))
    counted = counted.annotate(published=Subquery(final.order_by("-id").values("listed")[:1]))
    wrong = counted.filter(Q(rows__isnull=False) & ~Q(rows=F("published")))
    yield from violation_of("season.listed", "A final board counts other players than it lists", wrong, _RESTORE)


def corrections() -> Iterator[Violation]:
    """Players are struck from archived seasons only, and a season that goes on has nothing of its end."""
    strikes = Strike.objects.filter(lifted_at=None, rating__season__current=True)
    yield from violation_of(
        "season.struck", "A player is struck from a season that runs", strikes, "Lift the strike in the admin."
    )
    final = Exists(Snapshot.objects.filter(season=OuterRef("pk"), final=True))
    left = Season.objects.filter(~Q(checksum="") | Q(shown__isnull=False) | Q(final), current=True)
    yield from violation_of("season.reopened", "A season runs and is marked as archived", left, _RESTORE)
