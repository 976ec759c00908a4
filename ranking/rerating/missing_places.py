"""Fills in missing places: until they are restarted, processes of an earlier version record matches without them."""

from collections.abc import Callable

from django.db import transaction
from django.db.models import Exists, OuterRef

from ranking.matches.records import load_parts
from ranking.models import Match, Mode, Participation
from ranking.rules.places import places_of

_BLOCK = 500  # matches a transaction


def fill_places(mode: Mode, since: int, note: Callable[[], None]) -> None:
    """Fill in the places of matches from the sequence `since` on. `note` is called first in each transaction."""
    unplaced = Exists(Participation.objects.filter(match=OuterRef("pk"), place=None))
    matches = Match.objects.filter(unplaced, mode=mode, event__gte=since).order_by("pk")
    while records := load_parts(matches[:_BLOCK]):
        parts = [part for record in records.values() for part in record.parts]
        for record in records.values():
            places = places_of(record.match.teams, record.parts)
            for part in record.parts:
                part.place, part.places = places[part.team], len(places)
        with transaction.atomic():
            note()
            Participation.objects.bulk_update(parts, ["place", "places"])
