"""Saves the filters of the admin's lists: each member of staff has their own, a bounded number for each list."""

from django.contrib.auth.models import User
from django.db import transaction

from ranking.models import SavedFilter


class FilterRefused(Exception):
    """A filter isn't saved; the text says why, for its owner."""


@transaction.atomic
def save_filter(*, owner: User, name: str, query: str, filtered_list: str) -> SavedFilter:
    """Save a query under a name; a filter of that name takes the new query. Raises FilterRefused with a sentence.

    `query`: what follows the question mark. `filtered_list`: the model's label, such as "ranking.incident".
    """
    name = " ".join(name.replace("\0", "").split())
    if not 1 <= len(name) <= 60:
        raise FilterRefused("Give the filter a name of up to 60 characters.")
    if not 1 <= len(query) <= 1000:
        raise FilterRefused("There is no filter to save." if not query else "This filter is too long to be saved.")
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)  # one at a time: places are counted
    mine = SavedFilter.objects.filter(owner=owner, list=filtered_list)
    if (same := mine.filter(name=name).first()) is not None:
        same.query = query
        same.save(update_fields=["query"])
        return same
    taken = set(mine.values_list("place", flat=True))
    free = [place for place in range(1, SavedFilter.MOST + 1) if place not in taken]
    if not free:
        raise FilterRefused(f"You have {SavedFilter.MOST} saved filters for this list. Remove one first.")
    return SavedFilter.objects.create(owner=owner, list=filtered_list, place=free[0], name=name, query=query)


def forget_filter(*, owner: User, number: int) -> str | None:
    """Remove one of the owner's filters, and return its name; None if they have no such filter."""
    found = SavedFilter.objects.filter(owner=owner, pk=number).first()
    if found is not None:
        found.delete()
    return found.name if found else None
